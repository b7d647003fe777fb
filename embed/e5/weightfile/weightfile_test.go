package weightfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
)

// small returns the smallest model, with distinct values.
func small() *Weights {
	n := 0
	floats := func(k int) []float32 {
		v := make([]float32, k)
		for i := range v {
			n++
			v[i] = float32(n) / 8
		}
		return v
	}
	ints := func(k int) []int8 {
		v := make([]int8, k)
		for i := range v {
			n++
			v[i] = int8(n)
		}
		return v
	}
	halves := func(k int) []uint16 {
		v := make([]uint16, k)
		for i := range v {
			n++
			v[i] = uint16(n % 0x7c00)
		}
		return v
	}
	linear := func(in, out int) Linear {
		return Linear{Matrix: Matrix{In: in, Out: out, Q: ints(in * out), Scale: halves(in / Group * out)}, Bias: floats(out)}
	}
	const width, inner = 32, 64
	norm := func() Norm { return Norm{Gamma: floats(width), Beta: floats(width)} }
	w := &Weights{
		Shape:      Shape{Vocabulary: 3, Width: width, Layers: 2, Heads: 2, Inner: inner, Positions: 4, Group: Group},
		Vocabulary: []string{"[UNK]", "wörd", "##s"},
		WordQ:      ints(3 * width), WordScale: halves(3),
		Position: floats(4 * width), Type: floats(2 * width), EmbeddingNorm: norm(),
	}
	for range 2 {
		w.Layers = append(w.Layers, Layer{
			Query: linear(width, width), Key: linear(width, width), Value: linear(width, width), Attention: linear(width, width),
			Inner: linear(width, inner), Output: linear(inner, width), AttentionNorm: norm(), OutputNorm: norm(),
		})
	}
	return w
}

func TestParseReadsWhatAppendWrote(t *testing.T) {
	w := small()
	file := w.Append(nil)
	got, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.Shape != w.Shape || got.Sum != w.Sum || !slices.Equal(got.Vocabulary, w.Vocabulary) {
		t.Errorf("got %+v %q", got.Shape, got.Vocabulary)
	}
	if !bytes.Equal(got.Append(nil), file) {
		t.Error("the file differs after a round trip")
	}
}

func TestEveryFlippedByteIsAnError(t *testing.T) {
	file := small().Append(nil)
	for i := range file {
		file[i] ^= 0x41
		_, err := Parse(file)
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotWeights) && !errors.Is(err, ErrVersion) {
			t.Fatalf("byte %d of %d flipped: error %v", i, len(file), err)
		}
		file[i] ^= 0x41
	}
}

func TestEveryTruncationIsAnError(t *testing.T) {
	file := small().Append(nil)
	for n := range file {
		if _, err := Parse(file[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d of %d bytes: error %v", n, len(file), err)
		}
	}
	if _, err := Parse(append(file, 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: error %v", err)
	}
}

func TestOtherFilesAndVersionsAreNamed(t *testing.T) {
	file := small().Append(nil)
	binary.LittleEndian.PutUint32(file[8:], Version+1)
	if _, err := Parse(file); !errors.Is(err, ErrVersion) {
		t.Errorf("version: error %v", err)
	}
	if _, err := Parse(bytes.Repeat([]byte("GGUF"), 100)); !errors.Is(err, ErrNotWeights) {
		t.Errorf("magic: error %v", err)
	}
}

// A file with a correct checksum may still have an impossible shape.
func TestImpossibleShapesAreErrors(t *testing.T) {
	for i := range 7 {
		for _, n := range []uint32{0, 1, 5, 1 << 20, math.MaxUint32} {
			file := small().Append(nil)
			if binary.LittleEndian.Uint32(file[12+4*i:]) == n || i == 3 && n == 1 { // the payload does not depend on heads
				continue
			}
			binary.LittleEndian.PutUint32(file[12+4*i:], n)
			sum := checksum(file[:HeaderSize], file[HeaderSize:])
			copy(file[sumOffset:], sum[:])
			if _, err := Parse(file); !errors.Is(err, ErrDamaged) {
				t.Errorf("number %d of the shape is %d: error %v", i, n, err)
			}
		}
	}
}

func TestHalfRoundsToTheNearest(t *testing.T) {
	for _, c := range []struct {
		x    float32
		bits uint16
	}{
		{0, 0}, {1, 0x3c00}, {-2, 0xc000}, {65504, 0x7bff}, {1e9, 0x7bff},
		{0x1p-24, 1}, {0x1p-25, 0}, {0x1.8p-24, 2}, {0x1p-14, 0x0400},
		{1 + 0x1p-11, 0x3c00}, {1 + 0x1.8p-10, 0x3c02}, {2 - 0x1p-12, 0x4000},
	} {
		if got := Half(c.x); got != c.bits {
			t.Errorf("Half(%g) = %#04x, want %#04x", c.x, got, c.bits)
		}
	}
	for h := range uint16(0x7c00) {
		if got := Half(Float(h)); got != h {
			t.Fatalf("Half(Float(%#04x)) = %#04x", h, got)
		}
	}
}

func TestQuantizeIsWithinHalfAStep(t *testing.T) {
	x := make([]float32, 2*Group)
	for i := range x {
		x[i] = float32(math.Sin(float64(i*i))) * 0.1
	}
	q := make([]int8, len(x))
	scale := Float(Quantize(q, x, Group, 2))
	for i := 0; i < len(x); i += 2 {
		if d := math.Abs(float64(x[i] - scale*float32(q[i]))); d > float64(scale)*0.55 {
			t.Errorf("value %d: %g became %g", i, x[i], scale*float32(q[i]))
		}
		if q[i+1] != 0 {
			t.Error("a value outside the group was set")
		}
	}
	if bits := Quantize(q, make([]float32, Group), Group, 1); bits != 0 || slices.Max(q[:Group]) != 0 {
		t.Error("zeros do not stay zeros")
	}
}
