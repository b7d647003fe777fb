package vectortest

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
)

func replaceChunks(t *testing.T, f *fixture) {
	p, scope := f.pair(t, dim), everything(t, 1)
	p.upsert(t,
		record(1, 0, 1, acl.Public, axis(0)),
		record(1, 1, 1, acl.Public, axis(1)),
		record(1, 2, 1, acl.Public, axis(2)),
		record(2, 0, 1, acl.Public, mix(dim, 2, .6, 3, .8)),
	)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(5)), record(1, 1, 1, acl.Public, axis(6)))
	for i := range 7 {
		p.check(t, scope, vector.Query{Vector: axis(i), Limit: 10})
	}
	wantIDs(t, p.search(t, scope, vector.Query{Vector: axis(2), Limit: 1}), 2)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(2))) // fewer chunks again
	for i := range 7 {
		p.check(t, scope, vector.Query{Vector: axis(i), Limit: 10})
	}
}

func moveStore(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)), record(1, 1, 1, acl.Public, axis(1)))
	p.upsert(t, record(1, 0, 2, acl.Public, axis(0)), record(1, 1, 2, acl.Public, axis(1)))
	query := vector.Query{Vector: axis(0), Limit: 10}
	wantIDs(t, p.search(t, acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Restricted}), query))
	wantIDs(t, p.search(t, acltest.Scope(t, acltest.Reach{Number: 2, Ceiling: acl.Restricted}), query), 1)
	wantIDs(t, p.search(t, everything(t, 2), query), 1)
}

func moveLabel(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	low := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public})
	query := vector.Query{Vector: axis(0), Limit: 10}
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)))
	p.upsert(t, record(1, 0, 1, acl.Restricted, axis(0)))
	wantIDs(t, p.search(t, low, query))
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)))
	wantIDs(t, p.search(t, low, query), 1)
}

func mixedBatch(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t,
		record(1, 1, 1, acl.Public, axis(1)),
		record(2, 0, 2, acl.Internal, axis(2)),
		record(1, 0, 1, acl.Public, axis(0)),
		record(2, 7, 2, acl.Internal, axis(3)), // chunk numbers may have gaps
	)
	for i := range 4 {
		p.check(t, everything(t, 2), vector.Query{Vector: axis(i), Limit: 10})
	}
}

func emptyUpsert(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t)
	p.remove(t)
}

func deleted(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	var entries []uuid.UUID
	for n := range 40 {
		p.upsert(t, record(n, 0, int64(n%3+1), acl.Public, mix(dim, n%dim, .8, (n+1)%dim, .6)), record(n, 1, int64(n%3+1), acl.Public, axis((n+5)%dim)))
		if n%2 == 0 {
			entries = append(entries, id(n))
		}
	}
	check := func() {
		t.Helper()
		for i := range dim {
			p.check(t, everything(t, 3), vector.Query{Vector: axis(i), Limit: 100})
		}
	}
	p.remove(t, entries[:7]...)
	check()
	p.remove(t, entries...) // some are deleted already
	check()
	if hits := p.search(t, everything(t, 3), vector.Query{Vector: axis(0), Limit: 100, Only: entries}); len(hits) > 0 {
		t.Errorf("%d hits of deleted entries", len(hits))
	}
}

func deleteUnknown(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.remove(t, id(1))
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)))
	p.remove(t, id(2), id(3))
	wantIDs(t, p.search(t, everything(t, 1), vector.Query{Vector: axis(0), Limit: 10}), 1)
}

func deleteAndReturn(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)), record(1, 1, 1, acl.Public, axis(1)))
	p.remove(t, id(1), id(1))
	p.upsert(t, record(1, 0, 1, acl.Public, axis(2)))
	for i := range 3 {
		p.check(t, everything(t, 1), vector.Query{Vector: axis(i), Limit: 10})
	}
}

func badQuery(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)))
	nan := axis(0)
	nan[3] = float32(math.NaN())
	for name, c := range map[string]struct {
		query vector.Query
		want  error
	}{
		"short vector":  {vector.Query{Vector: axis(0)[:dim-1], Limit: 1}, vector.ErrDimension},
		"long vector":   {vector.Query{Vector: append(axis(0), 0), Limit: 1}, vector.ErrDimension},
		"no vector":     {vector.Query{Limit: 1}, vector.ErrDimension},
		"NaN":           {vector.Query{Vector: nan, Limit: 1}, vector.ErrNotUnit},
		"limit 0":       {vector.Query{Vector: axis(0)}, vector.ErrBadQuery},
		"limit below 0": {vector.Query{Vector: axis(0), Limit: -3}, vector.ErrBadQuery},
		"too many ids":  {vector.Query{Vector: axis(0), Limit: 1, Only: make([]uuid.UUID, vector.MaxOnly+1)}, vector.ErrBadQuery},
	} {
		hits, err := p.index.Search(context.Background(), everything(t, 1), c.query)
		if !errors.Is(err, c.want) || len(hits) > 0 {
			t.Errorf("%s: %d hits and error %v, want %v", name, len(hits), err, c.want)
		}
		// An invalid query is an error even if the scope is empty.
		if _, err := p.index.Search(context.Background(), acl.Scope{}, c.query); !errors.Is(err, c.want) {
			t.Errorf("%s in an empty scope: error %v, want %v", name, err, c.want)
		}
	}
}

func badRecord(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	good := record(1, 0, 1, acl.Public, axis(0))
	with := func(change func(*vector.Record)) []vector.Record {
		r := good
		r.Entry, r.Vector = id(2), slices.Clone(r.Vector)
		change(&r)
		return []vector.Record{good, r}
	}
	for name, c := range map[string]struct {
		records []vector.Record
		want    error
	}{
		"short vector":      {with(func(r *vector.Record) { r.Vector = r.Vector[:dim-1] }), vector.ErrDimension},
		"long vector":       {with(func(r *vector.Record) { r.Vector = append(r.Vector, 0) }), vector.ErrDimension},
		"NaN":               {with(func(r *vector.Record) { r.Vector[1] = 0x7e00 }), vector.ErrNotUnit},
		"infinity":          {with(func(r *vector.Record) { r.Vector[1] = 0x7c00 }), vector.ErrNotUnit},
		"store 0":           {with(func(r *vector.Record) { r.Store = 0 }), vector.ErrBadRecord},
		"no label":          {with(func(r *vector.Record) { r.Label = 0 }), vector.ErrBadRecord},
		"chunk below 0":     {with(func(r *vector.Record) { r.Chunk = -1 }), vector.ErrBadRecord},
		"a chunk twice":     {with(func(r *vector.Record) { r.Entry = id(1) }), vector.ErrBadRecord},
		"an entry's stores": {with(func(r *vector.Record) { r.Entry, r.Chunk, r.Store = id(1), 1, 2 }), vector.ErrBadRecord},
		"an entry's labels": {with(func(r *vector.Record) { r.Entry, r.Chunk, r.Label = id(1), 1, acl.Internal }), vector.ErrBadRecord},
	} {
		if err := p.index.Upsert(context.Background(), c.records); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	p.settle(t)
	wantIDs(t, p.search(t, everything(t, 2), vector.Query{Vector: axis(0), Limit: 10}))
}

func endedContext(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	p.upsert(t, record(1, 0, 1, acl.Public, axis(0)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if hits, err := p.index.Search(ctx, everything(t, 1), vector.Query{Vector: axis(0), Limit: 1}); !errors.Is(err, context.Canceled) || len(hits) > 0 {
		t.Errorf("search: %d hits, error %v", len(hits), err)
	}
	if err := p.index.Upsert(ctx, []vector.Record{record(2, 0, 1, acl.Public, axis(0))}); !errors.Is(err, context.Canceled) {
		t.Errorf("upsert: error %v", err)
	}
	if err := p.index.Delete(ctx, []uuid.UUID{id(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("delete: error %v", err)
	}
}

func callersMemory(t *testing.T, f *fixture) {
	p := f.pair(t, dim)
	records := []vector.Record{record(1, 0, 1, acl.Public, axis(0))}
	p.upsert(t, records...)
	clear(records[0].Vector)
	records[0] = vector.Record{}
	p.check(t, everything(t, 1), vector.Query{Vector: axis(0), Limit: 1})
}
