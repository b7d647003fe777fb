package milvus

import (
	"context"
	"errors"
	"testing"
	"time"

	"mneme/test/wait"
	"mneme/vector"
	"mneme/vector/milvus/milvustest"
)

// testConfig returns the configuration of a new collection. It has few partitions, since
// creating partitions takes time.
func testConfig(addr string, dim int) Config {
	return Config{
		Addr: addr, Dim: dim, Fingerprint: "test", Partitions: 2,
		Prefix:   milvustest.NewPrefix(),
		Timeouts: Timeouts{Open: 2 * time.Minute, Search: 2 * time.Minute},
	}
}

// opened opens an index. Its collection is dropped when the test ends.
func opened(t testing.TB, config Config) *Index {
	t.Helper()
	var x *Index
	wait.Until(t, "the server serves the index", func() (err error) { // the server may have just started
		x, err = Open(context.Background(), config, quiet)
		if err != nil && !errors.Is(err, ErrUnavailable) {
			t.Fatalf("open: %v", err)
		}
		return err
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = x.client.DropCollection(ctx, x.name) // the collection or the server may no longer exist
		_ = x.Close()
	})
	return x
}

func settle(t testing.TB, index vector.Index) {
	t.Helper()
	if err := index.(*Index).Settle(context.Background()); err != nil {
		t.Fatalf("settle: %v", err)
	}
}
