// Package milvustest provides Milvus servers and collections for tests. It does
// not import vector/milvus, so that tests inside that package can use it.
package milvustest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
)

// Variable is the environment variable with the host:port of the Milvus server
// that tests use. It must have neither users nor TLS.
const Variable = "MNEME_MILVUS_ADDR"

// Addr returns the address of the server, from Variable. If Variable is not set, Addr skips the
// test; in CI (the variable CI is set), it fails the test instead.
func Addr(t testing.TB) string {
	t.Helper()
	addr := os.Getenv(Variable)
	if addr == "" {
		const missing = Variable + " is not set (host:port of a Milvus)"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return addr
}

var prefixes atomic.Int64

// NewPrefix returns a prefix that no collection uses yet.
func NewPrefix() string {
	return fmt.Sprintf("test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), prefixes.Add(1))
}

// Prefix returns the address of the server and a new prefix. Collections with this prefix are
// dropped when the test ends.
func Prefix(t testing.TB) (addr, prefix string) {
	t.Helper()
	addr, prefix = Addr(t), NewPrefix()
	t.Cleanup(func() { drop(t, addr, prefix) })
	return addr, prefix
}

func drop(t testing.TB, addr, prefix string) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute) // the test's own has ended
	defer cancel()
	conn, err := client.NewClient(ctx, client.Config{Address: addr})
	if err != nil {
		t.Errorf("drop collections: %v", err)
		return
	}
	defer conn.Close()
	collections, err := conn.ListCollections(ctx)
	if err != nil {
		t.Errorf("drop collections: %v", err)
	}
	for _, one := range collections {
		if !strings.HasPrefix(one.Name, prefix+"_") {
			continue
		}
		if err := conn.DropCollection(ctx, one.Name); err != nil {
			t.Errorf("drop collections: %v", err)
		}
	}
}
