// Package e5test loads the built-in models for tests. It is a package of its own, so that only
// the test programs that need a model contain the weights.
package e5test

import (
	"context"
	"sync"
	"testing"

	"mneme/embed"
	"mneme/embed/e5"
)

// Encoder loads the built-in E5 encoder, once per process. It caches embeddings, since
// tests embed the same few texts repeatedly.
var Encoder = sync.OnceValues(func() (*CachingEmbedder, error) {
	e, err := e5.New(e5.Options{})
	if err != nil {
		return nil, err
	}
	return NewCachingEmbedder(e), nil
})

// MultilingualEncoder is Encoder for the built-in multilingual model.
var MultilingualEncoder = sync.OnceValues(func() (*CachingEmbedder, error) {
	e, err := e5.New(e5.Options{Multilingual: true, Lazy: true})
	if err != nil {
		return nil, err
	}
	return NewCachingEmbedder(e), nil
})

// CachingEmbedder is an embedder that caches the embedding of each text.
type CachingEmbedder struct {
	embed.Embedder
	mu       sync.Mutex
	queries  map[string]embed.Query
	passages map[string]embed.Passage
}

// NewCachingEmbedder wraps an embedder in a cache.
func NewCachingEmbedder(e embed.Embedder) *CachingEmbedder {
	return &CachingEmbedder{Embedder: e, queries: make(map[string]embed.Query), passages: make(map[string]embed.Passage)}
}

// Query implements embed.Embedder.
func (r *CachingEmbedder) Query(ctx context.Context, text string) (embed.Query, error) {
	made, err := cached(&r.mu, r.queries, []string{text}, func(texts []string) ([]embed.Query, error) {
		q, err := r.Embedder.Query(ctx, texts[0])
		return []embed.Query{q}, err
	})
	if err != nil {
		return embed.Query{}, err
	}
	return made[0], nil
}

// Passages implements embed.Embedder.
func (r *CachingEmbedder) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	return cached(&r.mu, r.passages, texts, func(texts []string) ([]embed.Passage, error) { return r.Embedder.Passages(ctx, texts) })
}

// cached returns the embeddings of texts. It embeds only texts that are not in the cache.
func cached[T any](mu *sync.Mutex, cache map[string]T, texts []string, embedAll func([]string) ([]T, error)) ([]T, error) {
	mu.Lock()
	defer mu.Unlock()
	asked := make(map[string]bool)
	var missing []string
	for _, text := range texts {
		if _, ok := cache[text]; !ok && !asked[text] {
			asked[text] = true
			missing = append(missing, text)
		}
	}
	if len(missing) > 0 {
		made, err := embedAll(missing)
		if err != nil {
			return nil, err
		}
		for i, v := range made {
			cache[missing[i]] = v
		}
	}
	all := make([]T, len(texts))
	for i, text := range texts {
		all[i] = cache[text]
	}
	return all, nil
}

// MustEncoder is Encoder for a test, which it fails if the encoder cannot load.
func MustEncoder(t testing.TB) *CachingEmbedder {
	t.Helper()
	e, err := Encoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}
