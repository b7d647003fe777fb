package vector

import (
	"math"
	"testing"

	"golang.org/x/sys/cpu"
	"pgregory.net/rapid"
)

// drawVectors draws a query and a vector with elements of all exponents, including
// subnormal ones.
func drawVectors(t *rapid.T, dim int) (query []float32, h Half) {
	finite := rapid.Custom(func(t *rapid.T) uint16 {
		return rapid.Uint16().Filter(func(h uint16) bool { return h&0x7c00 != 0x7c00 }).Draw(t, "half")
	})
	query = rapid.SliceOfN(rapid.Float32Range(-2, 2), dim, dim).Draw(t, "query")
	return query, rapid.SliceOfN(finite, dim, dim).Draw(t, "vector")
}

func TestEveryKernelAddsTheSameBits(t *testing.T) {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasF16C {
		t.Skip("this machine has the portable kernel alone")
	}
	rapid.Check(t, func(t *rapid.T) {
		query, h := drawVectors(t, 4*rapid.IntRange(0, 20).Draw(t, "blocks"))
		got, want := sumProducts(query, h), sumPortable(query, h)
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("sums %v, want %v", got, want)
			}
		}
	})
}

// If the length is not a multiple of 4, the remaining products are added to the first sum.
func TestDotAddsInAFixedOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query, h := drawVectors(t, rapid.IntRange(0, 40).Draw(t, "dim"))
		var sums [4]float64
		for i, x := range h.Floats() {
			lane := i % 4
			if i >= len(h)/4*4 {
				lane = 0
			}
			sums[lane] += float64(query[i]) * float64(x)
		}
		want := (sums[0] + sums[1]) + (sums[2] + sums[3])
		if got := h.Dot(query); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
