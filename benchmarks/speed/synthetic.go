package speed

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"mneme/embed"
)

// The weights of a synthetic vector's parts, fitted to what E5 makes of the
// same memories and questions: see docs/decisions/0014-speed-at-size.md.
const (
	topicWeight    = .65
	deedWeight     = .45
	passageWeight  = .22 // of what is the passage's own
	questionWeight = .45 // of what is the question's own
)

// Synthetic is an embedder for measurements at a size at which the model
// itself would take hours. Its vectors resemble the model's: the vector of a
// text is a mixture of the model's own vectors of the text's topic ("the boat
// in Porto", one of 800) and its deed ("Anna sold", one of 625), and of a
// random direction that is the text's alone. So texts that share words lie
// near each other, a question lies near what it asks for, and all lie in the
// narrow cone in which the model's vectors lie. The same text always has the
// same vector.
//
// Questions run through the model, too, and only then take their synthetic
// vector, so that a search takes the time that it takes with the model.
type Synthetic struct {
	embed.Embedder // the model

	topics, deeds [][]float32
}

var _ embed.Embedder = (*Synthetic)(nil)

// NewSynthetic has the model make the parts, which takes it some seconds.
func NewSynthetic(ctx context.Context, model embed.Embedder) (*Synthetic, error) {
	s := &Synthetic{Embedder: model}
	var err error
	if s.topics, err = combine(ctx, model, "the %s in %s", whatWords, whereWords); err != nil {
		return nil, err
	}
	s.deeds, err = combine(ctx, model, "%s %s", whoWords, didWords)
	return s, err
}

// combine embeds every pair of words, those of the first list varying last.
func combine(ctx context.Context, model embed.Embedder, form string, first, second []string) ([][]float32, error) {
	texts := make([]string, 0, len(first)*len(second))
	for _, a := range first {
		for _, b := range second {
			texts = append(texts, fmt.Sprintf(form, a, b))
		}
	}
	vectors, err := model.Passages(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("vectors of topics: %w", err)
	}
	return vectors, nil
}

// Fingerprint implements embed.Embedder.
func (s *Synthetic) Fingerprint() string { return "synthetic/v1/" + s.Embedder.Fingerprint() }

// Query implements embed.Embedder.
func (s *Synthetic) Query(ctx context.Context, text string) ([]float32, error) {
	if _, err := s.Embedder.Query(ctx, text); err != nil {
		return nil, err
	}
	return s.vector(text, questionWeight), nil
}

// Passages implements embed.Embedder, without the model.
func (s *Synthetic) Passages(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = s.vector(text, passageWeight)
	}
	return vectors, nil
}

func (s *Synthetic) vector(text string, weight float32) []float32 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text))               // never fails
	own := rand.New(rand.NewPCG(hash.Sum64(), 0)) //nolint:gosec // it must be the same at each run
	topic := s.topics[find(text, whatWords, own)*len(whereWords)+find(text, whereWords, own)]
	deed := s.deeds[find(text, whoWords, own)*len(didWords)+find(text, didWords, own)]
	return mix(part{topicWeight, topic}, part{deedWeight, deed}, part{weight, Direction(own, len(topic))})
}

// find is the place of the first of words that text has; of any, by chance,
// where it has none.
func find(text string, words []string, r *rand.Rand) int {
	for i, word := range words {
		if strings.Contains(text, word) {
			return i
		}
	}
	return r.IntN(len(words))
}
