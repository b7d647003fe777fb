package postgres

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

const (
	putWords = `INSERT INTO word (entry, store, label, keys) VALUES ($1, $2, $3, array_to_tsvector($4::text[]))
	ON CONFLICT (entry) DO UPDATE SET store = excluded.store, label = excluded.label, keys = excluded.keys
	WHERE (word.store, word.label) <> (excluded.store, excluded.label) OR word.keys <> excluded.keys`
	deleteWords = "DELETE FROM word WHERE entry = $1"
)

// maxVector is the size in bytes of the largest tsvector: its offsets have 20
// bits.
const maxVector = 1<<20 - 1

// oversized is the form of an entry whose forms do not fit a tsvector. No word has
// a star.
const oversized = "*"

// replaceForms replaces the forms by which Match finds an entry. old is the row
// before, nil for a new one.
func (w *writer) replaceForms(id uuid.UUID, old, next *storedRow, forms []string) {
	if next != nil && next.state == live && next.searchable {
		w.queueStatement(putWords, [16]byte(id), next.store, int16(next.label), formKeys(next.store, next.label, forms))
	} else if old != nil && old.state == live && old.searchable {
		w.queueStatement(deleteWords, [16]byte(id))
	}
}

// formKeys returns the keys of forms in the index.
func formKeys(store int64, label acl.Label, forms []string) []string {
	keys := make([]string, len(forms))
	size := 0
	for i, form := range forms {
		keys[i] = lexical.FormKey(store, label, form)
		size += len(keys[i])
	}
	if size > maxVector {
		return []string{lexical.FormKey(store, label, oversized)}
	}
	return keys
}

const selectSearchable = `SELECT ` + withText + ` FROM entry e JOIN store s ON s.number = e.store
	WHERE e.id > $1 AND e.state = 0 AND e.in_context AND NOT e.encrypted ORDER BY e.id LIMIT $2`

// SearchableAfter implements memory.FormWriter. It takes the database lock.
func (w *writer) SearchableAfter(ctx context.Context, after uuid.UUID, limit int) ([]memory.Entry, error) {
	if err := w.lockAll(ctx); err != nil {
		return nil, err
	}
	w.setRLSAll()
	return w.entries(ctx, selectSearchable, [16]byte(after), limit)
}

// PutForms implements memory.FormWriter.
func (w *writer) PutForms(ctx context.Context, entry memory.Entry, forms []string) error {
	store, err := w.store(ctx, entry.Store)
	if err != nil {
		return err
	}
	w.setRLSAll()
	w.replaceForms(entry.ID, nil, &storedRow{store: store.number, label: entry.Label, state: live, searchable: true}, forms)
	return nil
}

// selectManyTerms has one more than the limit as $5.
const selectManyTerms = scopeTable + `SELECT 1 FROM scope WHERE $5::bigint = (SELECT count(*) FROM
	(SELECT DISTINCT p.term FROM posting p WHERE p.store = scope.store AND p.term >= $3 AND p.term < $4 AND p.label <= scope.ceiling LIMIT $5) t)
	LIMIT 1`

// ManyTerms implements memory.LexicalLeg.
func (r *reader) ManyTerms(ctx context.Context, scope acl.Scope, prefix string, limit int) (bool, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || prefix == "" {
		return false, nil
	}
	r.setRLSScope(stores)
	numbers, ceilings := scopeLists(stores)
	after := []byte(prefix) // the first term behind those with the prefix; UTF-8 has no byte 255
	after[len(after)-1]++
	return r.one(ctx, []any{new(int)}, selectManyTerms, numbers, ceilings, []byte(prefix), after, limit+1)
}
