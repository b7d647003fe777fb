package e5

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// golden is one row of golden/e5-small-v2.jsonl: token ids by the reference
// tokenizer, vector by ONNX Runtime in fp32.
type golden struct {
	Prefix, Text string
	IDs          []int32
	Vector       []float32
}

func goldenRows(t testing.TB) []golden {
	t.Helper()
	shared := os.Getenv("MNEME_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "..", "shared")
	}
	f, err := os.Open(filepath.Join(shared, "golden", "e5-small-v2.jsonl"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("golden rows are required in CI: %v", err)
		}
		t.Skip("no golden rows: MNEME_SHARED is the directory that contains golden/")
	}
	defer f.Close()
	var rows []golden
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var r golden
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if err := sc.Err(); err != nil || len(rows) == 0 {
		t.Fatalf("%d golden rows, error %v", len(rows), err)
	}
	return rows
}

// encoder is loaded once for all tests.
var encoder = sync.OnceValues(func() (*Encoder, error) { return New(Options{}) })

func testEncoder(t testing.TB) *Encoder {
	t.Helper()
	e, err := encoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// reference is an encoder with the normalization of uncased BERT, which the golden files need.
// The built-in encoder normalizes some letters more: see scanner.flush.
var reference = sync.OnceValues(func() (*Encoder, error) {
	e, err := New(Options{})
	if err == nil {
		e.Load()
		e.tokenizer.(*wordPiece).form = norm.NFD
	}
	return e, err
})

func referenceEncoder(t testing.TB) *Encoder {
	t.Helper()
	e, err := reference()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestGoldenTokenIDsAreEqual(t *testing.T) {
	e := referenceEncoder(t)
	for _, r := range goldenRows(t) {
		if got := e.tokenizer.encode(r.Prefix, r.Text); !slices.Equal(got, r.IDs) {
			t.Errorf("%q %q:\n got %d\nwant %d", r.Prefix, r.Text, got, r.IDs)
		}
	}
}

func TestGoldenVectorsAreWithinCosine(t *testing.T) {
	e := referenceEncoder(t)
	least, worst := 1.0, ""
	for _, r := range goldenRows(t) {
		var got []float32
		if r.Prefix == queryPrefix {
			v, err := e.Query(t.Context(), r.Text)
			if err != nil {
				t.Fatal(err)
			}
			got = v.Vector
		} else {
			v, err := e.Passages(t.Context(), []string{r.Text})
			if err != nil {
				t.Fatal(err)
			}
			got = v[0].Vector
		}
		c := cosine(got, r.Vector)
		if c < least {
			least, worst = c, r.Prefix+r.Text
		}
		if c < 0.9995 {
			t.Errorf("%q %q: cosine %.6f", r.Prefix, r.Text, c)
		}
	}
	t.Logf("smallest cosine %.6f (%q), kernels %s", least, worst, e.Kernels())
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
