package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// maxVector is the maximum size of a tsvector in bytes: its offsets have 20 bits.
const maxVector = 1<<20 - 1

// oversized is stored as the only form of an entry whose forms do not fit into a tsvector. No
// form of a word contains a star.
const oversized = "*"

// replaceForms replaces the forms of words by which Matching finds an entry. old is the previous
// row, nil for a new one.
func (w *writer) replaceForms(id uuid.UUID, old, next *storedRow, forms []string) {
	indexed := next != nil && next.Indexed()
	if old != nil && old.Indexed() && (!indexed || old.Store != next.Store) {
		w.queueStatement("word.delete", [16]byte(id), old.Store)
	}
	if indexed {
		w.bulk.add(bulkWord, [16]byte(id), next.Store, int16(next.Label), strings.Join(formKeys(next.Store, next.Label, forms), noPartition))
	}
}

// formKeys returns the keys of forms in the index, or only the key of oversized if they do not
// fit.
func formKeys(store int64, label acl.Label, forms []string) []string {
	keys := make([]string, len(forms))
	partition, size := lexical.Partition(store, label), 0
	for i, form := range forms {
		keys[i] = lexical.FormKey(partition, form)
		size += len(keys[i])
	}
	if size > maxVector {
		return []string{lexical.FormKey(partition, oversized)}
	}
	return keys
}

// PutDocument implements memory.DocumentWriter.
func (w *writer) PutDocument(ctx context.Context, entry memory.Entry, doc lexical.Document, queuedAt time.Time) error {
	store, err := w.store(ctx, entry.Store)
	if err != nil {
		return err
	}
	w.setRLSAll()
	w.queueBulk() // the collected rows may have the forms of the same entry
	old := posting.Document{Label: entry.Label}
	old.Store = store.number
	var length *int
	if _, err := w.one(ctx, []any{&old.Doc, &length, &old.Terms}, "entry.indexed", [16]byte(entry.ID), store.number); err != nil {
		return err
	}
	next := &posting.Document{DocKey: old.DocKey, Label: old.Label, Length: doc.Length, Terms: posting.Aligned.EncodeTerms(doc.Terms)}
	var before *posting.Document
	if length != nil {
		old.Length, before = *length, &old
	}
	if _, err := w.postings.Replace(before, next); err != nil {
		return err
	}
	w.queueStatement("entry.set_indexed", [16]byte(entry.ID), store.number, next.Length, next.Terms)
	row := &storedRow{Stored: sqlcommon.Next(&entry, store.number)}
	w.replaceForms(entry.ID, nil, row, doc.Forms)
	if !queuedAt.IsZero() {
		w.enqueue(entry.ID, row, entry.Revision, indexer.Chunks(&entry), queuedAt)
	}
	if w.postings.Size() > maxPostings {
		return w.flushIndex(ctx)
	}
	return nil
}

// formCondition is a condition on the forms of entries, as a tsquery: query is for rows of
// table word; template is for the rows of other tables, with noPartition in place of each
// partition. If both are "", there is no condition.
type formCondition struct{ query, template string }

// noPartition is a placeholder for a row's partition. No form contains this character.
const noPartition = "§"

// partitionsAtOnce bounds the partitions, which are pairs of store and label, in one statement:
// PostgreSQL evaluates the tsquery of all of them for each row that has one of its keys.
const partitionsAtOnce = 32

// findWords finds the entries that pass a filter with Match. If the forms of an entry did not
// fit into its tsvector, its row is always evaluated.
func (m *matching) findWords(ctx context.Context, ids []uuid.UUID) error {
	defer m.setRLSWords("") // later writes of the transaction must see all rows
	words := m.Filter.Match.Query()
	tooLong := lexical.FormQuery{Some: lexical.FormExpr{Form: oversized}}
	ask := func(ask func(queries ...lexical.FormQuery) formCondition) error {
		if !words.Exact || m.where != nil && m.where.ReadsValue() {
			return m.find(ctx, ids, ask(words, tooLong), true)
		}
		if err := m.find(ctx, ids, ask(words), false); err != nil {
			return err
		}
		return m.find(ctx, ids, ask(tooLong), true)
	}
	switch {
	case words.Some.Empty() && len(words.None) == 0: // the words exclude no entry: evaluate all
		return m.find(ctx, ids, formCondition{}, true)
	case ids != nil || words.Some.Empty():
		words.None = append(words.None, tooLong.Some)
		return ask(func(queries ...lexical.FormQuery) formCondition {
			return formCondition{template: tsquery([]string{noPartition}, queries)}
		})
	}
	partitions, err := m.partitions(ctx)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(partitions, partitionsAtOnce) {
		err := ask(func(queries ...lexical.FormQuery) formCondition { return formCondition{query: tsquery(some, queries)} })
		if err != nil {
			return err
		}
	}
	return nil
}

// partitions returns the partitions of the scope that have searchable entries.
func (m *matching) partitions(ctx context.Context) (partitions []string, err error) {
	err = m.each(ctx, func(rows pgx.Rows) error {
		var store int64
		var label int16
		if err := rows.Scan(&store, &label); err != nil {
			return err
		}
		partitions = append(partitions, lexical.Partition(store, acl.Label(label)))
		return nil
	}, "posting.partitions", m.numbers, m.ceilings)
	return partitions, err
}

// wordPath returns the FROM and WHERE clauses for the entries whose forms match a tsquery, the
// third parameter.
func (m *matching) wordPath() string {
	return wordRows + m.inStore("w") + withWords + m.storeOf("w") + isFound
}

// rowForms returns a condition on the forms of row e, with a template as its parameter.
func (m *matching) rowForms(template string) string {
	return ` AND (SELECT w.keys FROM word w WHERE w.entry = e.id AND w.store = ` + m.storeOf("e") + `) @@
	replace(` + template + `::text, '` + noPartition + `', e.store::text || chr(96 + e.label))::tsquery`
}

// tsquery returns a tsquery for at least one of queries in at least one of partitions.
func tsquery(partitions []string, queries []lexical.FormQuery) string {
	var either []string
	for _, partition := range partitions {
		for _, query := range queries {
			either = append(either, "("+inPartition(partition, query)+")")
		}
	}
	return strings.Join(either, " | ")
}

// inPartition returns a tsquery for a query in a partition.
func inPartition(partition string, q lexical.FormQuery) string {
	formula := func(e lexical.FormExpr) string {
		return e.Formula(" & ", " | ", func(form string, prefix bool) string {
			key := "'" + lexical.FormKey(partition, form) + "'" // no key contains a quote
			if prefix {
				key += ":*"
			}
			return key
		})
	}
	var all []string
	if !q.Some.Empty() {
		all = append(all, formula(q.Some))
	}
	for _, none := range q.None {
		all = append(all, "!"+formula(none))
	}
	return strings.Join(all, " & ")
}
