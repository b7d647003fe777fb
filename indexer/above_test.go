package indexer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// recorded is an embedder that records its input texts.
type recorded struct {
	embed.Embedder
	mu   sync.Mutex
	sent []string
}

func (r *recorded) Query(ctx context.Context, text string) (embed.Query, error) {
	r.add(text)
	return r.Embedder.Query(ctx, text)
}

func (r *recorded) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	r.add(texts...)
	return r.Embedder.Passages(ctx, texts)
}

func (r *recorded) add(texts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, texts...)
}

// got reports whether a received text contains a word.
func (r *recorded) got(word string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.sent, func(text string) bool { return strings.Contains(text, word) })
}

// Entries above the label of a remote embedder are found by words only, and answers say so.
// After the label is raised, a reindex embeds the entries that were left out.
func TestNothingAboveItsLabelIsSentToTheEmbedder(t *testing.T) {
	onEachBackend(t, func(t *testing.T, b backendtest.Backend) {
		data, e := b.Open(t), &recorded{Embedder: encoder(t)}
		over := func(label acl.Label) *harness {
			return &harness{backendtest.OpenOver(t, data, backendtest.Options{MaxLabel: label}, e), t}
		}
		h := over(acl.Internal)
		low, high := agent("a", acl.Internal), agent("a", acl.Confidential)
		waiting := func(r *memory.PutRequest) { r.Wait, r.Similar = true, true }
		stop := h.running()
		if got := h.put(low, "a", "low", "herons nest in a lowland oak", waiting); !got.Indexed || got.Similar == nil {
			t.Errorf("at the label: %+v", got)
		}
		if got := h.put(high, "a", "high", "herons nest in a secret poplar", waiting); got.Indexed || got.Similar != nil || got.SimilarLate {
			t.Errorf("above it: %+v", got)
		}
		stop()
		h.Index()
		// cosines searches, and returns how many of the expected hits have a cosine.
		cosines := func(h *harness, c memory.Caller, question string, hits int, degraded ...string) (n int) {
			t.Helper()
			answer := h.search(c, search.Request{Query: question, Explain: true})
			if len(answer.Hits) != hits || !slices.Equal(answer.Degraded, degraded) {
				t.Errorf("%q: %d hits, degraded %v", question, len(answer.Hits), answer.Degraded)
			}
			for _, hit := range answer.Hits {
				if hit.Explain.Parts.Cosine != nil {
					n++
				}
			}
			return n
		}
		if n := cosines(h, high, "private: where do herons nest?", 2, search.LegVector); n != 0 {
			t.Errorf("%d hits were compared by their vectors", n)
		}
		if _, err := h.Search(background, high, search.Request{Query: "private: herons", Mode: search.ModeVector, Limit: 1}); !errors.Is(err, search.ErrNoVectors) {
			t.Errorf("by meaning alone: %v", err)
		}
		if n := cosines(h, low, "lowland: where do herons nest?", 1); n != 1 {
			t.Errorf("%d hits were compared by their vectors", n)
		}
		must(h, h.Reindex(background, nil)) // no vectors are missing
		if status := h.Status(background); status.Queue != 0 {
			t.Errorf("%d entries wait", status.Queue)
		}
		if e.got("secret") || e.got("private") || !e.got("lowland oak") || !e.got("lowland:") {
			t.Errorf("sent %q", e.sent)
		}

		raised := over(0)
		must(raised, raised.Reindex(background, nil))
		if n := cosines(raised, high, "private: where do herons nest?", 2); n != 2 || !e.got("secret") || !e.got("private") {
			t.Errorf("after the label was raised: %d hits compared, sent %q", n, e.sent)
		}
	})
}
