package memory_test

import (
	"fmt"
	"testing"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/benchmarks/workload"
	"mneme/memory"
)

// BenchmarkPutSimilar writes entries of 12 words, one after another, into a store of
// 2,000: as they are, waiting until each is indexed, and with what is similar. The
// measurements of docs/decisions/0061-similar.md.
//
//	go test ./memory -run '^$' -bench PutSimilar -benchtime 300x
func BenchmarkPutSimilar(b *testing.B) {
	h, a, zipf := openIndexing(b, backendtest.Embedded()), agent("a", acl.Public), workload.NewZipf(1)
	requests := make([]memory.PutRequest, 2_000)
	for i := range requests {
		requests[i] = memory.PutRequest{Path: path("a", fmt.Sprint("old/", i)), Value: text(zipf.Text(12))}
	}
	_, err := h.PutAll(background, a, requests)
	must(h, err)
	h.Index()
	n := 0
	for name, change := range map[string]func(*memory.PutRequest){"plain": func(*memory.PutRequest) {}, "indexed": indexed, "similar": similarTo} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := memory.PutRequest{Path: path("a", fmt.Sprint("new/", n)), Value: text(zipf.Text(12))}
				n++
				change(&r)
				put, err := h.Put(background, a, r)
				must(h, err)
				if put.Similar == nil && r.Similar {
					b.Fatal("not known")
				}
			}
		})
	}
}
