package flat

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
	"mneme/vector/vectortest"
)

// kernelOrPortable returns this machine's kernel for quantized rows, or the portable one.
func kernelOrPortable() intKernel {
	if k := chooseIntKernel(); k != nil {
		return k
	}
	return multiplyPortable
}

// quantizing sets the limits of an index so that it quantizes every segment at its first scan,
// however small.
func quantizing(x *Index, perSegment int) *Index {
	x.perSegment, x.perWorker, x.multiply = perSegment, 2, kernelOrPortable()
	x.quantizeAt, x.quantizeLeast, x.quantizeAfter = 0, 1, 1
	return x
}

func TestContractWithQuantizedSegments(t *testing.T) {
	vectortest.Run(t, func(_ testing.TB, dim int) vector.Index { return quantizing(New(dim), 3) }, vectortest.Options{})
}

func TestEveryIntKernelComputesTheSameSums(t *testing.T) {
	fast := kernelOrPortable()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{8, 64, 72, 384, 512, 576, 1536, 8192} {
		bytes := packedBytes(n)
		for count := range 11 {
			query, rows := make([]int8, 4*bytes), make([]byte, bytes*count)
			for i := range query {
				query[i] = int8(r.IntN(127) - 63)
			}
			for i := range rows {
				rows[i] = byte(r.IntN(256))
			}
			if count > 0 && r.IntN(2) == 0 { // the greatest sums
				sign := int8(1 - 2*r.IntN(2))
				for i := range query {
					query[i] = 63 * sign
				}
				for i := range rows {
					rows[i] = 0xff
				}
			}
			want, got := make([]int32, count), make([]int32, count)
			multiplyPortable(want, query, rows)
			fast(got, query, rows)
			if !slices.Equal(want, got) {
				t.Errorf("%d elements, %d rows: %v, portable %v", n, count, got, want)
			}
		}
	}
}

// encoders are distributions of unit vectors that resemble the vectors of text encoders.
var encoders = []struct {
	name   string
	vector func(r *rand.Rand, dim int) []float32
}{
	{"all directions", unitVector},
	{"a cone", func(r *rand.Rand, dim int) []float32 { return scaled(r, dim, func(int) float64 { return 1 }, .3) }},
	{"a narrow cone", func(r *rand.Rand, dim int) []float32 { return scaled(r, dim, func(int) float64 { return 1 }, .001) }},
	{"one large element", func(r *rand.Rand, dim int) []float32 {
		return scaled(r, dim, func(i int) float64 { return 20 * float64(max(0, 1-i)) }, 1)
	}},
	{"few directions", func(r *rand.Rand, dim int) []float32 {
		v := make([]float32, dim)
		v[r.IntN(min(dim, 3))] = float32(1 - 2*r.IntN(2))
		return v
	}},
	{"subnormal halves", func(r *rand.Rand, dim int) []float32 {
		return scaled(r, dim, func(i int) float64 { return float64(max(0, 1-i)) }, 1e-6)
	}},
}

// scaled returns a random vector around mean, scaled to unit length. spread is the size of the
// random part.
func scaled(r *rand.Rand, dim int, mean func(i int) float64, spread float64) []float32 {
	v, square := make([]float32, dim), 0.0
	for i := range v {
		v[i] = float32(mean(i) + spread*r.NormFloat64())
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

func TestNoScoreIsAboveItsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, encoder := range encoders {
		for _, dim := range []int{1, 7, 8, 24, 384, 1536} {
			n := stride(dim)
			const rows = 19
			var halves []uint16
			for range rows {
				row := make([]uint16, n)
				copy(row, vector.ToHalf(encoder.vector(r, dim)))
				halves = append(halves, row...)
			}
			z := newQuantized(halves, n)
			var far float64
			for range 20 {
				query := make([]float32, n)
				copy(query, encoder.vector(r, dim))
				if r.IntN(3) == 0 { // a query that is a row
					for j, h := range halves[r.IntN(rows)*n:][:n] {
						query[j] = vector.HalfValue(h)
					}
				}
				bounds, scores := make([]float32, rows), make([]float32, rows)
				quantizeQuery(query).bounds(bounds, make([]int32, rows), z, chooseKernel(), kernelOrPortable())
				chooseKernel()(scores, query, halves)
				for i := range scores {
					if !(scores[i] <= bounds[i]) {
						t.Errorf("%s, %d elements: score %v, bound %v", encoder.name, dim, scores[i], bounds[i])
					}
					far = max(far, float64(bounds[i])-float64(scores[i]))
				}
			}
			if far > .2 {
				t.Errorf("%s, %d elements: a bound is %v above its score", encoder.name, dim, far)
			}
		}
	}
}

// Quantizing segments changes no bit of a search's results.
func TestQuantizedSegmentsChangeNoResult(t *testing.T) {
	ctx := context.Background()
	for seed, encoder := range encoders {
		t.Run(encoder.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 5))
			dim := []int{5, 16, 72}[seed%3]
			plain, coded := New(dim), quantizing(New(dim), 16)
			plain.multiply = nil
			scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Internal}, acltest.Reach{Number: 2, Ceiling: acl.Public})
			var ids []uuid.UUID
			for round := range 40 {
				var records []vector.Record
				for range r.IntN(60) {
					id := uuid.UUID{byte(r.IntN(3)), byte(r.IntN(200))}
					if slices.ContainsFunc(records, func(o vector.Record) bool { return o.Entry == id }) {
						continue
					}
					ids = append(ids, id)
					for chunk := range 1 + r.IntN(3) {
						records = append(records, vector.Record{
							Entry: id, Store: 1 + int64(id[0])/2, Label: acl.Public + acl.Label(id[1]%3), Chunk: chunk,
							Vector: vector.ToHalf(encoder.vector(r, dim)),
						})
					}
				}
				var gone []uuid.UUID
				for range r.IntN(20) {
					if len(ids) > 0 {
						gone = append(gone, ids[r.IntN(len(ids))])
					}
				}
				for _, x := range []*Index{plain, coded} {
					if err := x.Upsert(ctx, records); err != nil {
						t.Fatal(err)
					}
					if err := x.Delete(ctx, gone); err != nil {
						t.Fatal(err)
					}
				}
				for range 1 + round%3 {
					query := vector.Query{Vector: encoder.vector(r, dim), Limit: 1 + r.IntN(30)}
					want, err := plain.Search(ctx, scope, query)
					if err != nil {
						t.Fatal(err)
					}
					got, err := coded.Search(ctx, scope, query)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("round %d:\n%v\nwithout quantized segments\n%v", round, got, want)
					}
				}
			}
			if quantizedIn(coded) == 0 {
				t.Error("no segment was quantized")
			}
		})
	}
}

// quantizedIn counts the quantized segments of an index.
func quantizedIn(x *Index) (n int) {
	for _, partition := range x.stores {
		for _, s := range partition {
			if s == nil {
				continue
			}
			for _, segment := range s.segments {
				if segment.quantized.Load() != nil {
					n++
				}
			}
		}
	}
	return n
}

// A segment is quantized only by scans of many rows, counted over all stores of the scan, and
// only if it has enough rows itself.
func TestOnlyLargeScansQuantize(t *testing.T) {
	const many = 64 * quantizedLeast // instead of quantizedRows, for speed
	const least, fewer = many / quantizedLeast, many/quantizedLeast - 1
	for name, c := range map[string]struct {
		stores, rows, scanned int
		want                  int
	}{
		"one small store":           {1, many - 1, 1, 0},
		"a small one of several":    {2, many / 2, 1, 0},
		"two small ones":            {2, many / 2, 2, 2 * many / 2 / 256},
		"a large store":             {1, many, 1, many / 256},
		"an incomplete segment too": {1, many + quantizedLeast, 1, many/256 + 1},
		"a short segment":           {1, many + 1, 1, many / 256},
		"many small stores":         {least, quantizedLeast, least, least},
		"fewer":                     {least, quantizedLeast, fewer, 0},
		"many tiny stores":          {2 * least, quantizedLeast - 1, 2 * least, 0},
	} {
		t.Run(name, func(t *testing.T) {
			x := filled(t, c.stores, c.rows)
			x.multiply, x.quantizeAt = kernelOrPortable(), many
			var reach []acltest.Reach
			for n := range c.scanned {
				reach = append(reach, acltest.Reach{Number: int64(n) + 1, Ceiling: acl.Public})
			}
			scope := acltest.Scope(t, reach...)
			query := vector.Query{Vector: unitVector(rand.New(rand.NewPCG(1, 1)), benchDim), Limit: 5}
			for n := range 2 * quantizedScans {
				if got := quantizedIn(x); n < quantizedScans && got > 0 {
					t.Fatalf("%d segments were quantized after %d scans", got, n)
				}
				if _, err := x.Search(context.Background(), scope, query); err != nil {
					t.Fatal(err)
				}
			}
			if got := quantizedIn(x); got != c.want {
				t.Errorf("%d segments were quantized, want %d", got, c.want)
			}
		})
	}
}

// A quantized copy serves scans that read as many rows of the segment or fewer. A scan that
// reads more rows replaces it.
func TestQuantizedCopiesOfGrowingSegments(t *testing.T) {
	const dim, after = 64, 3
	r := rand.New(rand.NewPCG(1, 2))
	s := newSegment(8, dim)
	for range 8 {
		s.halves = append(s.halves, vector.ToHalf(unitVector(r, dim))...)
	}
	scan := func(rows int) *quantized { return s.scanned(s.halves[:rows*dim], dim, after) }
	for _, c := range []struct{ rows, want int }{
		{5, 0}, {5, 0}, {5, 5}, {5, 5}, {4, 5}, {6, 0}, {5, 5}, {6, 0}, {8, 8}, {6, 8}, {8, 8},
	} {
		got := 0
		if z := scan(c.rows); z != nil {
			got = len(z.weights)
		}
		if got != c.want {
			t.Errorf("a scan of %d rows got a copy of %d, want %d", c.rows, got, c.want)
		}
	}
}

func TestStatsCountQuantizedCopies(t *testing.T) {
	const rows = 4096
	x := filled(t, 1, rows)
	x.multiply, x.quantizeAt = kernelOrPortable(), rows
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public})
	query := vector.Query{Vector: unitVector(rand.New(rand.NewPCG(1, 1)), benchDim), Limit: 5}
	before := x.Stats().Bytes
	for range quantizedScans {
		if _, err := x.Search(context.Background(), scope, query); err != nil {
			t.Fatal(err)
		}
	}
	if got, least := x.Stats().Bytes-before, rows*benchDim/2; got < least || got > least+least/10 {
		t.Errorf("%d bytes more, want about %d", got, least)
	}
}

func BenchmarkIntKernel(b *testing.B) {
	const dim, count = 384, 256 // one segment, which fits into the second-level cache
	r := rand.New(rand.NewPCG(5, 6))
	query, rows, dots := make([]int8, 4*packedBytes(dim)), make([]byte, packedBytes(dim)*count), make([]int32, count)
	for i := range query {
		query[i] = int8(r.IntN(127) - 63)
	}
	for i := range rows {
		rows[i] = byte(r.IntN(256))
	}
	for _, k := range []struct {
		name     string
		multiply intKernel
	}{{"portable", multiplyPortable}, {"fast", kernelOrPortable()}} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(int64(len(rows)))
			for b.Loop() {
				k.multiply(dots, query, rows)
			}
		})
	}
}

// BenchmarkQuantizedSearch alternates between an index with quantized segments and the
// same index without them.
func BenchmarkQuantizedSearch(b *testing.B) {
	for _, rows := range []int{20_000, 100_000} {
		corpus, r := newCone(), rand.New(rand.NewPCG(9, 10))
		x := New(benchDim)
		for from := 0; from < rows; from += 1000 {
			records := make([]vector.Record, 1000)
			for i := range records {
				n := from + i
				records[i] = vector.Record{Entry: uuid.UUID{byte(n), byte(n >> 8), byte(n >> 16)}, Store: 1, Label: acl.Public, Vector: vector.ToHalf(corpus.vector(r))}
			}
			if err := x.Upsert(context.Background(), records); err != nil {
				b.Fatal(err)
			}
		}
		scope := acltest.Scope(b, acltest.Reach{Number: 1, Ceiling: acl.Public})
		for _, multiply := range []intKernel{nil, kernelOrPortable()} {
			b.Run(fmt.Sprintf("%d/quantized=%v", rows, multiply != nil), func(b *testing.B) {
				x.multiply = multiply
				search := func() {
					if _, err := x.Search(context.Background(), scope, vector.Query{Vector: corpus.vector(r), Limit: 256}); err != nil {
						b.Fatal(err)
					}
				}
				for range quantizedScans { // create the copies
					search()
				}
				for b.Loop() {
					search()
				}
			})
		}
	}
}

// cone draws vectors whose cosines are like those of a text encoder: .85 on average, and higher
// within a topic.
type cone struct{ common, topics [][]float32 }

func newCone() cone {
	r := rand.New(rand.NewPCG(1, 2))
	c := cone{common: [][]float32{unitVector(r, benchDim)}}
	for range 300 {
		c.topics = append(c.topics, unitVector(r, benchDim))
	}
	return c
}

func (c cone) vector(r *rand.Rand) []float32 {
	topic, own := c.topics[r.IntN(len(c.topics))], unitVector(r, benchDim)
	v, square := make([]float32, benchDim), 0.0
	for i := range v {
		v[i] = .9*c.common[0][i] + .3*topic[i] + .3*own[i]
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}
