package postgres

import (
	"context"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// The reads of one question. Each is restricted by store and label (see
// scopeTable) before anything is counted or ranked. LATERAL and OFFSET 0 hold
// the planner to one probe a store and term, whatever its statistics say.
const (
	selectTotals = scopeTable + `SELECT coalesce(sum(t.documents), 0)::bigint, coalesce(sum(t.length), 0)::bigint FROM scope
	JOIN total t ON t.store = scope.store AND t.label <= scope.ceiling`
	selectGone = scopeTable + `SELECT e.store, e.place, e.length FROM scope CROSS JOIN ` + labels + `
	JOIN entry e ON e.store = scope.store AND e.label = l.label
	WHERE l.label <= scope.ceiling AND e.state = 0 AND e.expires_at <= $3 AND e.length IS NOT NULL`
	selectMatches = scopeTable + `SELECT scope.store, q.place, p.block, p.data FROM scope
	CROSS JOIN unnest($3::bytea[]) WITH ORDINALITY q (term, place)
	CROSS JOIN LATERAL (SELECT x.block, x.data FROM posting x
		WHERE x.store = scope.store AND x.term = q.term AND x.label <= scope.ceiling OFFSET 0) p`
	selectPlaces = `SELECT e.store, e.place FROM entry e WHERE e.id = ANY($1)`
	selectNames  = `SELECT p.i, e.id FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY p (store, place, i)
	JOIN entry e ON e.store = p.store AND e.place = p.place`
)

// where names a document.
type where struct{ store, place int64 }

// Lexical implements memory.LexicalLeg. It evaluates the question in full: all
// postings of its terms in the scope are read, so that document counts are
// exact and no entry outside can have any part in them.
func (r *reader) Lexical(ctx context.Context, scope acl.Scope, q memory.LexicalQuery) ([]lexical.Hit, error) {
	stores := scope.Indexed()
	if len(stores) == 0 || len(q.Terms) == 0 || q.Limit <= 0 || q.Only != nil && len(q.Only) == 0 {
		return nil, nil
	}
	m := matchPool.Get().(*matches)
	defer matchPool.Put(m)
	m.reset(len(q.Terms))
	r.seeStores(stores)
	stats, only, err := r.readMatches(ctx, m, stores, q)
	if err != nil {
		return nil, err
	}
	best := top{limit: q.Limit}
	m.score(lexical.NewScorer(stats, q.Terms, m.found), func(at where, score float64) {
		if only == nil || only[at] {
			best.offer(at, score)
		}
	})
	return r.name(ctx, best.ranked())
}

var matchPool = sync.Pool{New: func() any { return new(matches) }}

// readMatches reads, in one round trip, the counts of the scope, what has
// expired in it but was not swept (which counts for nothing), the postings of
// the question's terms, and where the ids of q.Only are: nil for all.
func (r *reader) readMatches(ctx context.Context, m *matches, stores []acl.Access, q memory.LexicalQuery) (stats lexical.Stats, only map[where]bool, err error) {
	numbers, ceilings := scopeLists(stores)
	terms := make([][]byte, len(q.Terms))
	for i, t := range q.Terms {
		terms[i] = []byte(termKey(t.Text))
	}
	var gone map[where]bool
	questions := []question{
		{selectTotals, []any{numbers, ceilings}, func(rows pgx.Rows) error {
			return rows.Scan(&stats.Documents, &stats.Length)
		}},
		{selectGone, []any{numbers, ceilings, q.Now}, func(rows pgx.Rows) error {
			var at where
			var length int64
			if err := rows.Scan(&at.store, &at.place, &length); err != nil {
				return err
			}
			if gone == nil {
				gone = make(map[where]bool)
			}
			gone[at] = true
			stats.Documents--
			stats.Length -= length
			return nil
		}},
	}
	var store, place int64
	var block int32
	var data pgtype.DriverBytes
	into := []any{&store, &place, &block, &data}
	questions = append(questions, question{selectMatches, []any{numbers, ceilings, terms}, func(rows pgx.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		return m.add(store, block, int(place-1), data, gone)
	}})
	if q.Only != nil {
		only = make(map[where]bool, len(q.Only))
		questions = append(questions, question{selectPlaces, []any{idList(q.Only)}, func(rows pgx.Rows) error {
			var at where
			err := rows.Scan(&at.store, &at.place)
			only[at] = true
			return err
		}})
	}
	return stats, only, r.ask(ctx, questions)
}

// name gives ranked documents their ids.
func (r *reader) name(ctx context.Context, ranked []scored) ([]lexical.Hit, error) {
	if len(ranked) == 0 {
		return nil, nil
	}
	stores, places := make([]int64, len(ranked)), make([]int64, len(ranked))
	hits := make([]lexical.Hit, len(ranked))
	for i, s := range ranked {
		stores[i], places[i], hits[i].Score = s.store, s.place, s.score
	}
	err := r.each(ctx, func(rows pgx.Rows) error {
		var i int64
		var id uuid.UUID
		if err := rows.Scan(&i, (*[16]byte)(&id)); err != nil {
			return err
		}
		hits[i-1].Entry = id
		return nil
	}, selectNames, stores, places)
	return hits, err
}
