package memory_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/benchmarks/workload"
	"mneme/embed"
	"mneme/embed/maxsim"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// arbitrary is an embedder without a model: every text has an arbitrary vector,
// every word an arbitrary token.
type arbitrary struct{ *backendtest.CachingEmbedder }

func (arbitrary) Fingerprint() string { return "arbitrary" }

func (e arbitrary) Query(_ context.Context, text string) (embed.Query, error) {
	q := embed.Query{Vector: workload.Direction(source(text), e.Dim())}
	at := 0
	for _, word := range strings.Fields(text) {
		start := at + strings.Index(text[at:], word)
		at = start + len(word)
		q.Tokens = append(q.Tokens, embed.Token{Start: start, End: at, Vector: maxsim.Quantize(token(word))})
	}
	return q, nil
}

func (e arbitrary) Passages(_ context.Context, texts []string) ([]embed.Passage, error) {
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

// BenchmarkSearch compares searches by relevance, which assess a hundred
// candidates, with searches by RRF, which assess the ten hits. The entries have 60
// words each, the question ten. rank-µs is the median of the step that computes
// the relevance.
//
//	go test ./memory -run '^$' -bench 'Search$' -benchtime 500x
func BenchmarkSearch(b *testing.B) {
	for _, s := range backendtest.Storages() {
		b.Run(s.Name, func(b *testing.B) {
			h := openOver(b, s.Open(b), memory.Options{}, arbitrary{encoder(b)})
			a := agent("a", acl.Public)
			zipf := workload.NewZipf(1)
			for batch := range 4 {
				var requests []memory.PutRequest
				for i := range 500 {
					requests = append(requests, memory.PutRequest{Path: path("a", fmt.Sprint("k", batch, "-", i)), Value: text(zipf.Text(60))})
				}
				_, err := h.PutAll(background, a, requests)
				must(h, err)
			}
			h.Index()
			questions := make([]string, 100)
			for i := range questions {
				questions[i] = zipf.Text(10)
			}
			for _, ranking := range []search.Ranking{search.RankingRelevance, search.RankingRRF} {
				b.Run(string(ranking), func(b *testing.B) {
					var took []time.Duration
					for i := 0; b.Loop(); i++ {
						answer := h.search(a, search.Request{Query: questions[i%len(questions)], Ranking: ranking})
						took = append(took, answer.Took.Rank)
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "rank-µs")
				})
			}
		})
	}
}
