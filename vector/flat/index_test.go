package flat

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
	"mneme/vector/vectortest"
)

func TestContract(t *testing.T) {
	vectortest.Run(t, func(_ testing.TB, dim int) vector.Index { return New(dim) }, vectortest.Options{})
}

// The suite's data sets are small. With segments of three rows, and another goroutine for every
// two rows, they cover the same cases as large data sets.
func TestContractWithSmallSegments(t *testing.T) {
	vectortest.Run(t, func(_ testing.TB, dim int) vector.Index {
		x := New(dim)
		x.perSegment, x.perWorker = 3, 2
		return x
	}, vectortest.Options{})
}

func TestContractOfThePortableKernel(t *testing.T) {
	vectortest.Run(t, func(_ testing.TB, dim int) vector.Index {
		x := New(dim)
		x.dot = dotPortable
		return x
	}, vectortest.Options{})
}

func TestAnEmptiedIndexReleasesItsMemory(t *testing.T) {
	x := filled(t, 10, 40)
	if got := x.Stats(); got.Entries != 400 || got.Vectors != 400 {
		t.Errorf("filled: %+v", got)
	}
	for id := range x.entries {
		if err := x.Delete(context.Background(), []uuid.UUID{id}); err != nil {
			t.Fatal(err)
		}
	}
	if got := x.Stats(); got != (Stats{}) || len(x.stores) > 0 {
		t.Errorf("emptied: %+v and %d stores", got, len(x.stores))
	}
}

func TestNewPanicsWithoutADimension(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(0)
}

// A search reads a snapshot, unaffected by concurrent writes.
func TestRowsThatASearchReadsDoNotChange(t *testing.T) {
	x := filled(t, 1, 700)
	spans, rows := x.visible(acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public}), nil)
	if rows != 700 {
		t.Fatalf("%d rows", rows)
	}
	before := make([]span, len(spans))
	for i, s := range spans {
		before[i] = span{halves: slices.Clone(s.halves), ids: slices.Clone(s.ids), chunks: slices.Clone(s.chunks)}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for id := range x.entries {
		record := vector.Record{Entry: id, Store: 1, Label: acl.Public, Vector: vector.ToHalf(unitVector(r, benchDim))}
		if err := x.Upsert(context.Background(), []vector.Record{record}); err != nil {
			t.Fatal(err)
		}
		if r.IntN(2) == 0 {
			if err := x.Delete(context.Background(), []uuid.UUID{id}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, s := range spans {
		for j := range s.halves {
			if s.halves[j] != before[i].halves[j] {
				t.Fatalf("span %d: element %d changed", i, j)
			}
		}
		for j := range s.ids {
			if s.ids[j] != before[i].ids[j] || s.chunks[j] != before[i].chunks[j] {
				t.Fatalf("span %d: the entry of row %d changed", i, j)
			}
		}
	}
}

const benchDim = 384

// filled returns an index of the stores 1 to stores, with each PUBLIC entries
// of one chunk per store.
func filled(t testing.TB, stores, each int) *Index {
	t.Helper()
	x, r := New(benchDim), rand.New(rand.NewPCG(9, 10))
	for store := range stores {
		records := make([]vector.Record, each)
		for i := range records {
			id := uuid.UUID{}
			for j := range id {
				id[j] = byte(r.Uint32())
			}
			records[i] = vector.Record{Entry: id, Store: int64(store + 1), Label: acl.Public, Vector: vector.ToHalf(unitVector(r, benchDim))}
		}
		if err := x.Upsert(context.Background(), records); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func BenchmarkSearch(b *testing.B) {
	for _, size := range []struct {
		name         string
		stores, each int
	}{{"1x100000", 1, 100_000}, {"1000x100", 1000, 100}} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := filled(b, size.stores, size.each)
		runtime.GC()
		runtime.ReadMemStats(&after)
		held := float64(after.HeapAlloc-before.HeapAlloc) / float64(size.stores*size.each)
		query := vector.Query{Vector: unitVector(rand.New(rand.NewPCG(1, 1)), benchDim), Limit: 200}
		reaches := make([]acltest.Reach, size.stores)
		for i := range reaches {
			reaches[i] = acltest.Reach{Number: int64(i + 1), Ceiling: acl.Restricted}
		}
		for _, c := range []struct {
			name  string
			scope acl.Scope
			dot   kernel
			cores int
		}{
			{"all/portable/1core", acltest.Scope(b, reaches...), dotPortable, 1},
			{"all/" + runtime.GOARCH + "/1core", acltest.Scope(b, reaches...), chooseKernel(), 1},
			{"all/" + runtime.GOARCH, acltest.Scope(b, reaches...), chooseKernel(), 0},
			{"one/" + runtime.GOARCH, acltest.Scope(b, reaches[:1]...), chooseKernel(), 0},
		} {
			b.Run(size.name+"/"+c.name, func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.cores)) // 0 changes nothing
				x.dot = c.dot
				search := func() {
					if _, err := x.Search(context.Background(), c.scope, query); err != nil {
						b.Fatal(err)
					}
				}
				for range quantizedScans { // create the copies
					search()
				}
				for b.Loop() {
					search()
				}
				b.ReportMetric(held, "heap-B/vector")
				b.ReportMetric(float64(x.Stats().Bytes)/float64(x.Stats().Vectors), "stats-B/vector")
			})
		}
	}
}

func BenchmarkUpsert(b *testing.B) {
	x, r := filled(b, 1, 10_000), rand.New(rand.NewPCG(1, 1))
	scope := acltest.Scope(b, acltest.Reach{Number: 1, Ceiling: acl.Public})
	var ids []uuid.UUID
	for id := range x.entries {
		ids = append(ids, id)
	}
	v := vector.ToHalf(unitVector(r, benchDim))
	for _, searched := range []bool{false, true} {
		name := map[bool]string{false: "unread", true: "between searches"}[searched]
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if searched {
					x.visible(scope, nil) // a search reads every segment
				}
				record := vector.Record{Entry: ids[i%len(ids)], Store: 1, Label: acl.Public, Vector: v}
				if err := x.Upsert(context.Background(), []vector.Record{record}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSmallStore searches a store that is too small for quantized copies.
func BenchmarkSmallStore(b *testing.B) {
	corpus, r, x := newCone(), rand.New(rand.NewPCG(9, 10)), New(benchDim)
	records := make([]vector.Record, 600)
	for n := range records {
		records[n] = vector.Record{Entry: uuid.UUID{byte(n), byte(n >> 8)}, Store: 1, Label: acl.Public, Vector: vector.ToHalf(corpus.vector(r))}
	}
	if err := x.Upsert(context.Background(), records); err != nil {
		b.Fatal(err)
	}
	scope, query := acltest.Scope(b, acltest.Reach{Number: 1, Ceiling: acl.Public}), vector.Query{Vector: corpus.vector(r), Limit: 256}
	for b.Loop() {
		if _, err := x.Search(context.Background(), scope, query); err != nil {
			b.Fatal(err)
		}
	}
}
