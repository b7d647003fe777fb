package backendtest

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"mneme/embed"
	"mneme/embed/maxsim"
	"mneme/internal/workload"
)

// Arbitrary is an embedder without a model: it gives every text an arbitrary vector
// and every word an arbitrary token. Its dimension is the wrapped embedder's.
type Arbitrary struct{ embed.Embedder }

// Fingerprint implements embed.Embedder.
func (Arbitrary) Fingerprint() string { return "arbitrary" }

// Query implements embed.Embedder.
func (e Arbitrary) Query(_ context.Context, text string) (embed.Query, error) {
	q := embed.Query{Vector: workload.Direction(source(text), e.Dim())}
	at := 0
	for _, word := range strings.Fields(text) {
		start := at + strings.Index(text[at:], word)
		at = start + len(word)
		q.Tokens = append(q.Tokens, embed.Token{Start: start, End: at, Vector: maxsim.Quantize(token(word))})
	}
	return q, nil
}

// Passages implements embed.Embedder.
func (e Arbitrary) Passages(_ context.Context, texts []string) ([]embed.Passage, error) {
	passages := make([]embed.Passage, len(texts))
	for i, text := range texts {
		passages[i].Vector = workload.Direction(source(text), e.Dim())
		for _, word := range strings.Fields(text) {
			passages[i].Codes = maxsim.AppendCode(passages[i].Codes, token(word))
		}
	}
	return passages, nil
}

func source(text string) *rand.Rand {
	h := fnv.New64()
	_, _ = h.Write([]byte(text))
	return rand.New(rand.NewPCG(h.Sum64(), 0))
}

func token(word string) *[maxsim.Dim]float32 {
	return (*[maxsim.Dim]float32)(workload.Direction(source(word), maxsim.Dim))
}

// Second returns an embedder with the vectors of e and a fingerprint of its own, for
// example for Options.Second.
func Second(e embed.Embedder) embed.Embedder { return second{e} }

type second struct{ embed.Embedder }

// Fingerprint implements embed.Embedder.
func (s second) Fingerprint() string { return "second/" + s.Embedder.Fingerprint() }
