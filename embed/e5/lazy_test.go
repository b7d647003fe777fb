package e5

import (
	"slices"
	"sync"
	"testing"

	"mneme/embed/e5/weightfile"
)

// An encoder that loads its weights at the first use has the same fingerprint and returns
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

func dot(a, b []float32) (sum float32) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// Before the first use only the header of the multilingual model is read.
func TestMultilingualModelIsLoadedAtTheFirstUse(t *testing.T) {
	lazy, err := New(Options{Multilingual: true, Lazy: true, Codes: true})
	if err != nil {
		t.Fatal(err)
	}
	eager, err := New(Options{Multilingual: true, Codes: true})
	if err != nil {
		t.Fatal(err)
	}
	if lazy.model != nil || eager.model == nil {
		t.Error("the weights were loaded before their first use, or not at all")
	}
	if lazy.Fingerprint() != eager.Fingerprint() || lazy.Fingerprint() == codedEncoder(t).Fingerprint() {
		t.Errorf("fingerprints are %s and %s", lazy.Fingerprint(), eager.Fingerprint())
	}
	const text = "Wer trinkt morgens grünen Tee?"
	want := mustQuery(t, eager, text)
	got := mustQuery(t, lazy, text)
	if !slices.Equal(got.Vector, want.Vector) || len(got.Tokens) == 0 || len(got.Tokens) != len(want.Tokens) {
		t.Errorf("the vectors differ, or %d and %d tokens", len(got.Tokens), len(want.Tokens))
	}
	if unrelated, related := lazy.Cosines(); unrelated >= related || lazy.Dim() != width {
		t.Errorf("cosines %g and %g, %d dimensions", unrelated, related, lazy.Dim())
	}
	p := mustPassages(t, lazy, "Alicia bebe té verde por la mañana.", "Der Zug nach Bern fährt um sieben.")
	if near, far := dot(got.Vector, p[0].Vector), dot(got.Vector, p[1].Vector); near <= far {
		t.Errorf("the cosine with the answer is %g, with another text %g", near, far)
	}
}

// Lazy encoders do not verify the embedded weights, so this test does.
func TestBuiltInWeightsMatchTheirChecksums(t *testing.T) {
	for _, model := range []*builtIn{&english, &multilingual} {
		w, err := weightfile.Parse(model.file())
		if err != nil {
			t.Fatal(model.kind, err)
		}
		if sum, bits, err := weightfile.Header(model.file()); err != nil || sum != w.Sum || bits != w.Bits {
			t.Errorf("%s: the header has the sum %x and %d bits: %v", model.kind, sum, bits, err)
		}
	}
	w, err := weightfile.Parse(english.file())
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := weightfile.Vocabulary(english.file())
	if err != nil || !slices.Equal(tokens, w.Vocabulary) {
		t.Errorf("%d tokens, want %d: %v", len(tokens), len(w.Vocabulary), err)
	}
}
