package workload

import (
	"cmp"
	"slices"
	"testing"

	"mneme/embed"
	"mneme/embed/e5"
)

func TestSeedAndNumberDetermineAMemory(t *testing.T) {
	one, again := NewMemory(1, 5), NewMemory(1, 5)
	if one != again || one == NewMemory(2, 5) || one == NewMemory(1, 6) {
		t.Error("memories differ for the same seed and number, or are equal for different ones")
	}
}

// Synthetic vectors have the properties that docs/measured.md states: they are in the
// model's cone, a question finds its memory, and a text has one vector.
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
	passages, err := s.Passages(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Passages(t.Context(), texts[:1])
	if err != nil || !slices.Equal(again[0].Vector, passages[0].Vector) {
		t.Errorf("the same text has different vectors, or error %v", err)
	}
	found := 0
	for i := range asked {
		question, err := s.Query(t.Context(), NewMemory(1, i).Question())
		if err != nil {
			t.Fatal(err)
		}
		nearest := slices.MaxFunc(passages, func(a, b embed.Passage) int {
			return cmp.Compare(cosine(question.Vector, a.Vector), cosine(question.Vector, b.Vector))
		})
		if slices.Equal(nearest.Vector, passages[i].Vector) {
			found++
		}
		if c := cosine(passages[i].Vector, passages[many-1-i].Vector); c < .7 || c > .98 {
			t.Errorf("the cosine of two texts is %.3f", c)
		}
	}
	if found < asked*3/4 {
		t.Errorf("%d of %d questions are nearest to their memory", found, asked)
	}
}

func cosine(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
