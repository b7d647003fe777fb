package cache

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/embed"
)

func TestQueryCacheCountsQueriesVectorsAndTokens(t *testing.T) {
	q := NewQueries(10_000)
	for range 3 {
		q.Put(QueryKey{Query: strings.Repeat("q", 4000)}, embed.Query{Vector: make([]float32, 10)})
	}
	before := q.Bytes()
	q.Put(QueryKey{Reader: readerOf("ada", acl.Public), Fingerprint: "model", Query: "tea"}, embed.Query{Vector: make([]float32, 100), Tokens: make([]embed.Token, 10)})
	if grown := q.Bytes() - before; grown < 400+10*(16+64)+8 {
		t.Errorf("a vector of 400 bytes, ten tokens of 80 and their key count as %d", grown)
	}
	q.Put(QueryKey{Query: strings.Repeat("r", 20_000)}, embed.Query{Vector: make([]float32, 10)})
	if q.Bytes() > 10_000 {
		t.Errorf("%d bytes are cached, limit 10,000", q.Bytes())
	}
}

func TestCachedEmbeddingsAreNotSharedBetweenAgentsTaintsOrModels(t *testing.T) {
	q := NewQueries(1000)
	q.Put(QueryKey{Reader: readerOf("ada", acl.Public), Fingerprint: "m1", Query: "q"}, embed.Query{Vector: []float32{1}})
	for _, key := range []QueryKey{
		{Reader: readerOf("bob", acl.Public), Fingerprint: "m1", Query: "q"},
		{Reader: readerOf("ada", acl.Public), Fingerprint: "m2", Query: "q"},
		{Reader: readerOf("ada", acl.Restricted), Fingerprint: "m1", Query: "q"},
	} {
		if _, ok := q.Get(key); ok {
			t.Errorf("%+v finds the embedding of another key", key)
		}
	}
}

// blocking is an embedder that waits until it is released, or its context ends.
type blocking struct {
	embed.Embedder
	asked   chan string
	release chan error
	ended   chan struct{}
}

func newBlocking() *blocking {
	return &blocking{asked: make(chan string, 10), release: make(chan error), ended: make(chan struct{}, 10)}
}

func (b *blocking) Query(ctx context.Context, text string) (embed.Query, error) {
	b.asked <- text
	select {
	case err := <-b.release:
		return embed.Query{Vector: []float32{1}}, err
	case <-ctx.Done():
		b.ended <- struct{}{}
		return embed.Query{}, ctx.Err()
	}
}

// embedIn calls Embed in a goroutine, and returns once that call waits.
func embedIn(ctx context.Context, q *Queries, key QueryKey, e embed.Embedder) <-chan error {
	waiting := func() int {
		q.mu.Lock()
		defer q.mu.Unlock()
		if m := q.making[key]; m != nil {
			return m.callers
		}
		return 0
	}
	before := waiting()
	result := make(chan error, 1)
	go func() {
		embedding, err := q.Embed(ctx, key, e)
		if err == nil && embedding.Vector == nil {
			err = errors.New("no vector")
		}
		result <- err
	}()
	for waiting() == before {
		runtime.Gosched()
	}
	return result
}

func TestTheSameQuestionOfAnAgentIsEmbeddedOnceAtATime(t *testing.T) {
	q, e := NewQueries(10_000), newBlocking()
	ada, bob := QueryKey{Reader: readerOf("ada", acl.Public), Query: "q"}, QueryKey{Reader: readerOf("bob", acl.Public), Query: "q"}
	results := []<-chan error{embedIn(t.Context(), q, ada, e), embedIn(t.Context(), q, ada, e), embedIn(t.Context(), q, bob, e)}
	e.release <- nil
	e.release <- nil
	for _, result := range results {
		if err := <-result; err != nil {
			t.Error(err)
		}
	}
	if len(e.asked) != 2 {
		t.Errorf("the embedder was asked %d times, want once for each agent", len(e.asked))
	}
	if _, ok := q.Get(ada); !ok || len(q.making) != 0 {
		t.Errorf("cached: %v; still being made: %d", ok, len(q.making))
	}
}

func TestAnEmbeddingEndsWithItsLastCaller(t *testing.T) {
	q, e := NewQueries(10_000), newBlocking()
	key := QueryKey{Reader: readerOf("ada", acl.Public), Query: "q"}
	first, cancelFirst := context.WithCancel(t.Context())
	second, cancelSecond := context.WithCancel(t.Context())
	defer cancelSecond()
	results := []<-chan error{embedIn(first, q, key, e), embedIn(second, q, key, e)}
	cancelFirst()
	if err := <-results[0]; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(e.ended) > 0 {
		t.Fatal("the embedding ended although a caller waits for it")
	}
	cancelSecond()
	if err := <-results[1]; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-e.ended
	again := embedIn(t.Context(), q, key, e)
	e.release <- nil // to a new call of the embedder
	if err := <-again; err != nil {
		t.Error(err)
	}
}

func TestAFailedEmbeddingIsNotCached(t *testing.T) {
	q, e := NewQueries(10_000), newBlocking()
	key := QueryKey{Reader: readerOf("ada", acl.Public), Query: "q"}
	failed := errors.New("away")
	result := embedIn(t.Context(), q, key, e)
	e.release <- failed
	if err := <-result; !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if _, ok := q.Get(key); ok || len(q.making) != 0 {
		t.Errorf("cached: %v; still being made: %d", ok, len(q.making))
	}
}
