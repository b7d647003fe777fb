package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"

	"mneme/acl"
)

// Row-level security restricts the tables that contain text or terms of memories. Before a
// method runs a statement, it sets which rows the statement may see: the rows of the scope or
// store given to the method, or all rows where the contract passes only IDs. The setting is
// sent with the statement, in the same round trip. See
// docs/decisions/0007-row-level-security.md.

const (
	// allRows permits all rows. It is the initial scope of a transaction.
	allRows = "*"
	setAll  = "SET LOCAL mneme.scope = '*'"
)

// setRLSAll lets the following statements see all rows.
func (d *driver) setRLSAll() {
	if d.rls != allRows {
		d.rls = allRows
		d.queueStatement(setAll)
	}
}

// setRLSStore lets the following statements see the rows of one store.
func (d *driver) setRLSStore(store string) {
	if scope := "store " + store; d.rls != scope {
		d.rls = scope
		d.queueStatement("rls.set_store", store)
	}
}

// setRLSScope lets the following statements see the rows of stores up to their
// ceilings.
func (d *driver) setRLSScope(stores []acl.Access) {
	b := []byte{'{'}
	for i, a := range stores {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = strconv.AppendInt(b, a.Number, 10)
		b = append(b, '"', ':')
		b = strconv.AppendInt(b, int64(a.Ceiling), 10)
	}
	if scope := string(append(b, '}')); d.rls != scope {
		d.rls = scope
		d.queueStatement("rls.set_scope", scope)
	}
}

// setRLSWords lets the following statements see the rows of table word that match a tsquery, or
// all rows if it is "".
func (d *driver) setRLSWords(query string) {
	if d.words != query {
		d.words = query
		d.queueStatement("rls.set_words", query)
	}
}

// bypassesRLS reports whether the role of the connection is exempt from
// row-level security.
func bypassesRLS(ctx context.Context, pool *pgxpool.Pool) (bypasses bool, err error) {
	err = pool.QueryRow(ctx, texts.Text("rls.is_bypassed")).Scan(&bypasses)
	return bypasses, interpret(ctx, "read the role", err)
}
