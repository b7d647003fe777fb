package search_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"mneme/acl"
	"mneme/internal/workload"
	"mneme/memory"
	"mneme/test/backendtest"
)

// BenchmarkPutSimilar writes entries of 12 words into a store of 2,000, by one caller and by
// 16: without options, waiting until each entry is indexed, and with similar entries. It gives
// the measurements in docs/decisions/0061-similar.md.
//
//	go test ./search -run '^$' -bench PutSimilar -benchtime 300x
func BenchmarkPutSimilar(b *testing.B) {
	h, a, zipf := openIndexing(b, backendtest.Embedded()), agent("a", acl.Public), workload.NewZipf(1)
	requests := make([]memory.PutRequest, 2_000)
	if testing.Short() {
		requests = requests[:200]
	}
	for i := range requests {
		requests[i] = memory.PutRequest{Path: path("a", fmt.Sprint("old/", i)), Value: text(zipf.Text(12))}
	}
	_, err := h.PutAll(background, a, requests)
	must(h, err)
	h.Index()
	var n atomic.Int64
	write := func(b *testing.B, change func(*memory.PutRequest)) {
		next := n.Add(1)
		r := memory.PutRequest{Path: path("a", fmt.Sprint("new/", next)), Value: text(workload.NewZipf(uint64(next)).Text(12))}
		change(&r)
		if put, err := h.Put(background, a, r); err != nil || put.Similar == nil && r.Similar {
			b.Error("not known, or ", err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(*memory.PutRequest)
	}{{"plain", func(*memory.PutRequest) {}}, {"indexed", indexed}, {"similar", similarTo}} {
		b.Run(c.name, func(b *testing.B) {
			h.Index()
			for b.Loop() {
				write(b, c.change)
			}
		})
		b.Run(c.name+"-16-callers", func(b *testing.B) {
			h.Index()
			b.SetParallelism(16 / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					write(b, c.change)
				}
			})
		})
	}
}
