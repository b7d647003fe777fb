package speed

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Zipf draws words as they occur in text: the word of rank r with a
// probability that falls as 1/(r+2.7), as Mandelbrot fitted it to English. For
// measurements of storages: its questions are harder than real ones, since
// the commonest words are the likeliest. The same for the same seed.
type Zipf struct {
	Random *rand.Rand
	draw   *rand.Zipf
}

// NewZipf draws from 60,000 words.
func NewZipf(seed uint64) *Zipf {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // it must be the same at each run
	return &Zipf{random, rand.NewZipf(random, 1.05, 2.7, 60_000)}
}

// Text is n words.
func (z *Zipf) Text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%dx", z.draw.Uint64())
	}
	return strings.Join(words, " ")
}
