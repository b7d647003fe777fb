package search_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"mneme/acl"
	"mneme/internal/workload"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// BenchmarkSearch compares searches by relevance, which assess a hundred candidates,
// with searches by RRF, which assess the ten hits. Each entry has 60 words, the question
// ten. rank-µs is the median time of the step that computes the relevance.
//
//	go test ./search -run '^$' -bench 'Search$' -benchtime 500x
func BenchmarkSearch(b *testing.B) {
	for _, s := range append(backendtest.Storages(), backendtest.Partitioned()) {
		b.Run(s.Name, func(b *testing.B) {
			h := openOver(b, s.Open(b), backendtest.Options{}, backendtest.Arbitrary{Embedder: encoder(b)})
			a := agent("a", acl.Public)
			zipf, size := workload.NewZipf(1), 500
			if testing.Short() {
				size = 25
			}
			for batch := range 4 {
				var requests []memory.PutRequest
				for i := range size {
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
						answer := h.MustSearch(a, search.Request{Query: questions[i%len(questions)], Ranking: ranking})
						took = append(took, answer.Took.Rank)
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "rank-µs")
				})
			}
		})
	}
}
