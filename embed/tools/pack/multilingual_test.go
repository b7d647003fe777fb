package pack

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"mneme/embed/e5"
	"mneme/embed/e5/weightfile"
	"mneme/embed/tools/pack/packtest"
)

var multilingualEncoder = sync.OnceValues(func() (*e5.Encoder, error) {
	return e5.New(e5.Options{Multilingual: true})
})

// The reference vectors are by testdata/multilingual.py. It computes in double precision, with
// the parameters from which the built-in file was packed.
func TestTheMultilingualModelGivesTheReferencesVectors(t *testing.T) {
	var rows []struct {
		Text   string
		IDs    []int32
		Vector []float64
	}
	readGolden(t, "multilingual.json", &rows)
	e, err := multilingualEncoder()
	if err != nil {
		t.Fatal(err)
	}
	least := 1.0
	for _, r := range rows {
		var got []float32
		if text, ok := strings.CutPrefix(r.Text, "query: "); ok {
			if ids := e.QueryTokens(text); !slices.Equal(ids, r.IDs) {
				t.Errorf("%q:\n got %d\nwant %d", text, ids, r.IDs)
			}
			q, err := e.Query(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			got = q.Vector
		} else {
			p, err := e.Passages(t.Context(), []string{strings.TrimPrefix(r.Text, "passage: ")})
			if err != nil {
				t.Fatal(err)
			}
			got = p[0].Vector
		}
		c := cosine(got, r.Vector)
		least = min(least, c)
		if c < .9995 {
			t.Errorf("%q: cosine %.6f", r.Text, c)
		}
	}
	t.Logf("%d texts, smallest cosine %.6f, kernels %s", len(rows), least, e.Kernels())
}

func cosine[T float32 | float64](a []float32, b []T) float64 {
	var ab, aa, bb float64
	for i, want := range b {
		ab += float64(a[i]) * float64(want)
		aa += float64(a[i]) * float64(a[i])
		bb += float64(want) * float64(want)
	}
	return ab / math.Sqrt(aa*bb)
}

// inFourBits rounds the matrices of a model to multiples of a scale.
func inFourBits(p packtest.Parameters) packtest.Parameters {
	q := make([]int8, weightfile.Group)
	for name, t := range p {
		if len(t.Dims) != 2 || strings.HasPrefix(name, "embeddings.position") || strings.HasPrefix(name, "embeddings.token_type") {
			continue
		}
		t.Type = "F32"
		for i := 0; i < len(t.Values); i += weightfile.Group {
			group := t.Values[i : i+weightfile.Group]
			scale := weightfile.Float(weightfile.Quantize(q, group, weightfile.Group, 1, 4))
			for j, v := range q {
				group[j] = float32(v) * scale
			}
		}
	}
	return p
}

func packBits(t *testing.T, p packtest.Parameters, bits int) []byte {
	t.Helper()
	model := p.Safetensors()
	file, err := Safetensors(bytes.NewReader(model), int64(len(model)), tokenizerJSON(t), bits)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestParametersInFourBitsKeepTheirValues(t *testing.T) {
	p := inFourBits(packtest.Random(packtest.Rows))
	var vectors [][]float32
	for _, bits := range Bits {
		file := packBits(t, p, bits)
		w, err := weightfile.Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		words, row := p[wordEmbeddings].Values, make([]float32, width)
		for id := range w.Shape.Vocabulary {
			if w.Words.Row(row, id); !slices.Equal(row, words[id*width:][:width]) {
				t.Fatalf("%d bits: the embedding of token %d differs", bits, id)
			}
		}
		for i := range w.Layers {
			w.Layers[i].Widen(nil)
		}
		inner, want := w.Layers[1].Inner, p["encoder.layer.1.intermediate.dense.weight"].Values // [out, in]
		for in := range inner.In {
			for out := range inner.Out {
				scale := weightfile.Float(inner.Scale[in/weightfile.Group*inner.Out+out])
				if got := float32(inner.Q[in*inner.Out+out]) * scale; got != want[out*inner.In+in] {
					t.Fatalf("%d bits: the weight from %d to %d is %g, want %g", bits, in, out, got, want[out*inner.In+in])
				}
			}
		}
		e, err := e5.New(e5.Options{Weights: file})
		if err != nil {
			t.Fatal(err)
		}
		q, err := e.Query(t.Context(), "庭には 水が必要です garden")
		if err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, q.Vector)
	}
	if c := cosine(vectors[0], vectors[1]); c < .99999 {
		t.Errorf("the vectors of 4 and 8 bits have cosine %.7f", c)
	}
}

func TestRoundingToFourBitsMakesTheFileSmaller(t *testing.T) {
	p := packtest.Random(packtest.Rows)
	eight, four := packBits(t, p, 8), packBits(t, p, 4)
	if len(four)*10 > len(eight)*7 {
		t.Errorf("%d bytes in 4 bits, %d in 8", len(four), len(eight))
	}
	e, err := e5.New(e5.Options{Weights: four})
	if err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "water the garden")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := smallEncoder(t).Query(t.Context(), "water the garden")
	if err != nil {
		t.Fatal(err)
	}
	if c := cosine(q.Vector, whole.Vector); c < .9 || c > .99999 {
		t.Errorf("cosine with 8 bits is %.6f", c)
	}
	if !strings.HasPrefix(e.Fingerprint(), "e5-unigram/w4a8g32/") {
		t.Errorf("fingerprint %s", e.Fingerprint())
	}
	model := p.Safetensors()
	if _, err := Safetensors(bytes.NewReader(model), int64(len(model)), tokenizerJSON(t), 6); err == nil {
		t.Error("a model was packed in 6 bits")
	}
}
