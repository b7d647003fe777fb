package flat

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"mneme/vector"
)

// unitVector returns a random unit vector.
func unitVector(r *rand.Rand, dim int) []float32 {
	v, square := make([]float32, dim), 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

func TestEveryKernelComputesTheSameBits(t *testing.T) {
	fast := chooseKernel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{8, 16, 24, 384, 768} {
		for count := range 11 {
			query := unitVector(r, n)
			var rows []uint16
			for range count {
				rows = append(rows, vector.ToHalf(unitVector(r, n))...)
			}
			want, got := make([]float32, count), make([]float32, count)
			dotPortable(want, query, rows)
			fast(got, query, rows)
			for i := range want {
				if math.Float32bits(want[i]) != math.Float32bits(got[i]) {
					t.Errorf("%d elements, row %d of %d: %v, portable %v", n, i, count, got[i], want[i])
				}
				exact := 0.0
				for j, h := range rows[i*n:][:n] {
					exact += float64(query[j]) * float64(vector.HalfValue(h))
				}
				if math.Abs(exact-float64(got[i])) > 1e-6 {
					t.Errorf("%d elements, row %d of %d: %v, exactly %v", n, i, count, got[i], exact)
				}
			}
		}
	}
}

func TestEveryFiniteHalfIsWidenedExactly(t *testing.T) {
	fast := chooseKernel()
	query := make([]float32, lanes)
	for lane := range query {
		clear(query)
		query[lane] = 1
		for i := range 1 << 16 {
			h := uint16(i)
			if h&0x7c00 == 0x7c00 {
				continue
			}
			row, score := make([]uint16, lanes), make([]float32, 1)
			row[lane] = h
			want := vector.HalfValue(h)
			if got := widen(h); math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("%#04x widened to %v, want %v", h, got, want)
			}
			if fast(score, query, row); score[0] != want {
				t.Fatalf("%#04x in lane %d scores %v, want %v", h, lane, score[0], want)
			}
		}
	}
}

func TestIdenticalRowsScoreAlikeAtEveryPosition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	query, row := unitVector(r, 384), vector.ToHalf(unitVector(r, 384))
	for count := 1; count < 40; count++ {
		rows := make([]uint16, 0, count*len(row))
		for range count {
			rows = append(rows, row...)
		}
		scores := make([]float32, count)
		chooseKernel()(scores, query, rows)
		for i, s := range scores {
			if s != scores[0] {
				t.Fatalf("row %d of %d: %v, row 0: %v", i, count, s, scores[0])
			}
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	const dim, count = 384, 256 // one segment, which fits into the second-level cache
	r := rand.New(rand.NewPCG(5, 6))
	query := unitVector(r, dim)
	var rows []uint16
	for range count {
		rows = append(rows, vector.ToHalf(unitVector(r, dim))...)
	}
	scores := make([]float32, count)
	for _, k := range []struct {
		name string
		dot  kernel
	}{{"portable", dotPortable}, {runtime.GOARCH, chooseKernel()}} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(int64(2 * len(rows)))
			for b.Loop() {
				k.dot(scores, query, rows)
			}
		})
	}
}
