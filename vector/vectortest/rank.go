package vectortest

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mneme/acl"
	"mneme/vector"
)

func bestChunk(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t,
		record(1, 0, 1, acl.Public, axis(3)),
		record(1, 1, 1, acl.Public, mix(dim, 0, .8, 1, .6)),
		record(1, 2, 1, acl.Public, axis(4)),
		record(2, 0, 1, acl.Public, mix(dim, 0, .6, 1, .8)),
		record(2, 1, 1, acl.Public, mix(dim, 0, .6, 2, .8)),
	)
	query := vector.Query{Vector: axis(0), Limit: 10}
	hits := p.search(t, everything(t, 1), query)
	wantIDs(t, hits, 1, 2)
	if hits[0].Chunk != 1 {
		t.Errorf("the best chunk of entry 1 is %d, want 1", hits[0].Chunk)
	}
	p.check(t, everything(t, 1), query)
}

// manyChunks gives one entry so many near chunks that an index with a small limit would not
// collect those of any other entry.
func manyChunks(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	const chunks = 3000
	records := make([]vector.Record, 0, chunks+5)
	for n := range chunks {
		a := .9 + .05*float64(n)/chunks
		records = append(records, record(1, n, 1, acl.Public, mix(dim, 0, float32(a), 1, float32(math.Sqrt(1-a*a)))))
	}
	for n := range 5 {
		a := .1 * float64(n+1)
		records = append(records, record(10+n, 0, 1, acl.Public, mix(dim, 0, float32(a), 2, float32(math.Sqrt(1-a*a)))))
	}
	p.upsert(t, records...)
	hits := p.search(t, everything(t, 1), vector.Query{Vector: axis(0), Limit: 4})
	if f.options.Approximate {
		p.check(t, everything(t, 1), vector.Query{Vector: axis(0), Limit: 4})
		return
	}
	wantIDs(t, hits, 1, 14, 13, 12)
}

func limit(t *testing.T, f *fixture) {
	p, r := f.pair(t, dim), rand.New(rand.NewPCG(21, 22))
	var records []vector.Record
	for n := range 300 {
		records = append(records, record(n, 0, 1, acl.Public, direction(r, dim)))
	}
	p.upsert(t, records...)
	for _, limit := range []int{1, 2, 10, 100, 299, 300} {
		hits := p.search(t, everything(t, 1), vector.Query{Vector: axis(0), Limit: limit})
		if !f.options.Approximate && len(hits) != limit {
			t.Errorf("limit %d: %d hits", limit, len(hits))
		}
		if found := p.check(t, everything(t, 1), vector.Query{Vector: axis(0), Limit: limit}); found < f.options.Recall {
			t.Errorf("limit %d: recall %v", limit, found)
		}
	}
}

func wideLimit(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)), record(2, 0, 1, acl.Public, axis(1)))
	for _, limit := range []int{2, 200, 10_000} {
		wantIDs(t, p.search(t, everything(t, 1), vector.Query{Vector: mix(dim, 0, .8, 1, .6), Limit: limit}), 1, 2)
	}
}

// bounded tests indexes that implement vector.Bounded.
func bounded(t *testing.T, f *fixture) {
	p, r := f.pair(t, dim), rand.New(rand.NewPCG(61, 62))
	index, ok := p.index.(vector.Bounded)
	if !ok {
		t.Skip("the index does not implement vector.Bounded")
	}
	written, most := 0, f.options.MaxChunks
	for _, c := range []struct {
		entries, limit int
		cut            bool
	}{{20, most + 20, false}, {most + 10, 10, false}, {most + 10, most + 20, true}} {
		var records []vector.Record
		for ; written < c.entries; written++ {
			records = append(records, record(written, 0, 1, acl.Public, direction(r, dim)))
		}
		p.upsert(t, records...)
		query := vector.Query{Vector: axis(0), Limit: c.limit}
		hits, cut, err := index.SearchBounded(context.Background(), everything(t, 1), query)
		if err != nil {
			t.Fatalf("search: %v", err)
		}
		want := min(c.entries, c.limit, most)
		if len(hits) != want || cut != c.cut || len(p.search(t, everything(t, 1), query)) != want {
			t.Errorf("%d of %d entries, limit %d, cut %v", len(hits), c.entries, c.limit, cut)
		}
	}
}

func ties(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	same := mix(dim, 0, .6, 1, .8)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)))
	for n := range 1500 { // in two stores and at two labels, some with a second chunk
		records := []vector.Record{record(100+n, 0, int64(n%2+1), labels[n%4/2], same)}
		if n%3 == 0 {
			records = append(records, record(100+n, 1, int64(n%2+1), labels[n%4/2], axis(5)))
		}
		p.upsert(t, records...)
	}
	p.upsert(t, record(2, 0, 1, acl.Public, mix(dim, 0, .5, 1, float32(math.Sqrt(.75)))))
	for _, c := range []struct{ limit, want int }{{1, 1}, {2, 1501}, {700, 1501}, {1501, 1501}, {1502, 1502}} {
		hits := p.search(t, everything(t, 2), vector.Query{Vector: axis(0), Limit: c.limit})
		if len(hits) != c.want {
			t.Errorf("limit %d: %d hits, want %d", c.limit, len(hits), c.want)
		}
	}
}

func equalVectors(t *testing.T, f *fixture) {
	p, r := f.pair(t, dim), rand.New(rand.NewPCG(31, 32))
	same, query := direction(r, dim), direction(r, dim)
	var records []vector.Record
	twins := make(map[any]bool)
	for n := range 200 {
		v := direction(r, dim)
		if n%3 == 0 {
			v, twins[id(n)] = same, true
		}
		records = append(records, record(n, 0, int64(n%5+1), labels[n%4], v))
	}
	p.upsert(t, records...)
	score := math.NaN()
	for _, hit := range p.search(t, everything(t, 5), vector.Query{Vector: query, Limit: 200}) {
		if !twins[hit.Entry] {
			continue
		}
		if math.IsNaN(score) {
			score = hit.Score
		}
		if hit.Score != score {
			t.Fatalf("equal vectors score %v and %v", hit.Score, score)
		}
	}
}

func oddDimension(t *testing.T, f *fixture) {
	for _, dim := range []int{2, 7, 33} {
		p, r := f.pair(t, dim), rand.New(rand.NewPCG(41, uint64(dim)))
		var records []vector.Record
		for n := range 50 {
			records = append(records, record(n, 0, 1, acl.Public, direction(r, dim)))
		}
		p.upsert(t, records...)
		p.check(t, everything(t, 1), vector.Query{Vector: direction(r, dim), Limit: 50})
	}
}

// againstModel fills several stores and labels and compares many answers with the model's.
func againstModel(t *testing.T, f *fixture) {
	const wide = 48
	p, r := f.pair(t, wide), rand.New(rand.NewPCG(51, 52))
	var records []vector.Record
	for n := range 2000 {
		store, label := int64(r.IntN(4)+1), labels[r.IntN(4)]
		for chunk := range 1 + r.IntN(3) {
			records = append(records, record(n, chunk, store, label, direction(r, wide)))
		}
	}
	p.upsert(t, records...)
	found, queries := 0.0, 40
	for range queries {
		found += p.check(t, someScope(t, r.IntN), vector.Query{Vector: direction(r, wide), Limit: 1 + r.IntN(50)})
	}
	if recall := found / float64(queries); recall < f.options.Recall {
		t.Errorf("recall %v, want %v", recall, f.options.Recall)
	}
}
