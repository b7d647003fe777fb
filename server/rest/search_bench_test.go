package rest_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/maxsim"
	"mneme/internal/workload"
	"mneme/memory"
	"mneme/server/limit"
	"mneme/test/backendtest"
)

// wordEmbedder embeds each word as a random direction, and a text as the sum of its
// words.
type wordEmbedder struct{ embed.Embedder }

const wordDim = 384

func (wordEmbedder) Fingerprint() string                   { return "words/v1" }
func (wordEmbedder) Dim() int                              { return wordDim }
func (wordEmbedder) Cosines() (unrelated, related float64) { return 0, 0.5 }
func (wordEmbedder) Split(header, text string) []string    { return []string{header + "\n" + text} }
func (wordEmbedder) Spans(_, text string) [][2]int         { return [][2]int{{0, len(text)}} }

// add adds a word's direction to sum, and returns the vector of its token.
func (wordEmbedder) add(sum []float32, word string) (token [maxsim.Dim]float32) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word)) // it never fails
	direction := workload.Direction(rand.New(rand.NewPCG(h.Sum64(), 1)), wordDim)
	for i, x := range direction {
		sum[i] += x
	}
	copy(token[:], direction)
	return token
}

func (w wordEmbedder) Query(_ context.Context, text string) (embed.Query, error) {
	sum := make([]float32, wordDim)
	var q embed.Query
	at := 0
	for word := range strings.FieldsSeq(text) {
		token := w.add(sum, word)
		start := at + strings.Index(text[at:], word)
		at = start + len(word)
		q.Tokens = append(q.Tokens, embed.Token{Start: start, End: at, Vector: maxsim.Quantize(&token)})
	}
	q.Vector = unit(sum)
	return q, nil
}

func (w wordEmbedder) Passages(_ context.Context, texts []string) ([]embed.Passage, error) {
	passages := make([]embed.Passage, len(texts))
	for i, text := range texts {
		sum := make([]float32, wordDim)
		for word := range strings.FieldsSeq(text) {
			token := w.add(sum, word)
			passages[i].Codes = maxsim.AppendCode(passages[i].Codes, &token)
		}
		passages[i].Vector = unit(sum)
	}
	return passages, nil
}

// unit returns v at unit length.
func unit(v []float32) []float32 {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

// BenchmarkSearch repeats questions about one of four stores of 800 entries that are shared
// with the caller: it measures everything in a search except the encoder.
//
//	go test ./server/rest -run '^$' -bench 'Search$' -benchmem
func BenchmarkSearch(b *testing.B) {
	h := openOn(b, backendtest.Embedded(), memory.Limits{}, nil, limit.Rate{}, wordEmbedder{})
	zipf, size, stores := workload.NewZipf(1), 400, []string{"ann", "ben", "cleo", "dan"}
	if testing.Short() {
		size = 25
	}
	for _, store := range stores {
		owner := agent(store, acl.Public)
		h.want(http.StatusOK, owner, http.MethodPut, "/v1/stores/self/grants/alice", `{"level":"read"}`)
		for batch := range 2 {
			var requests []memory.PutRequest
			for i := range size {
				at := memory.Path{Store: store, Key: fmt.Sprintf("note %d.%d", batch, i)}
				requests = append(requests, memory.PutRequest{Path: at, Value: backendtest.Text(zipf.Text(20))})
			}
			if _, err := h.service.PutAll(b.Context(), backendtest.Caller(owner), requests); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := h.process.Drain(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	token, bodies := "Bearer "+h.Token(alice), make([]string, 64)
	for i := range bodies {
		bodies[i] = fmt.Sprintf(`{"query":%q,"stores":[%q],"limit":10}`, zipf.Text(8), stores[i%len(stores)])
	}
	search := func(body string) *discard {
		r := httptest.NewRequest(http.MethodPost, "/v1/search", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", token)
		w := &discard{header: make(http.Header)}
		h.ServeHTTP(w, r)
		return w
	}
	for range 2 {
		for _, body := range bodies {
			if answer := search(body); answer.bytes < 1000 {
				b.Fatalf("an answer of %d bytes", answer.bytes)
			}
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		search(bodies[i%len(bodies)])
	}
}
