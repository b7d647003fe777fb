package workload

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// Direction returns a random unit vector of dim elements.
func Direction(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return unit(v)
}

// unit scales v to length 1, in place.
func unit(v []float32) []float32 {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	length := float32(math.Sqrt(square))
	for i := range v {
		v[i] /= length
	}
	return v
}

// part is a weighted vector of a mixture.
type part struct {
	weight float32
	vector []float32
}

// mix returns the weighted sum of the parts, scaled to length 1.
func mix(parts ...part) []float32 {
	v := make([]float32, len(parts[0].vector))
	for _, p := range parts {
		for i, x := range p.vector {
			v[i] += p.weight * x
		}
	}
	return unit(v)
}

// Corpus generates vectors without texts, distributed like a text encoder's. All share a
// direction, so that their cosines are above .7 like E5's, and each belongs to one of 300
// topics. Every run generates the same vectors. Corpus is for tests of an index alone;
// Synthetic embeds texts.
type Corpus struct {
	Random *rand.Rand
	common []float32
	topics [][]float32
}

// NewCorpus returns a corpus of vectors of dim elements.
func NewCorpus(dim int) *Corpus {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // reproducible, not secret
	c := &Corpus{Random: r, common: Direction(r, dim)}
	for range 300 {
		c.topics = append(c.topics, Direction(r, dim))
	}
	return c
}

// Vector returns the next vector. The squares of the weights add up to 1:
// cosines are about .87 within a topic and .74 across topics.
func (c *Corpus) Vector() []float32 {
	topic, own := c.topics[c.Random.IntN(len(c.topics))], Direction(c.Random, len(c.common))
	return mix(part{.86, c.common}, part{.36, topic}, part{.36, own})
}

// Records returns count public entries of one chunk each, spread evenly over the
// stores 1 to stores.
func (c *Corpus) Records(count, stores int) []vector.Record {
	records := make([]vector.Record, count)
	for i := range records {
		id := uuid.UUID{0: 1}
		binary.BigEndian.PutUint64(id[8:], uint64(i))
		records[i] = vector.Record{Entry: id, Store: int64(i%stores + 1), Label: acl.Public, Vector: vector.ToHalf(c.Vector())}
	}
	return records
}
