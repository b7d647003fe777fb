package speed

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// Direction is a random unit vector.
func Direction(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return unit(v)
}

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

// part is a vector with its weight in a mixture.
type part struct {
	weight float32
	vector []float32
}

// mix is the unit vector of a weighted sum.
func mix(parts ...part) []float32 {
	v := make([]float32, len(parts[0].vector))
	for _, p := range parts {
		for i, x := range p.vector {
			v[i] += p.weight * x
		}
	}
	return unit(v)
}

// Corpus makes vectors without any text, as a text encoder might: all share a
// direction, so that their cosines lie above .7 as E5's do, and each belongs
// to one of 300 topics. It is the same at each run. For tests of an index
// alone; Synthetic makes vectors of texts.
type Corpus struct {
	Random *rand.Rand
	common []float32
	topics [][]float32
}

// NewCorpus makes one of vectors of dim elements.
func NewCorpus(dim int) *Corpus {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // it must be the same at each run
	c := &Corpus{Random: r, common: Direction(r, dim)}
	for range 300 {
		c.topics = append(c.topics, Direction(r, dim))
	}
	return c
}

// Vector is the vector of one text more. The squares of the weights add up
// to 1: cosines are about .87 within a topic and .74 beyond it.
func (c *Corpus) Vector() []float32 {
	topic, own := c.topics[c.Random.IntN(len(c.topics))], Direction(c.Random, len(c.common))
	return mix(part{.86, c.common}, part{.36, topic}, part{.36, own})
}

// Records makes public entries of one chunk, spread evenly over the stores of
// number 1 to stores.
func (c *Corpus) Records(count, stores int) []vector.Record {
	records := make([]vector.Record, count)
	for i := range records {
		id := uuid.UUID{0: 1}
		binary.BigEndian.PutUint64(id[8:], uint64(i))
		records[i] = vector.Record{Entry: id, Store: int64(i%stores + 1), Label: acl.Public, Vector: vector.ToHalf(c.Vector())}
	}
	return records
}
