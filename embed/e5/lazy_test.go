package e5

import (
	"slices"
	"sync"
	"testing"

	"mneme/embed/e5/weightfile"
)

// An encoder that loads its weights at the first use has the same fingerprint and
// the same vectors, whichever call comes first.
func TestLazyEncoderEqualsALoadedOne(t *testing.T) {
	eager := codedEncoder(t)
	lazy, err := New(Options{Lazy: true, Codes: true})
	if err != nil {
		t.Fatal(err)
	}
	if lazy.model != nil {
		t.Error("the weights were loaded before their first use")
	}
	if lazy.Fingerprint() != eager.Fingerprint() {
		t.Errorf("fingerprints are %s and %s", lazy.Fingerprint(), eager.Fingerprint())
	}
	const text = "Alice drinks green tea in the morning."
	want, err := eager.Query(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := lazy.Query(t.Context(), text)
			if err != nil || !slices.Equal(got.Vector, want.Vector) || len(got.Tokens) != len(want.Tokens) {
				t.Errorf("the vectors differ: %v", err)
			}
		})
		wg.Go(lazy.Load)
	}
	wg.Wait()
	if got, err := lazy.Query(t.Context(), text); err != nil || !slices.Equal(got.Vector, want.Vector) {
		t.Errorf("the vectors differ after the pages were released: %v", err)
	}
	for name, use := range map[string]func(e *Encoder) int{
		"Split":       func(e *Encoder) int { return len(e.Split("", text)) },
		"QueryTokens": func(e *Encoder) int { return len(e.QueryTokens(text)) },
		"CodeSpans":   func(e *Encoder) int { return len(e.CodeSpans("", text, []int{0})[0]) },
		"Passages": func(e *Encoder) int {
			passages, err := e.Passages(t.Context(), []string{text})
			if err != nil {
				t.Fatal(err)
			}
			return len(passages[0].Codes)
		},
		"TokenVectors": func(e *Encoder) int {
			vectors, err := e.TokenVectors(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			return len(vectors)
		},
	} {
		t.Run(name, func(t *testing.T) {
			fresh, err := New(Options{Lazy: true, Codes: true})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := use(fresh), use(eager); got != want || got == 0 {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

// Lazy encoders do not verify the embedded weights, so this test does.
func TestEmbeddedWeightsAreWhole(t *testing.T) {
	w, err := weightfile.Parse(embeddedBytes())
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := weightfile.Vocabulary(embeddedBytes())
	if err != nil || !slices.Equal(tokens, w.Vocabulary) {
		t.Errorf("%d tokens, want %d: %v", len(tokens), len(w.Vocabulary), err)
	}
	if sum, err := weightfile.Sum(embeddedBytes()); err != nil || sum != w.Sum {
		t.Errorf("the sum is %x: %v", sum, err)
	}
}
