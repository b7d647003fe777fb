package flat

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
	"mneme/vector/vectortest"
)

func TestContractWithQuantizedSegmentsAndPortableKernels(t *testing.T) {
	vectortest.Run(t, func(_ testing.TB, dim int) vector.Index {
		x := quantizing(New(dim), 3)
		x.dot, x.multiply = dotPortable, multiplyPortable
		return x
	}, vectortest.Options{})
}

// The data has all kinds of difficult cases: equal vectors, which tie; entries with several
// chunks, some without a first chunk; and vectors whose score is above 1 before it is clamped.
func TestTiesAndChunksAreFoundWithQuantizedSegments(t *testing.T) {
	const dim = 24
	ctx, r := context.Background(), rand.New(rand.NewPCG(11, 12))
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public})
	for round := range 60 {
		plain, coded := New(dim), quantizing(New(dim), 16)
		plain.multiply = nil
		var few [][]float32
		for range 1 + r.IntN(12) {
			few = append(few, unitVector(r, dim))
		}
		var records []vector.Record
		for n := range 300 {
			first := r.IntN(3) / 2
			for chunk := range 1 + r.IntN(4) {
				records = append(records, vector.Record{
					Entry: uuid.UUID{byte(n), byte(n >> 8)}, Chunk: first + chunk, Store: 1, Label: acl.Public, Vector: vector.ToHalf(few[r.IntN(len(few))]),
				})
			}
		}
		for _, x := range []*Index{plain, coded} {
			if err := x.Upsert(ctx, records); err != nil {
				t.Fatal(err)
			}
		}
		for _, limit := range []int{1, 2, 10, 150, 299, 1000} {
			query := vector.Query{Vector: few[r.IntN(len(few))], Limit: limit}
			want, err := plain.Search(ctx, scope, query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := coded.Search(ctx, scope, query)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, limit %d: %d hits, without quantized segments %d", round, limit, len(got), len(want))
			}
		}
	}
}

func TestExtremeRowsScoreWithinTheirBounds(t *testing.T) {
	const n, rows = 72, 6
	least, greatest := uint16(1), uint16(0x7bff) // the least and the greatest positive half
	for name, fill := range map[string]func(row, i int) uint16{
		"zeros":                func(int, int) uint16 { return 0 },
		"least":                func(int, int) uint16 { return least },
		"signs":                func(row, i int) uint16 { return least | uint16((row+i)%2)<<15 },
		"one row":              func(row, i int) uint16 { return greatest * uint16(max(0, 1-row)) },
		"the least and others": func(row, i int) uint16 { return [2]uint16{least, 0x3c00}[(row*i)%2] },
	} {
		halves := make([]uint16, n*rows)
		for i := range halves {
			halves[i] = fill(i/n, i%n)
		}
		z := newQuantized(halves, n)
		query := unitVector(rand.New(rand.NewPCG(1, 2)), n)
		for _, multiply := range []intKernel{multiplyPortable, kernelOrPortable()} {
			bounds, scores := make([]float32, rows), make([]float32, rows)
			quantizeQuery(query).bounds(bounds, make([]int32, rows), z, dotPortable, multiply)
			dotPortable(scores, query, halves)
			for i := range scores {
				if !(scores[i] <= bounds[i]) {
					t.Errorf("%s: row %d scores %v, bound %v", name, i, scores[i], bounds[i])
				}
			}
		}
	}
}

func TestPoolsDoNotRetainTheScan(t *testing.T) {
	x := filled(t, 1, 100)
	spans, rows := x.visible(acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public}), nil)
	use := func() (weak.Pointer[scan], weak.Pointer[worker]) {
		s := newScan(x, spans, rows, make([]float32, x.stride), 3, 3)
		s.workers[0].gather(0, &spans[0], 0)
		s.release()
		return weak.Make(s), weak.Make(&s.workers[0])
	}
	scanned, worked := use()
	pooled := []any{scorePool.Get(), batchPool.Get(), seedPool.Get(), topKPool.Get()}
	runtime.GC()
	if scanned.Value() != nil || worked.Value() != nil {
		t.Errorf("kept: the scan %v, its workers %v", scanned.Value() != nil, worked.Value() != nil)
	}
	runtime.KeepAlive(pooled)
}

func TestSeedsAreTheGreatestFirstChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		limit, s := 1+r.IntN(20), seeds{}
		s.limit = limit
		var firsts []float32
		for range r.IntN(6) {
			bounds, rows := make([]float32, 16), &span{chunks: make([]uint32, 16)}
			for i := range bounds {
				bounds[i], rows.chunks[i] = float32(r.IntN(50)), uint32(r.IntN(2))
				if rows.chunks[i] == 0 {
					firsts = append(firsts, bounds[i])
				}
			}
			s.choose(bounds, rows)
		}
		slices.SortFunc(firsts, func(a, b float32) int { return int(b - a) })
		want := float32(math.Inf(-1))
		if len(firsts) >= limit {
			want = firsts[limit-1]
		}
		if got := s.least(); got != want || len(s.heap) != min(limit, len(firsts)) {
			t.Fatalf("limit %d: least %v of %d seeds, want %v", limit, got, len(s.heap), want)
		}
	}
}
