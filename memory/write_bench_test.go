package memory_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/acl"
	"mneme/internal/system"
	"mneme/internal/workload"
	"mneme/memory"
	"mneme/test/backendtest"
)

// These are the measurements of docs/decisions/0043-writing.md. Databases are empty at the
// start. entries/s is by wall time; cpu-µs is the CPU time of this process per entry. On
// PostgreSQL, commits are durable if the server of MNEME_POSTGRES_DSN syncs them.
//
//	go test ./memory -run '^$' -bench 'Import$|Puts$' -benchtime 20000x

// BenchmarkImport writes new entries of 30 words, 512 per transaction, into one store. An
// operation is an entry.
func BenchmarkImport(b *testing.B) {
	for _, s := range backendtest.Storages() {
		b.Run(s.Name, func(b *testing.B) {
			h := openOver(b, s.Open(b), memory.Options{})
			a, zipf := agent("a", acl.Public), workload.NewZipf(1)
			measured := measure(b)
			for written := 0; written < b.N; {
				requests := make([]memory.PutRequest, min(512, b.N-written))
				for i := range requests {
					requests[i] = memory.PutRequest{Path: path("a", fmt.Sprint("turn/", written+i)), Value: text(zipf.Text(30))}
				}
				outcomes, err := h.PutAll(background, a, requests)
				must(h, err)
				for _, o := range outcomes {
					must(h, o.Err)
				}
				written += len(requests)
			}
			measured()
		})
	}
}

// BenchmarkPuts writes new entries of 30 words, each in its own transaction, from 16 callers.
// They write to a store of each, or all to one store.
func BenchmarkPuts(b *testing.B) {
	const callers = 16
	for _, s := range append(backendtest.Storages(), backendtest.Partitioned()) {
		for _, stores := range []int{callers, 1} {
			b.Run(fmt.Sprint(s.Name, "/", stores, "-stores"), func(b *testing.B) {
				h := openOver(b, s.Open(b), memory.Options{})
				var next atomic.Int64
				var all sync.WaitGroup
				measured := measure(b)
				for i := range callers {
					all.Go(func() {
						store, zipf := fmt.Sprint("agent-", i%stores), workload.NewZipf(uint64(i))
						for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
							_, err := h.Put(background, agent(store, acl.Public), memory.PutRequest{Path: path(store, fmt.Sprint("turn/", n)), Value: text(zipf.Text(30))})
							if err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				measured()
			})
		}
	}
}

// BenchmarkQueue works a full queue until it is empty, with an embedder that takes no time. The
// index is in the process, or in Milvus.
func BenchmarkQueue(b *testing.B) {
	for _, s := range backendtest.Backends() {
		b.Run(s.Name, func(b *testing.B) {
			h := openOver(b, s.Serving().Open(b), memory.Options{}, backendtest.Arbitrary{Embedder: encoder(b)})
			a, zipf := agent("a", acl.Public), workload.NewZipf(1)
			var requests []memory.PutRequest
			for i := range b.N {
				requests = append(requests, memory.PutRequest{Path: path("a", fmt.Sprint("turn/", i)), Value: text(zipf.Text(30))})
			}
			for batch := range slices.Chunk(requests, 512) {
				_, err := h.PutAll(background, a, batch)
				must(h, err)
			}
			measured := measure(b)
			h.Index()
			measured()
		})
	}
}

// measure starts a measurement. The returned function ends it.
func measure(b *testing.B) func() {
	b.Helper()
	began, before := time.Now(), system.ProcessTime()
	b.ResetTimer()
	return func() {
		b.StopTimer()
		b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "entries/s")
		b.ReportMetric(float64((system.ProcessTime()-before).Microseconds())/float64(b.N), "cpu-µs")
	}
}
