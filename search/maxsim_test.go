package search_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/maxsim"
	"mneme/search"
	"mneme/test/backendtest"
)

// wordCoder wraps an embedder. It adds a token for each word, and each word has its own
// direction.
type wordCoder struct{ embed.Embedder }

func (w wordCoder) Fingerprint() string { return w.Embedder.Fingerprint() + "+words" }

func (w wordCoder) Query(ctx context.Context, text string) (embed.Query, error) {
	q, err := w.Embedder.Query(ctx, text)
	q.Tokens = nil
	for _, word := range strings.Fields(text) {
		start := strings.Index(text, word)
		q.Tokens = append(q.Tokens, embed.Token{Start: start, End: start + len(word), Vector: maxsim.Quantize(direction(word))})
	}
	return q, err
}

func (w wordCoder) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	passages, err := w.Embedder.Passages(ctx, texts)
	for i := range passages {
		passages[i].Codes = nil
		for _, word := range strings.Fields(texts[i]) {
			passages[i].Codes = maxsim.AppendCode(passages[i].Codes, direction(word))
		}
	}
	return passages, err
}

// direction returns a different unit vector for each word of the tests.
func direction(word string) *[maxsim.Dim]float32 {
	var x [maxsim.Dim]float32
	x[slices.Index([]string{"heron", "pond", "lake", "water", "the"}, word)+1] = 1
	return &x
}

// MaxSim is the weighted mean over the question's tokens: those of rare words weigh more than
// those of common words, and a stop word as much as a word that half of the entries have.
func TestMaxSimIsWeightedByRarity(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := openOver(t, b.Open(t), backendtest.Options{}, wordCoder{encoder(t)})
		a := agent("a", acl.Public)
		for key, note := range map[string]string{"both": "heron pond", "rare": "heron lake", "common": "pond lake", "neither": "lake", "another": "pond", "last": "pond water"} {
			h.PutText(a, "a", key, note, 201)
		}
		h.Index()
		maxSim := make(map[string]float64)
		for _, hit := range h.MustSearch(a, search.Request{Query: "the heron pond", Explain: true}).Hits {
			p := hit.Explain.Parts
			if p.MaxSim == nil || p.ChunkTokens < 1 {
				t.Fatalf("%s: parts %+v", hit.Key, p)
			}
			maxSim[hit.Key] = *p.MaxSim
		}
		if !(maxSim["both"] > 0.6 && maxSim["both"] < 1 && maxSim["both"] > maxSim["rare"] && maxSim["rare"] > maxSim["common"] && maxSim["common"] > maxSim["neither"]) {
			t.Errorf("MaxSim %v", maxSim)
		}
		if math.Abs(maxSim["rare"]+maxSim["common"]-maxSim["both"]) > 1e-6 {
			t.Errorf("the words' shares do not add up: %v", maxSim)
		}
	})
}

// MaxSim compares the tokens of the greatest weight in a long question.
func TestALongQuestionKeepsItsRareWords(t *testing.T) {
	h := openOver(t, backendtest.Embedded().Open(t), backendtest.Options{}, wordCoder{encoder(t)})
	a := agent("a", acl.Public)
	h.PutText(a, "a", "k", "the heron", 201)
	h.Index()
	hits := h.MustSearch(a, search.Request{Query: strings.Repeat("the ", 60) + "heron", Explain: true}).Hits
	if len(hits) != 1 || hits[0].Explain.Parts.MaxSim == nil || *hits[0].Explain.Parts.MaxSim < 0.99 {
		t.Errorf("hits %+v", hits)
	}
}
