package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"

	"mneme/acl"
)

// The wall is PostgreSQL's row-level security over the tables that hold text
// or terms of memories. Each method says, before it runs a statement, what the
// statement may see: the scope or the store that the method was given, or
// everything where the contract gives it ids alone. What is said goes with
// the statement, in the same round trip. See
// docs/decisions/0007-row-level-security.md.

const (
	// all lets a statement see everything; a transaction begins with it.
	all         = "*"
	seeAll      = "SET LOCAL mneme.scope = '*'"
	seeScope    = "SELECT set_config('mneme.scope', $1, true)"
	seeOneStore = `SELECT set_config('mneme.scope', coalesce((SELECT jsonb_build_object(number::text, 4)::text FROM store WHERE id = $1), '{}'), true)`
)

// seeEverything lets the next statements see everything.
func (r *reader) seeEverything() {
	if r.sees != all {
		r.sees = all
		r.later(seeAll)
	}
}

// seeStore lets the next statements see one store.
func (r *reader) seeStore(store string) {
	if sees := "store " + store; r.sees != sees {
		r.sees = sees
		r.later(seeOneStore, store)
	}
}

// seeStores lets the next statements see stores up to their ceilings.
func (r *reader) seeStores(stores []acl.Access) {
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
	if sees := string(append(b, '}')); r.sees != sees {
		r.sees = sees
		r.later(seeScope, sees)
	}
}

const selectExempt = `SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`

// bypasses tells whether the service's role passes the wall by.
func bypasses(ctx context.Context, pool *pgxpool.Pool) (bypasses bool, err error) {
	err = pool.QueryRow(ctx, selectExempt).Scan(&bypasses)
	return bypasses, interpret(ctx, "look at the role", err)
}
