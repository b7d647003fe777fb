package memory

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestQueryCacheIsBoundedByBytes(t *testing.T) {
	const limit = 10_000
	q := newQueryCache(limit)
	for i := range 1000 {
		key := queryKey{agent: "ada", fingerprint: "model", query: fmt.Sprint(i, strings.Repeat("q", i%3000))}
		q.put(key, make([]float32, 1+i%100))
		total := 0
		for _, key := range q.lru.Keys() {
			vector, _ := q.lru.Peek(key)
			total += cachedBytes(key, vector)
		}
		if total != q.bytes || total > limit {
			t.Fatalf("after %d queries %d bytes are counted and %d held, limit %d", i+1, q.bytes, total, limit)
		}
	}
}

func TestQueryCacheEvictsTheLeastRecentlyUsed(t *testing.T) {
	key := func(query string) queryKey { return queryKey{query: query} }
	q := newQueryCache(15) // three queries of one byte, with a vector of one element
	for _, query := range []string{"a", "b", "c"} {
		q.put(key(query), []float32{1})
	}
	q.get(key("a"))
	q.put(key("d"), []float32{1})
	for query, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if _, ok := q.get(key(query)); ok != want {
			t.Errorf("%s is cached: %v, want %v", query, ok, want)
		}
	}
}

func TestQueryLargerThanTheCacheIsNotCached(t *testing.T) {
	q := newQueryCache(1000)
	q.put(queryKey{query: "short"}, []float32{1})
	q.put(queryKey{query: strings.Repeat("long", 250)}, []float32{1})
	if _, ok := q.get(queryKey{query: "short"}); !ok || q.lru.Len() != 1 {
		t.Errorf("%d queries are cached, want the short one", q.lru.Len())
	}
}

func TestReplacedVectorIsCountedOnce(t *testing.T) {
	q := newQueryCache(1000)
	key := queryKey{query: "q"}
	q.put(key, make([]float32, 100))
	q.put(key, []float32{1, 2})
	if v, _ := q.get(key); len(v) != 2 || q.bytes != 1+2*4 {
		t.Errorf("got a vector of %d elements, %d bytes counted", len(v), q.bytes)
	}
}

func TestCachedVectorsAreNotSharedBetweenAgentsOrModels(t *testing.T) {
	q := newQueryCache(1000)
	q.put(queryKey{agent: "ada", fingerprint: "m1", query: "q"}, []float32{1})
	for _, key := range []queryKey{
		{agent: "bob", fingerprint: "m1", query: "q"},
		{agent: "ada", fingerprint: "m2", query: "q"},
	} {
		if _, ok := q.get(key); ok {
			t.Errorf("%+v finds the vector of another key", key)
		}
	}
}

func TestQueryCacheIsSafeForConcurrentUse(t *testing.T) {
	q := newQueryCache(500)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 500 {
				key := queryKey{query: fmt.Sprint(i % 50)}
				q.put(key, make([]float32, 10))
				q.get(key)
			}
		})
	}
	group.Wait()
	if q.bytes > 500 {
		t.Errorf("%d bytes", q.bytes)
	}
}
