package e5

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"testing"

	"mneme/embed/e5/weightfile"
)

// flipped returns a matrix with the weights of m XORed with flip.
func (m *matrix) flipped(flip int8) matrix {
	out := *m
	out.q = slices.Clone(m.q)
	for i := range out.q {
		out.q[i] ^= flip
	}
	return out
}

// withKernels returns an encoder that has e's weights but uses the kernels k.
func withKernels(e *Encoder, k *kernels) *Encoder {
	network := e.network
	if flip := k.flip ^ e.kernels.flip; flip != 0 {
		m := *network.model
		m.layers = slices.Clone(m.layers)
		for i := range m.layers {
			l := &m.layers[i]
			for _, w := range []*matrix{&l.qkv, &l.attention, &l.inner, &l.output} {
				*w = w.flipped(flip)
			}
		}
		network.model = &m
	}
	return &Encoder{
		engine: &engine{
			network: network, kernels: k, projection: e.projection,
			workers: make(chan struct{}, 1), gate: gate{slots: 1},
		},
		projector: e.projector, fingerprint: e.fingerprint,
	}
}

// eachAssembly runs a test for every set of assembly kernels that this processor supports.
// The portable set takes seconds per text and has tests of its own.
func eachAssembly(t *testing.T, f func(t *testing.T, k *kernels)) {
	eachKernels(t, func(t *testing.T, k *kernels) {
		if k == &portable && fastest() != k {
			t.Skip("see the tests of the portable kernels")
		}
		f(t, k)
	})
}

// The digest was recorded on amd64 with AVX2; all other kernels give the same.
func TestVectorsAreTheSameBitsOnEveryMachine(t *testing.T) {
	const want = "1fae5d67d1f75daee2a1f0f5cbbe0106e396ecbf9dfdefca40d991ffddf64585"
	eachAssembly(t, func(t *testing.T, k *kernels) {
		e, h := withKernels(testEncoder(t), k), sha256.New()
		for _, text := range []string{"", "When did Caroline go to the support group?", "日本語のテキスト", textOf(130)} {
			v, err := e.Query(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range v.Vector {
				var b [4]byte
				binary.LittleEndian.PutUint32(b[:], math.Float32bits(x))
				h.Write(b[:])
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != want {
			t.Errorf("digest of the vectors is %s, want %s", got, want)
		}
	})
}

func TestDamagedWeightsAreAnError(t *testing.T) {
	file := slices.Clone(english.file())
	for _, c := range []struct {
		name   string
		damage func() []byte
		want   error
	}{
		{"a byte in the middle", func() []byte { file[len(file)/2] ^= 1; return file }, weightfile.ErrDamaged},
		{"half the file", func() []byte { return english.file()[:len(englishWeights)/2] }, weightfile.ErrDamaged},
		{"nothing", func() []byte { return []byte{} }, weightfile.ErrDamaged},
		{"another file", func() []byte { return make([]byte, 1000) }, weightfile.ErrNotWeights},
	} {
		if _, err := New(Options{Weights: c.damage()}); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}

func TestPortableVectorsAreTheSameBits(t *testing.T) {
	e := testEncoder(t)
	plain, err := New(Options{Portable: true})
	if err != nil {
		t.Fatal(err)
	}
	if plain.Kernels() != "portable" || plain.Fingerprint() != e.Fingerprint() {
		t.Errorf("kernels %q, fingerprints %q and %q", plain.Kernels(), plain.Fingerprint(), e.Fingerprint())
	}
	for _, text := range []string{"", "When did Caroline go to the support group?", "x = f(y)", textOf(67)} {
		a, err := e.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := plain.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		requireSame(t, "vector", a.Vector, b.Vector)
	}
}

// A predecessor has the same weights. If it has codes, it also has the same projection, but its
// fingerprint names that differently.
func TestPredecessorsAreVersionOneOfTheSameWeights(t *testing.T) {
	want := []string{
		"e5-small-v2/int8g32/mean/query:passage:/v1/7c59a96b546c",
		"e5-small-v2/int8g32/mean/query:passage:/v1/7c59a96b546c+codes1/4a4bae9fe491",
	}
	for _, e := range []*Encoder{testEncoder(t), codedEncoder(t)} {
		if got := e.Predecessors(); !slices.Equal(got, want) {
			t.Errorf("predecessors of %s: %q, want %q", e.Fingerprint(), got, want)
		}
		if slices.Contains(want, e.Fingerprint()) {
			t.Errorf("%s is its own predecessor", e.Fingerprint())
		}
	}
	other, err := New(Options{Weights: english.file()})
	if err != nil {
		t.Fatal(err)
	}
	if got := other.Predecessors(); !slices.Equal(got, want[:1]) {
		t.Errorf("predecessors without a projection: %q", got)
	}
}
