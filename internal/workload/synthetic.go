package workload

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"mneme/embed"
)

// The weights of a synthetic vector's parts, fitted to E5's vectors of the same
// memories and questions: see docs/measured.md.
const (
	topicWeight    = .65
	deedWeight     = .45
	passageWeight  = .22 // of a passage's random direction
	questionWeight = .45 // of a question's random direction
)

// Synthetic is an embedder for benchmarks at sizes for which the model would take hours.
// Its vectors resemble the model's. A text's vector is a weighted sum of the model's
// vectors of the text's topic ("the boat in Porto", one of 800) and of its deed ("Anna
// sold", one of 625), and of a random direction that is unique to the text. So texts that
// share words are near each other, a question is near its answer, and all are in the
// narrow cone of the model's vectors. The same text always has the same vector.
//
// The model also embeds each query, so that a search takes as long as with the model.
type Synthetic struct {
	embed.Embedder // the model

	topics, deeds [][]float32
}

var _ embed.Embedder = (*Synthetic)(nil)

// NewSynthetic embeds the topics and deeds with the model, which takes a few
// seconds.
func NewSynthetic(ctx context.Context, model embed.Embedder) (*Synthetic, error) {
	s := &Synthetic{Embedder: model}
	var err error
	if s.topics, err = combine(ctx, model, "the %s in %s", whatWords, whereWords); err != nil {
		return nil, err
	}
	s.deeds, err = combine(ctx, model, "%s %s", whoWords, didWords)
	return s, err
}

// combine embeds form, filled in with each pair of words. The second list varies fastest.
func combine(ctx context.Context, model embed.Embedder, form string, first, second []string) ([][]float32, error) {
	texts := make([]string, 0, len(first)*len(second))
	for _, a := range first {
		for _, b := range second {
			texts = append(texts, fmt.Sprintf(form, a, b))
		}
	}
	passages, err := model.Passages(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed topics and deeds: %w", err)
	}
	vectors := make([][]float32, len(passages))
	for i, p := range passages {
		vectors[i] = p.Vector
	}
	return vectors, nil
}

// Fingerprint implements embed.Embedder.
func (s *Synthetic) Fingerprint() string { return "synthetic/v1/" + s.Embedder.Fingerprint() }

// AsModel returns s under the model's fingerprint: a server with the model then searches the
// synthetic vectors instead of embedding every entry again.
func (s *Synthetic) AsModel() embed.Embedder { return asModel{s} }

// asModel is a Synthetic with the fingerprint of its model.
type asModel struct{ *Synthetic }

func (a asModel) Fingerprint() string { return a.Embedder.Fingerprint() }

// Query implements embed.Embedder.
func (s *Synthetic) Query(ctx context.Context, text string) (embed.Query, error) {
	if _, err := s.Embedder.Query(ctx, text); err != nil {
		return embed.Query{}, err
	}
	return embed.Query{Vector: s.vector(text, questionWeight)}, nil
}

// Passages implements embed.Embedder. It does not run the model.
func (s *Synthetic) Passages(_ context.Context, texts []string) ([]embed.Passage, error) {
	passages := make([]embed.Passage, len(texts))
	for i, text := range texts {
		passages[i].Vector = s.vector(text, passageWeight)
	}
	return passages, nil
}

func (s *Synthetic) vector(text string, weight float32) []float32 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))               // never returns an error
	own := rand.New(rand.NewPCG(hash.Sum64(), 0)) //nolint:gosec // reproducible, not secret
	topic := s.topics[find(text, whatWords, own)*len(whereWords)+find(text, whereWords, own)]
	deed := s.deeds[find(text, whoWords, own)*len(didWords)+find(text, didWords, own)]
	return mix(part{topicWeight, topic}, part{deedWeight, deed}, part{weight, Direction(own, len(topic))})
}

// find returns the index of the first word that text contains, or a random one
// if it contains none.
func find(text string, words []string, r *rand.Rand) int {
	for i, word := range words {
		if strings.Contains(text, word) {
			return i
		}
	}
	return r.IntN(len(words))
}
