package backendtest

import (
	"context"
	"sync"
	"testing"

	"mneme/embed"
	"mneme/embed/e5"
)

// Encoder loads the built-in E5 encoder, once in a process. It caches vectors,
// since tests embed the same few texts again and again.
var Encoder = sync.OnceValues(func() (*CachingEmbedder, error) {
	e, err := e5.New(e5.Options{})
	if err != nil {
		return nil, err
	}
	return NewCachingEmbedder(e), nil
})

// CachingEmbedder is an embedder that caches the vector of each text.
type CachingEmbedder struct {
	embed.Embedder
	mu   sync.Mutex
	seen map[string][]float32
}

// NewCachingEmbedder wraps an embedder in a cache.
func NewCachingEmbedder(e embed.Embedder) *CachingEmbedder {
	return &CachingEmbedder{Embedder: e, seen: make(map[string][]float32)}
}

// Query implements embed.Embedder.
func (r *CachingEmbedder) Query(ctx context.Context, text string) ([]float32, error) {
	vectors, err := r.once("query\x00", []string{text}, func(texts []string) ([][]float32, error) {
		v, err := r.Embedder.Query(ctx, texts[0])
		return [][]float32{v}, err
	})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// Passages implements embed.Embedder.
func (r *CachingEmbedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	return r.once("passage\x00", texts, func(texts []string) ([][]float32, error) { return r.Embedder.Passages(ctx, texts) })
}

// once returns the vectors of texts, embedding only those that are not cached.
func (r *CachingEmbedder) once(kind string, texts []string, embed func([]string) ([][]float32, error)) ([][]float32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := make(map[string]bool)
	var missing []string
	for _, text := range texts {
		if r.seen[kind+text] == nil && !asked[text] {
			asked[text] = true
			missing = append(missing, text)
		}
	}
	if len(missing) > 0 {
		made, err := embed(missing)
		if err != nil {
			return nil, err
		}
		for i, v := range made {
			r.seen[kind+missing[i]] = v
		}
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = r.seen[kind+text]
	}
	return vectors, nil
}

// MustEncoder is Encoder for a test, which fails if the encoder cannot load.
func MustEncoder(t testing.TB) *CachingEmbedder {
	t.Helper()
	e, err := Encoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}
