package milvus

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/benchmarks/measure"
	"mneme/internal/workload"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus/milvustest"
)

// The graph's recall must be high for scopes of every width. If
// MNEME_MILVUS_VECTORS is set, the test is a benchmark with that many vectors
// and logs a table.
func TestRecallOfTheGraph(t *testing.T) {
	addr := milvustest.Addr(t)
	vectors, queries := 4000, 20
	measured := os.Getenv("MNEME_MILVUS_VECTORS")
	if measured != "" {
		var err error
		if vectors, err = strconv.Atoi(measured); err != nil {
			t.Fatal(err)
		}
		queries = 200
	}
	const dim, stores = 384, 1000
	config := testConfig(addr, dim)
	config.Partitions = int64(intVariable(t, "MNEME_MILVUS_PARTITIONS", 4))
	config.HNSW.M = intVariable(t, "MNEME_MILVUS_M", 0)
	config.Exact = os.Getenv("MNEME_MILVUS_EXACT") != ""
	x, exact := opened(t, config), flat.New(dim)
	c := workload.NewCorpus(dim)
	ctx := context.Background()

	began := time.Now()
	for part := range slices.Chunk(c.Records(vectors, stores), 1000) {
		for _, index := range []vector.Index{exact, x} {
			if err := index.Upsert(ctx, part); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d vectors written in %v", vectors, time.Since(began).Round(time.Millisecond))
	settle(t, x)
	efs := []int{x.config.HNSW.Ef}
	report := func(state string) {
		if measured != "" {
			efs = []int{512, 1024, 2048}
		}
		for _, ef := range efs {
			x.config.HNSW.Ef = ef
			for _, width := range []int{stores / 100, stores / 10, stores} {
				m := measureRecall(t, c, x, exact, width, queries)
				t.Logf("%s, ef %d, %d%% of the collection: recall@10 %.4f, @200 %.4f; p50 %v p99 %v", state, ef, 100*width/stores,
					m.At10, m.At200, m.P50.Round(10*time.Microsecond), m.P99.Round(10*time.Microsecond))
				if m.At200 < .99 && ef >= 1024 {
					t.Errorf("%s, ef %d, %d%% of the collection: recall %.4f, want .99", state, ef, 100*width/stores, m.At200)
				}
			}
		}
	}
	report("growing")
	began = time.Now()
	if err := x.Build(ctx); err != nil {
		t.Fatal(err)
	}
	settle(t, x)
	t.Logf("sealed and indexed in %v", time.Since(began).Round(time.Millisecond))
	report("sealed")
}

func intVariable(t *testing.T, name string, otherwise int) int {
	t.Helper()
	if text := os.Getenv(name); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return otherwise
}

// measureRecall measures the recall within scopes of width random stores out of a
// thousand.
func measureRecall(t *testing.T, c *workload.Corpus, x *Index, exact *flat.Index, width, queries int) measure.Recall {
	t.Helper()
	recall, err := measure.MeasureRecall(context.Background(), x, exact, queries, func() (acl.Scope, []float32) {
		reaches := make([]acltest.Reach, width)
		for i, store := range c.Random.Perm(1000)[:width] {
			reaches[i] = acltest.Reach{Number: int64(store + 1), Ceiling: acl.Restricted}
		}
		return acltest.Scope(t, reaches...), c.Vector()
	})
	if err != nil {
		t.Fatal(err)
	}
	return recall
}
