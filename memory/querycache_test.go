package memory

import (
	"strings"
	"testing"

	"mneme/embed"
)

func TestQueryCacheCountsQueriesVectorsAndTokens(t *testing.T) {
	q := newQueryCache(10_000)
	for range 3 {
		q.Put(queryKey{query: strings.Repeat("q", 4000)}, embed.Query{Vector: make([]float32, 10)})
	}
	before := q.Bytes()
	q.Put(queryKey{agent: "ada", fingerprint: "model", query: "tea"}, embed.Query{Vector: make([]float32, 100), Tokens: make([]embed.Token, 10)})
	if grown := q.Bytes() - before; grown < 400+10*(16+64)+11 {
		t.Errorf("a vector of 400 bytes, ten tokens of 80 and their key count as %d", grown)
	}
	q.Put(queryKey{query: strings.Repeat("r", 20_000)}, embed.Query{Vector: make([]float32, 10)})
	if q.Bytes() > 10_000 {
		t.Errorf("%d bytes are cached, limit 10,000", q.Bytes())
	}
}

func TestCachedEmbeddingsAreNotSharedBetweenAgentsOrModels(t *testing.T) {
	q := newQueryCache(1000)
	q.Put(queryKey{agent: "ada", fingerprint: "m1", query: "q"}, embed.Query{Vector: []float32{1}})
	for _, key := range []queryKey{
		{agent: "bob", fingerprint: "m1", query: "q"},
		{agent: "ada", fingerprint: "m2", query: "q"},
	} {
		if _, ok := q.Get(key); ok {
			t.Errorf("%+v finds the embedding of another key", key)
		}
	}
}
