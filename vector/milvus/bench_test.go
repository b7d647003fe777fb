package milvus

import (
	"context"
	"fmt"
	"testing"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/internal/workload"
	"mneme/vector"
	"mneme/vector/milvus/milvustest"
)

// BenchmarkUpsert writes batches of new entries, as the indexing worker does.
func BenchmarkUpsert(b *testing.B) {
	addr := milvustest.Addr(b)
	for _, size := range []int{1, 32, 256, 1000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			x, c := opened(b, testConfig(addr, 384)), workload.NewCorpus(384)
			records, n := c.Records(20_000, 100), 0
			for b.Loop() {
				batch := records[n : n+size]
				if n += size; n+size > len(records) {
					n = 0
				}
				if err := x.Upsert(context.Background(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(size*b.N)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}

// BenchmarkSearch searches one store of a hundred for 200 entries, for each
// kind of index and each consistency level.
func BenchmarkSearch(b *testing.B) {
	addr := milvustest.Addr(b)
	for _, exact := range []bool{false, true} {
		config := testConfig(addr, 384)
		config.Exact, config.Partitions = exact, 64
		x, c := opened(b, config), workload.NewCorpus(384)
		if err := x.Upsert(context.Background(), c.Records(20_000, 100)); err != nil {
			b.Fatal(err)
		}
		settle(b, x)
		scope := acltest.Scope(b, acltest.Reach{Number: 7, Ceiling: acl.Restricted})
		for name, consistency := range map[string]Consistency{"bounded": Bounded, "strong": Strong} {
			b.Run(fmt.Sprintf("exact=%v/%s", exact, name), func(b *testing.B) {
				x.config.Consistency = consistency
				for b.Loop() {
					if _, err := x.Search(context.Background(), scope, vector.Query{Vector: c.Vector(), Limit: 200}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkList lists 20,000 entries.
func BenchmarkList(b *testing.B) {
	x, c := opened(b, testConfig(milvustest.Addr(b), 8)), workload.NewCorpus(8)
	if err := x.Upsert(context.Background(), c.Records(20_000, 100)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		if err := x.List(context.Background(), func(vector.IndexedEntry) error { n++; return nil }); err != nil || n != 20_000 {
			b.Fatalf("%d entries, error %v", n, err)
		}
	}
}
