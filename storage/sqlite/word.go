package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
)

const (
	selectForms = "SELECT forms FROM form WHERE doc = ?"
	insertForms = "INSERT OR REPLACE INTO form (doc, forms) VALUES (?, ?)"
	deleteForms = "DELETE FROM form WHERE doc = ?"
	// Parameters: docID, keys.
	insertWords = "INSERT INTO word (rowid, keys) VALUES (?, ?)"
	deleteWords = "INSERT INTO word (word, rowid, keys) VALUES ('delete', ?, ?)"
	// mergeWords rewrites the index without what was deleted: until then FTS5
	// keeps it in segments beside a record of its deletion.
	mergeWords = "INSERT INTO word (word) VALUES ('optimize')"
)

// replaceForms replaces the forms by which Match finds an entry. old is the row
// before, the zero row for a new one. Of the index, only what differs is written:
// FTS5 keeps no list of a row's terms when it has neither content nor sizes.
func (w *writer) replaceForms(ctx context.Context, old, next storedRow, forms []string) error {
	indexed := next.Indexed()
	if !indexed {
		forms = nil
	}
	var before []string
	found := false
	if old.doc != 0 {
		var text string
		var err error
		if found, err = w.one(ctx, []any{&text}, selectForms, old.doc); err != nil {
			return err
		}
		before = strings.Fields(text)
	}
	removed, added := before, forms
	if old.Store == next.Store && old.Label == next.Label {
		removed, added = difference(before, forms), difference(forms, before)
	}
	if len(removed) == 0 && len(added) == 0 && found == indexed {
		return nil
	}
	// FTS5 counts rows: each deletion must follow an insertion, even of no keys.
	if found {
		if _, err := w.exec(ctx, deleteWords, next.doc, formKeys(old.Store, old.Label, removed)); err != nil {
			return err
		}
	}
	if !indexed {
		_, err := w.exec(ctx, deleteForms, next.doc)
		return err
	}
	if _, err := w.exec(ctx, insertWords, next.doc, formKeys(next.Store, next.Label, added)); err != nil {
		return err
	}
	_, err := w.exec(ctx, insertForms, next.doc, " "+strings.Join(forms, " ")+" ")
	return err
}

// PutDocument implements memory.DocumentWriter.
func (w *writer) PutDocument(ctx context.Context, entry memory.Entry, doc lexical.Document, queuedAt time.Time) error {
	row, found, err := w.storedRow(ctx, entry.ID)
	if err != nil || !found {
		return err
	}
	if err := w.indexEntry(ctx, row, doc, false); err != nil {
		return err
	}
	if err := w.replaceForms(ctx, row, row, doc.Forms); err != nil || queuedAt.IsZero() {
		return err
	}
	return w.enqueue(ctx, row, row.Revision, indexer.Chunks(&entry), queuedAt)
}

// Terms implements memory.LexicalLeg.
func (w *writer) Terms(ctx context.Context, scope acl.Scope, query memory.TermQuery) (terms []string, more bool, err error) {
	if err := w.flush(ctx); err != nil {
		return nil, false, err
	}
	return w.Reads.Terms(ctx, scope, query)
}

// difference returns the elements of a that are not in b. Both are sorted.
func difference(a, b []string) []string {
	var only []string
	for _, x := range a {
		i, found := slices.BinarySearch(b, x)
		if b = b[i:]; !found {
			only = append(only, x)
		}
	}
	return only
}

// formKeys returns the keys of forms in the index.
func formKeys(store int64, label acl.Label, forms []string) string {
	var keys strings.Builder
	partition := lexical.Partition(store, label)
	for _, form := range forms {
		keys.WriteString(lexical.FormKey(partition, form))
		keys.WriteByte(' ')
	}
	return keys.String()
}

// selectPartitions are the stores and labels of the scope that have searchable
// entries.
const selectPartitions = scopeTable + `SELECT t.store, t.label FROM scope
	CROSS JOIN total t ON t.store = scope.store AND t.label <= scope.ceiling WHERE t.documents > 0`

// wordPath returns the FROM clause by which the entries of the scope are found that
// fulfil a query on their forms.
//
// SECURITY: each partition of the scope is asked for its own keys, and what is
// found counts only if the row is in that partition.
func (r *reader) wordPath(ctx context.Context, q *arguments, words lexical.FormQuery) (string, error) {
	list := [][3]any{} // store, label, expression; json_each of null would have a row
	err := r.each(ctx, func(rows *sql.Rows) error {
		var store int64
		var label acl.Label
		if err := rows.Scan(&store, &label); err != nil {
			return err
		}
		list = append(list, [3]any{store, int(label), expression(lexical.Partition(store, label), words)})
		return nil
	}, selectPartitions, q.Args[0])
	if err != nil {
		return "", err
	}
	partitions, err := json.Marshal(list)
	return ` FROM (SELECT value ->> 0 AS store, value ->> 1 AS ceiling, value ->> 2 AS expression FROM json_each(` + q.Arg(string(partitions)) + `)) scope
	CROSS JOIN word ON word.word MATCH scope.expression
	CROSS JOIN entry e ON e.doc = word.rowid AND e.store = scope.store AND e.label = scope.ceiling`, err
}

// expression writes a query on forms for FTS5.
func expression(partition string, q lexical.FormQuery) string {
	formula := func(e lexical.FormExpr) string {
		return e.Formula(" AND ", " OR ", func(form string, prefix bool) string {
			key := `"` + lexical.FormKey(partition, form) + `"` // no key has a quote
			if prefix {
				key += "*"
			}
			return key
		})
	}
	text := formula(q.Some)
	for _, none := range q.None {
		text += " NOT " + formula(none)
	}
	return text
}

// fulfils evaluates a query over the forms of an entry, as table form has them.
func fulfils(q lexical.FormQuery, forms []byte) bool {
	has := func(form string, prefix bool) bool {
		if form = " " + form; !prefix {
			form += " "
		}
		return bytes.Contains(forms, []byte(form))
	}
	return q.Some.Holds(has) && !slices.ContainsFunc(q.None, func(e lexical.FormExpr) bool { return e.Holds(has) })
}

// Matching implements memory.CandidateReader.
func (w *writer) Matching(ctx context.Context, scope acl.Scope, filter memory.Filter, ids []uuid.UUID, limit int) ([]uuid.UUID, bool, error) {
	if err := w.flush(ctx); err != nil {
		return nil, false, err
	}
	return w.reader.Matching(ctx, scope, filter, ids, limit)
}
