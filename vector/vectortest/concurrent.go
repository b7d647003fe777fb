package vectortest

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
)

// concurrent writes and searches concurrently, mainly for the race detector. It also checks
// that no search leaves its scope and that the last write of each writer is found.
func concurrent(t *testing.T, f *fixture) {
	const writers, rounds, entries = 3, 15, 20
	p, ctx := f.pair(t, dim), context.Background()
	hidden := make(map[uuid.UUID]bool) // always in store 2
	for n := range entries {
		hidden[id(1000+n)] = true
	}
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Restricted})
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			r := rand.New(rand.NewPCG(61, uint64(w)))
			for range rounds {
				var records []vector.Record
				for n := w; n < entries; n += writers {
					for chunk := range 1 + r.IntN(3) {
						records = append(records, record(n, chunk, 1, labels[n%4], direction(r, dim)))
					}
					records = append(records, record(1000+n, 0, 2, acl.Public, direction(r, dim)))
				}
				if err := p.index.Upsert(ctx, records); err != nil {
					t.Errorf("upsert: %v", err)
				}
				if err := p.index.Delete(ctx, []uuid.UUID{id(w), id(1000 + w)}); err != nil {
					t.Errorf("delete: %v", err)
				}
			}
			final := []vector.Record{record(w, 0, 1, acl.Public, axis(w))}
			if err := p.index.Upsert(ctx, final); err != nil {
				t.Errorf("upsert: %v", err)
			}
		})
	}
	for range 2 {
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				hits, err := p.index.Search(ctx, scope, vector.Query{Vector: axis(0), Limit: 5})
				if err != nil {
					t.Errorf("search: %v", err)
				}
				for _, hit := range hits {
					if hidden[hit.Entry] {
						t.Error("a hit of a store outside the scope")
					}
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	p.settle(t)
	for w := range writers {
		hits := p.search(t, scope, vector.Query{Vector: axis(w), Limit: 1, Only: []uuid.UUID{id(w)}})
		if len(hits) != 1 || math.Abs(hits[0].Score-1) > p.options.Tolerance {
			t.Errorf("writer %d: a search does not find its last upsert", w)
		}
	}
}

// atomicUpsert switches an entry between two states, which have different stores and chunks. A
// search of both stores must always find exactly one complete state. For the query, the second
// state scores .8 by its second chunk; a state without that chunk would score .6.
func atomicUpsert(t *testing.T, f *fixture) {
	p, ctx := f.pair(t, dim), context.Background()
	scope := everything(t, 2)
	states := [][]vector.Record{
		{record(1, 0, 1, acl.Public, axis(0))},
		{record(1, 0, 2, acl.Internal, axis(1)), record(1, 1, 2, acl.Internal, axis(2))},
	}
	for n := range 500 { // other entries in both stores, whose rows get moved
		p.upsert(t, record(100+n, 0, int64(n%2+1), labels[n%2], axis(7)))
	}
	p.upsert(t, states[0]...)
	var writing sync.WaitGroup
	writing.Go(func() {
		for round := range 400 {
			batch := append([]vector.Record{record(100+round, 0, 1, acl.Public, axis(8))}, states[round%2]...)
			if err := p.index.Upsert(ctx, batch); err != nil {
				t.Errorf("upsert: %v", err)
			}
			if err := p.index.Delete(ctx, []uuid.UUID{id(100 + round)}); err != nil {
				t.Errorf("delete: %v", err)
			}
		}
	})
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	for stop := false; !stop; {
		select {
		case <-done:
			stop = true
		default:
		}
		query := vector.Query{Vector: mix(dim, 1, .6, 2, .8), Limit: 10}
		var got []float64
		for _, hit := range p.search(t, scope, query) {
			if hit.Entry == id(1) {
				got = append(got, hit.Score)
			}
		}
		if len(got) != 1 && len(p.search(t, scope, vector.Query{Vector: axis(0), Limit: 1})) > 0 {
			// The first state scores 0 for this query, as all other entries do. All that tie
			// are returned, so the entry must be found in either state.
			t.Fatalf("the entry was found %d times", len(got))
		}
		if s := got[0]; math.Abs(s) > 1e-3 && math.Abs(s-.8) > 1e-3 {
			t.Fatalf("the entry scores %v: a partial upsert is visible", s)
		}
	}
}
