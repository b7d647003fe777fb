package speed

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/e5"
	"mneme/vector"
)

func TestMemoriesAreTheSameForASeed(t *testing.T) {
	one, again := NewMemory(1, 5), NewMemory(1, 5)
	if one != again || one == NewMemory(2, 5) || one == NewMemory(1, 6) {
		t.Error("a seed and a number do not decide")
	}
}

func TestQuantileIsTheSmallestThatCovers(t *testing.T) {
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(i+1))
	}
	for _, c := range []struct {
		of   []time.Duration
		q    float64
		want time.Duration
	}{{all, .5, 50}, {all, .99, 99}, {all, 1, 100}, {all[:1], .99, 1}, {nil, .5, 0}} {
		if got := Quantile(c.of, c.q); got != c.want {
			t.Errorf("%g of %d: %d, want %d", c.q, len(c.of), got, c.want)
		}
	}
}

// listed is an index that always finds the same.
type listed struct {
	vector.Index
	hits []vector.Hit
}

func (l listed) Search(context.Context, acl.Scope, vector.Query) ([]vector.Hit, error) {
	return l.hits, nil
}

func TestRecallIsTheShareOfTheFirstThatWasFound(t *testing.T) {
	hit := func(n byte, score float64) vector.Hit { return vector.Hit{Entry: uuid.UUID{n}, Score: score} }
	var exact []vector.Hit
	for n := range 20 {
		exact = append(exact, hit(byte(n), 1-float64(n)/100))
	}
	tie := hit(99, exact[9].Score)
	for name, c := range map[string]struct {
		got         []vector.Hit
		at10, at100 float64
		want        []vector.Hit
	}{
		"all":              {got: exact, want: exact, at10: 1, at100: 1},
		"nothing":          {got: nil, want: exact},
		"one missing":      {got: exact[1:], want: exact, at10: .9, at100: .95},
		"a tie is as good": {got: slices.Concat(exact[:9], []vector.Hit{tie}), want: exact, at10: 1, at100: .5},
		"nothing to find":  {got: nil, want: nil, at10: 1, at100: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := MeasureRecall(t.Context(), listed{hits: c.got}, listed{hits: c.want}, 4, func() (acl.Scope, []float32) {
				return acl.Scope{}, nil
			})
			if err != nil || r.At10 != c.at10 || r.At100 != c.at100 || r.At200 != r.At100 {
				t.Errorf("got %+v, error %v", r, err)
			}
		})
	}
}

// What the decision says of synthetic vectors: they lie in the model's cone,
// a question finds its memory, and a text has one vector.
func TestSyntheticVectorsResembleTheModels(t *testing.T) {
	model, err := e5.New(e5.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSynthetic(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	if s.Fingerprint() == model.Fingerprint() || s.Dim() != model.Dim() {
		t.Errorf("fingerprint %s, dim %d", s.Fingerprint(), s.Dim())
	}
	const many, asked = 1000, 20
	var texts []string
	for i := range many {
		texts = append(texts, NewMemory(1, i).Text())
	}
	vectors, err := s.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Passages(t.Context(), texts[:1])
	if err != nil || !slices.Equal(again[0], vectors[0]) {
		t.Errorf("another vector for the same text, error %v", err)
	}
	found := 0
	for i := range asked {
		question, err := s.Query(t.Context(), NewMemory(1, i).Question())
		if err != nil {
			t.Fatal(err)
		}
		nearest := slices.MaxFunc(vectors, func(a, b []float32) int { return cmp.Compare(cosine(question, a), cosine(question, b)) })
		if slices.Equal(nearest, vectors[i]) {
			found++
		}
		if c := cosine(vectors[i], vectors[many-1-i]); c < .7 || c > .98 {
			t.Errorf("two texts have the cosine %.3f", c)
		}
	}
	if found < asked*3/4 {
		t.Errorf("%d of %d questions lie nearest to what they ask for", found, asked)
	}
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
