package vectortest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
)

var labels = []acl.Label{acl.Public, acl.Internal, acl.Confidential, acl.Restricted}

func emptyScope(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)))
	for name, scope := range map[string]acl.Scope{
		"zero scope":                {},
		"store without a number":    acltest.Scope(t, acltest.Reach{Number: 0, Ceiling: acl.Restricted}),
		"store without any entries": acltest.Scope(t, acltest.Reach{Number: 2, Ceiling: acl.Restricted}),
	} {
		if hits := p.search(t, scope, vector.Query{Vector: axis(0), Limit: 10}); len(hits) > 0 {
			t.Errorf("%s: %d hits", name, len(hits))
		}
		if hits := p.search(t, scope, vector.Query{Vector: axis(0), Limit: 10, Only: []uuid.UUID{id(1)}}); len(hits) > 0 {
			t.Errorf("%s: %d hits by id", name, len(hits))
		}
	}
}

func emptyIndex(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	if hits := p.search(t, everything(t, 3), vector.Query{Vector: axis(0), Limit: 10}); len(hits) > 0 {
		t.Errorf("%d hits", len(hits))
	}
}

func storeIsolation(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t,
		record(1, 0, 1, acl.Public, axis(0)),
		record(2, 0, 2, acl.Public, mix(dim, 0, .8, 1, .6)),
		record(3, 0, 12, acl.Public, mix(dim, 0, .6, 1, .8)),
	)
	query := vector.Query{Vector: axis(0), Limit: 10}
	reach := func(n int64) acltest.Reach { return acltest.Reach{Number: n, Ceiling: acl.Restricted} }
	wantIDs(t, p.search(t, acltest.Scope(t, reach(1)), query), 1)
	wantIDs(t, p.search(t, acltest.Scope(t, reach(2)), query), 2)
	wantIDs(t, p.search(t, acltest.Scope(t, reach(12), reach(1)), query), 1, 3)
	// Only visible entries count towards the limit.
	query.Limit = 1
	wantIDs(t, p.search(t, acltest.Scope(t, reach(12)), query), 3)
}

func labelCeiling(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	for store := range int64(2) {
		for i, label := range labels {
			n := int(store)*10 + int(label)
			p.upsert(t, record(n, 0, store+1, label, mix(dim, 0, .8, 1+i+4*int(store), .6)))
		}
	}
	for _, one := range labels {
		for _, two := range labels {
			scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: one}, acltest.Reach{Number: 2, Ceiling: two})
			hits := p.search(t, scope, vector.Query{Vector: axis(0), Limit: 10})
			if len(hits) != int(one)+int(two) {
				t.Errorf("ceilings %v and %v: %d hits, want %d", one, two, len(hits), int(one)+int(two))
			}
			p.check(t, scope, vector.Query{Vector: axis(0), Limit: 10})
		}
	}
}

// hiddenVectors compares two indexes: one with visible vectors only, and one in which hidden
// vectors were also written, before, between and after the visible ones. Their answers must be
// equal.
func hiddenVectors(t *testing.T, f *fixture) {
	r := rand.New(rand.NewPCG(11, 12))
	const visibleEntries, hiddenPerVisible = 60, 4
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Internal}, acltest.Reach{Number: 2, Ceiling: acl.Public})
	query := vector.Query{Vector: direction(r, dim), Limit: 15}
	bare, mixed := f.pair(t, dim), f.pair(t, dim)
	next := visibleEntries
	var batch, plain []vector.Record
	for n := range visibleEntries {
		for range hiddenPerVisible {
			next++
			hidden := []struct {
				store int64
				label acl.Label
			}{{1, acl.Confidential}, {1, acl.Restricted}, {2, acl.Internal}, {3, acl.Public}, {3, acl.Restricted}}[r.IntN(5)]
			v := query.Vector // a hidden vector: as near as possible, or random
			if r.IntN(2) == 0 {
				v = direction(r, dim)
			}
			batch = append(batch, record(next, 0, hidden.store, hidden.label, v))
		}
		visible := record(n, 0, int64(n%2+1), acl.Public, direction(r, dim))
		batch, plain = append(batch, visible), append(plain, visible)
	}
	bare.upsert(t, plain...)
	for part := range slices.Chunk(batch, 50) {
		mixed.upsert(t, part...)
	}
	var named []uuid.UUID
	for n := range next {
		named = append(named, id(n))
	}
	onlySome := query
	onlySome.Only = named
	for _, query := range []vector.Query{query, onlySome} {
		if f.options.Approximate {
			mixed.check(t, scope, query)
			continue
		}
		want, got := bare.search(t, scope, query), mixed.search(t, scope, query)
		sortHits(want)
		sortHits(got)
		same := func(a, b vector.Hit) bool {
			return a.Entry == b.Entry && math.Float64bits(a.Score) == math.Float64bits(b.Score)
		}
		if !slices.EqualFunc(want, got, same) {
			t.Fatalf("with hidden vectors %v, without %v", got, want)
		}
	}
}

func only(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	for n := range 10 {
		p.upsert(t, record(n, 0, 1, acl.Public, mix(dim, 0, float32(n)/10, 1, float32(math.Sqrt(1-float64(n*n)/100)))))
	}
	scope := everything(t, 1)
	search := func(limit int, entries ...uuid.UUID) []vector.Hit {
		return p.search(t, scope, vector.Query{Vector: axis(0), Limit: limit, Only: entries})
	}
	wantIDs(t, search(10, id(3), id(7), id(5)), 7, 5, 3)
	wantIDs(t, search(2, id(3), id(7), id(5)), 7, 5)
	wantIDs(t, search(10, id(4), id(4), id(999)), 4)
	wantIDs(t, search(10, id(999)))
	if hits := p.search(t, scope, vector.Query{Vector: axis(0), Limit: 10, Only: []uuid.UUID{}}); len(hits) > 0 {
		t.Errorf("%d hits of an empty list of entries", len(hits))
	}
	many := make([]uuid.UUID, vector.MaxOnly)
	for n := range many {
		many[n] = id(n)
	}
	if hits := search(100, many...); len(hits) != 10 {
		t.Errorf("%d hits of %d ids, want 10", len(hits), len(many))
	}
}

func onlyOutsideScope(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t,
		record(1, 0, 1, acl.Public, axis(0)),
		record(2, 0, 1, acl.Confidential, axis(0)),
		record(3, 0, 2, acl.Public, axis(0)),
	)
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Internal})
	wantIDs(t, p.search(t, scope, vector.Query{Vector: axis(0), Limit: 10, Only: []uuid.UUID{id(1), id(2), id(3)}}), 1)
	wantIDs(t, p.search(t, scope, vector.Query{Vector: axis(0), Limit: 10, Only: []uuid.UUID{id(2), id(3)}}))
}
