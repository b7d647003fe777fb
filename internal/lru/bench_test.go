package lru

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkGetEach looks up 300 of 40,000 keys, all of which are cached: of a cache that
// they fill by a sixth, and of one that is full.
func BenchmarkGetEach(b *testing.B) {
	const asked, valueBytes = 300, 500
	size := 40_000
	if testing.Short() {
		size = asked
	}
	for name, maxBytes := range map[string]int{"roomy": 6 * size * (Overhead + valueBytes), "full": size * (Overhead + valueBytes)} {
		b.Run(name, func(b *testing.B) {
			type key [3]uint64
			c, random := New(maxBytes, func(key, *int) int { return valueBytes }), rand.New(rand.NewPCG(1, 2))
			keys := make([]key, size)
			for i := range keys {
				keys[i] = key{random.Uint64(), random.Uint64(), random.Uint64()}
				c.Put(keys[i], new(int))
			}
			questions := make([]key, 200*asked)
			for i := range questions {
				questions[i] = keys[random.IntN(size)]
			}
			found := 0
			for i := 0; b.Loop(); i++ {
				question := questions[i%200*asked:]
				c.GetEach(asked, func(i int) key { return question[i] }, func(int, *int) { found++ })
			}
			if found != b.N*asked {
				b.Errorf("%d of %d were found", found, b.N*asked)
			}
		})
	}
}
