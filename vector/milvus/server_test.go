package milvus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"mneme/vector"
)

// server is the address of a running Milvus, MNEME_MILVUS_ADDR. Without one a
// test is skipped, but fails where CI is set.
func server(t testing.TB) string {
	t.Helper()
	addr := os.Getenv("MNEME_MILVUS_ADDR")
	if addr != "" {
		return addr
	}
	const missing = "MNEME_MILVUS_ADDR names no Milvus (host:port)"
	if os.Getenv("CI") != "" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

var collections atomic.Int64

// testConfig is a collection of its own on a server, of few partitions, which
// are made faster.
func testConfig(addr string, dim int) Config {
	return Config{
		Addr: addr, Dim: dim, Fingerprint: "test", Partitions: 2,
		Prefix:   fmt.Sprintf("test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), collections.Add(1)),
		Timeouts: Timeouts{Open: time.Minute, Search: 30 * time.Second},
	}
}

// opened opens an index whose collection goes with the test.
func opened(t testing.TB, config Config) *Index {
	t.Helper()
	var x *Index
	eventually(t, func() (err error) { // the server may just have started
		x, err = Open(context.Background(), config, quiet)
		if err != nil && !errors.Is(err, ErrUnavailable) {
			t.Fatalf("open: %v", err)
		}
		return err
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = x.client.DropCollection(ctx, x.name) // may be gone, or its server
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
