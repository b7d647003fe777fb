package workload

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Zipf draws words with the Zipf–Mandelbrot distribution of natural text: the
// probability of the word of rank r is proportional to (r+2.7)^-1.05. It is for
// benchmarks of storages. Its queries are harder than real ones, which use fewer of
// the most common words. The same seed draws the same words.
type Zipf struct {
	Random *rand.Rand
	draw   *rand.Zipf
}

// NewZipf returns a Zipf over 60,000 words.
func NewZipf(seed uint64) *Zipf {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // reproducible, not secret
	return &Zipf{random, rand.NewZipf(random, 1.05, 2.7, 60_000)}
}

// Text returns n words.
func (z *Zipf) Text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%dx", z.draw.Uint64())
	}
	return strings.Join(words, " ")
}
