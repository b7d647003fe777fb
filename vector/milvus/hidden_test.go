package milvus

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/benchmarks/measure"
	"mneme/internal/workload"
	"mneme/test/size"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus/milvustest"
)

// A caller's small store shares a partition with another store, which the caller may not see.
// That one has very many vectors around the same topics. Searches of the small store must have
// the same recall nevertheless.
func TestRecallNextToHiddenVectors(t *testing.T) {
	addr := milvustest.Addr(t)
	const dim, small, queries, floor = 384, 300, 20, .99
	hidden := size.Of(5000, 100_000)
	config := testConfig(addr, dim)
	config.Partitions = 1 // all stores share one
	x, exact := opened(t, config), flat.New(dim)
	c := workload.NewCorpus(dim)
	ctx := context.Background()
	own := c.Records(small, 1)
	if err := exact.Upsert(ctx, own); err != nil {
		t.Fatal(err)
	}
	if err := x.Upsert(ctx, own); err != nil {
		t.Fatal(err)
	}
	const part = 1000
	for from := 0; from < hidden; from += part {
		others := c.Records(min(part, hidden-from), 1)
		for i := range others {
			others[i].Store = 2
			others[i].Entry = uuid.UUID{0: 2}
			binary.BigEndian.PutUint64(others[i].Entry[8:], uint64(from+i))
		}
		if err := x.Upsert(ctx, others); err != nil {
			t.Fatal(err)
		}
	}
	settle(t, x)
	scope := acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Restricted})
	check := func(state string) {
		t.Helper()
		recall, err := measure.MeasureRecall(ctx, x, exact, queries, func() (acl.Scope, []float32) { return scope, c.Vector() })
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, %d beside %d hidden vectors: recall@10 %.4f, @100 %.4f; p50 %v", state, small, hidden, recall.At10, recall.At100, recall.P50)
		if recall.At10 < floor || recall.At100 < floor {
			t.Errorf("%s: recall@10 %.4f, @100 %.4f, want %v", state, recall.At10, recall.At100, floor)
		}
	}
	check("growing")
	if err := x.Build(ctx); err != nil {
		t.Fatal(err)
	}
	settle(t, x)
	check("sealed")
	hits, err := x.Search(ctx, scope, vector.Query{Vector: c.Vector(), Limit: 2 * small})
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range hits {
		if hit.Entry[0] != 1 {
			t.Fatal("a hidden vector is a hit")
		}
	}
}
