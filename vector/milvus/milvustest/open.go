// Package milvustest gives tests Milvus's collections and servers. It knows
// nothing of vector/milvus, so that tests inside that package can use it too.
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

// Variable names the server that tests use: host:port, without users and TLS.
const Variable = "MNEME_MILVUS_ADDR"

// Addr is the server of Variable. Without one the test is skipped, but fails
// where CI is set.
func Addr(t testing.TB) string {
	t.Helper()
	addr := os.Getenv(Variable)
	if addr == "" {
		const missing = Variable + " names no Milvus (host:port)"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	return addr
}

var prefixes atomic.Int64

// NewPrefix is a beginning that no collection's name has yet.
func NewPrefix() string {
	return fmt.Sprintf("test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), prefixes.Add(1))
}

// Prefix is one whose collections on the server of Variable go with the test.
func Prefix(t testing.TB) (addr, prefix string) {
	t.Helper()
	addr, prefix = Addr(t), NewPrefix()
	t.Cleanup(func() { drop(t, addr, prefix) })
	return addr, prefix
}

func drop(t testing.TB, addr, prefix string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's own has ended
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
