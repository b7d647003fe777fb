package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"sync"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// The reads of one question. Each is restricted by store and label (see
// scopeTable) before anything is counted or ranked.
const (
	selectTotals = scopeTable + `SELECT coalesce(sum(t.documents), 0), coalesce(sum(t.length), 0) FROM scope
	CROSS JOIN total t ON t.store = scope.store AND t.label <= scope.ceiling`
	selectGone = scopeTable + `SELECT d.doc, d.length FROM scope
	CROSS JOIN entry e INDEXED BY entry_expiring ON e.store = scope.store AND e.label IN ` + labels + `
	CROSS JOIN document d ON d.doc = e.doc
	WHERE e.state = 0 AND e.label <= scope.ceiling AND e.expires_at <= ?2`
	selectBlocks = scopeTable + `, question (term, place) AS MATERIALIZED (SELECT value, key FROM json_each(?2))
	SELECT scope.store, q.place, p.label, p.first, p.block FROM scope CROSS JOIN question q
	CROSS JOIN posting p ON p.store = scope.store AND p.term = q.term AND p.label <= scope.ceiling`
	selectIDs  = "SELECT e.doc, e.id FROM json_each(?) j CROSS JOIN entry e ON e.doc = j.value"
	selectDocs = "SELECT e.doc FROM json_each(?) j CROSS JOIN entry e ON e.id = unhex(j.value)"
)

// Lexical implements memory.LexicalLeg. It evaluates the question in full: all
// postings of its terms in the scope are read, so that document counts are
// exact and no entry outside can have any part in them.
func (r *reader) Lexical(ctx context.Context, scope acl.Scope, q memory.LexicalQuery) ([]lexical.Hit, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || len(q.Terms) == 0 || q.Limit <= 0 || q.Only != nil && len(q.Only) == 0 {
		return nil, nil
	}
	within := scopeList(stores)
	var stats lexical.Stats
	if _, err := r.one(ctx, []any{&stats.Documents, &stats.Length}, selectTotals, within); err != nil {
		return nil, err
	}
	gone, err := r.gone(ctx, within, q, &stats)
	if err != nil {
		return nil, err
	}
	m := matchPool.Get().(*matches)
	defer matchPool.Put(m)
	if err := r.readMatches(ctx, m, within, q.Terms, gone); err != nil {
		return nil, err
	}
	only, err := r.docs(ctx, q.Only)
	if err != nil {
		return nil, err
	}
	scorer := lexical.NewScorer(stats, q.Terms, m.found)
	best := newTop(q.Limit)
	if err := m.score(ctx, scorer, func(doc int64, score float64) {
		if only == nil || only[doc] {
			best.offer(doc, score)
		}
	}); err != nil {
		return nil, err
	}
	return r.hits(ctx, best.ranked())
}

// gone finds the documents that have expired but were not swept, and takes
// them out of the counts.
func (r *reader) gone(ctx context.Context, within string, q memory.LexicalQuery, stats *lexical.Stats) (map[int64]bool, error) {
	var gone map[int64]bool
	err := r.each(ctx, func(rows *sql.Rows) error {
		var doc, length int64
		if err := rows.Scan(&doc, &length); err != nil {
			return err
		}
		if gone == nil {
			gone = make(map[int64]bool)
		}
		gone[doc] = true
		stats.Documents--
		stats.Length -= length
		return nil
	}, selectGone, within, micros(q.Now))
	return gone, err
}

var matchPool = sync.Pool{New: func() any { return new(matches) }}

// readMatches gathers the postings of the question's terms in the scope.
func (r *reader) readMatches(ctx context.Context, m *matches, within string, terms []lexical.QueryTerm, gone map[int64]bool) error {
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = t.Text
	}
	question, err := textList(texts)
	if err != nil {
		return err
	}
	m.reset(len(terms))
	var store, label, first int64
	var term int
	var bytes sql.RawBytes
	into := []any{&store, &term, &label, &first, &bytes}
	return r.each(ctx, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		return m.add(store, term, label, first, bytes, gone)
	}, selectBlocks, within, question)
}

// docs are the rows of the ids; nil for nil.
func (r *reader) docs(ctx context.Context, ids []uuid.UUID) (map[int64]bool, error) {
	if ids == nil {
		return nil, nil
	}
	docs := make(map[int64]bool, len(ids))
	err := r.each(ctx, func(rows *sql.Rows) error {
		var doc int64
		err := rows.Scan(&doc)
		docs[doc] = true
		return err
	}, selectDocs, idList(ids))
	return docs, err
}

// hits names ranked documents by their ids.
func (r *reader) hits(ctx context.Context, ranked []scored) ([]lexical.Hit, error) {
	if len(ranked) == 0 {
		return nil, nil
	}
	places := make(map[int64]int, len(ranked))
	docs := make([]int64, len(ranked))
	hits := make([]lexical.Hit, len(ranked))
	for i, s := range ranked {
		docs[i], places[s.doc], hits[i].Score = s.doc, i, s.score
	}
	slices.Sort(docs) // the order of the rows' pages
	err := r.each(ctx, func(rows *sql.Rows) error {
		var doc int64
		var id uuid.UUID
		if err := rows.Scan(&doc, (*idColumn)(&id)); err != nil {
			return err
		}
		hits[places[doc]].Entry = id
		return nil
	}, selectIDs, numberList(docs))
	return hits, err
}
