package fit

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mneme/embed/e5"
)

func TestTooFewTokensAreAnError(t *testing.T) {
	encoder, err := e5.New(e5.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Passages(t.Context(), encoder, []string{"tea"}); err == nil {
		t.Error("a projection was fitted to one token")
	}
}

func TestDamagedCorporaAreAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corpus.jsonl")
	if err := os.WriteFile(path, []byte("{\"text\": \"a\"}\nnot JSON\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(nil, path); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v", err)
	}
}

func TestPassagesAreEvenlySpaced(t *testing.T) {
	all := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	if got := Evenly(all, 4); !slices.Equal(got, []string{"0", "2", "5", "7"}) {
		t.Errorf("chose %q", got)
	}
	if got := Evenly(all, 10); !slices.Equal(got, all) {
		t.Errorf("chose %q", got)
	}
}

func TestEigenvectorsSatisfyTheirEquation(t *testing.T) {
	const n = 24
	r := rand.New(rand.NewPCG(1, 2))
	m := newMoments(n)
	for range 200 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(3 + r.NormFloat64()*float64(i+1))
		}
		m.add(x)
	}
	mean, a := m.covariance()
	if len(mean) != n || math.Abs(mean[0]-3) > .5 {
		t.Errorf("mean %v", mean)
	}
	values, vectors := eigen(slices.Clone(a), n)
	if !slices.IsSortedFunc(values, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
		t.Errorf("eigenvalues %v", values)
	}
	for e := range n {
		v := vectors[e*n:][:n]
		length, largest := 0.0, 0.0
		for i := range n {
			row := 0.0
			for j := range n {
				row += a[i*n+j] * v[j]
			}
			if d := math.Abs(row - values[e]*v[i]); d > 1e-9*values[0] {
				t.Errorf("eigenvector %d: off by %g", e, d)
			}
			length += v[i] * v[i]
			if math.Abs(v[i]) > math.Abs(largest) {
				largest = v[i]
			}
		}
		if math.Abs(length-1) > 1e-12 || largest < 0 {
			t.Errorf("eigenvector %d: length %v, largest component %v", e, length, largest)
		}
	}
}
