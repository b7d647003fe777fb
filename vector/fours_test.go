package vector

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestEveryFoursAddsTheSameBits(t *testing.T) {
	finite := rapid.Custom(func(t *rapid.T) uint16 { // of all exponents, subnormal ones too
		return rapid.Uint16().Filter(func(h uint16) bool { return h&0x7c00 != 0x7c00 }).Draw(t, "half")
	})
	rapid.Check(t, func(t *rapid.T) {
		n := 4 * rapid.IntRange(0, 20).Draw(t, "fours")
		query := rapid.SliceOfN(rapid.Float32Range(-2, 2), n, n).Draw(t, "query")
		h := Half(rapid.SliceOfN(finite, n, n).Draw(t, "vector"))
		got, want := sumFours(query, h), foursPortable(query, h)
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("sums %v, want %v", got, want)
			}
		}
	})
}
