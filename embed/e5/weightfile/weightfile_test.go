package weightfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
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
		Words:      Table{ValuesOf(ints(3*width), 8), HalvesOf(halves(3))},
		Position:   floats(4 * width), Type: floats(2 * width), EmbeddingNorm: norm(),
	}
	for range 2 {
		w.Layers = append(w.Layers, Layer{
			Query: linear(width, width), Key: linear(width, width), Value: linear(width, width), Attention: linear(width, width),
			Inner: linear(width, inner), Output: linear(inner, width), AttentionNorm: norm(), OutputNorm: norm(),
		})
	}
	return w
}

// versions returns a small model for each version of the format, by name.
func versions() map[string]*Weights {
	two, three, four := small(), small(), small()
	two.Tokenizer = []byte("scores")
	three.Vocabulary, three.Tokenizer, three.Projection = nil, []byte("pieces"), []byte("components")
	four.Bits, four.Words.Q = 4, ValuesOf(nibbles(four.Words.Q.Int8(nil, 0, four.Words.Q.Len())), 4)
	for i := range four.Layers {
		for _, m := range four.Layers[i].matrices() {
			m.Q = nibbles(m.Q)
		}
	}
	return map[string]*Weights{"1": small(), "2": two, "3": three, "3 in 4 bits": four}
}

// nibbles returns numbers from -8 to 7.
func nibbles(v []int8) []int8 {
	small := make([]int8, len(v))
	for i, x := range v {
		small[i] = x << 4 >> 4
	}
	return small
}

func TestParseReadsWhatAppendWrote(t *testing.T) {
	for version, w := range versions() {
		file := w.Append(nil)
		if got, want := file[8], version[0]-'0'; got != want {
			t.Errorf("version %d, want %d", got, want)
		}
		got, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		if got.Shape != w.Shape || got.Sum != w.Sum || !slices.Equal(got.Vocabulary, w.Vocabulary) ||
			!bytes.Equal(got.Tokenizer, w.Tokenizer) || !bytes.Equal(got.Projection, w.Projection) {
			t.Errorf("version %s: got %+v %q", version, got.Shape, got.Vocabulary)
		}
		if !bytes.Equal(got.Append(nil), file) {
			t.Errorf("version %s: the file differs after a round trip", version)
		}
		for i := range w.Layers {
			got.Layers[i].Widen(nil)
			for j, m := range w.Layers[i].matrices() {
				if !slices.Equal(got.Layers[i].matrices()[j].Q, m.Q) {
					t.Errorf("version %s: layer %d, matrix %d: other values", version, i, j)
				}
			}
		}
	}
}

func TestRowsAreReadFromBothWidths(t *testing.T) {
	for _, bits := range []int{8, 4} {
		q := make([]int8, 3*2*Group)
		for i := range q {
			q[i] = int8(i%16 - 8)
		}
		table := Table{ValuesOf(q, bits), HalvesOf([]uint16{Half(1), Half(2), Half(-.5), Half(4), Half(.25), Half(8)})}
		for row := range 3 {
			x := make([]float32, 2*Group)
			table.Row(x, row)
			for i, v := range x {
				at := row*2*Group + i
				if want := float32(q[at]) * table.Scale.At(at/Group); v != want {
					t.Fatalf("%d bits, row %d, value %d: %g, want %g", bits, row, i, v, want)
				}
			}
		}
	}
}

func TestEveryFlippedByteIsAnError(t *testing.T) {
	for version, w := range versions() {
		file := w.Append(nil)
		for i := range len(file) - len(w.Projection) { // the projection has its own checksum
			file[i] ^= 0x41
			_, err := Parse(file)
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotWeights) && !errors.Is(err, ErrVersion) {
				t.Fatalf("version %s, byte %d of %d flipped: error %v", version, i, len(file), err)
			}
			file[i] ^= 0x41
		}
	}
}

func TestEveryTruncationIsAnError(t *testing.T) {
	for version, w := range versions() {
		file := w.Append(nil)
		for n := range file {
			if _, err := Parse(file[:n]); !errors.Is(err, ErrDamaged) {
				t.Fatalf("version %s, %d of %d bytes: error %v", version, n, len(file), err)
			}
		}
		if _, err := Parse(append(file, 0)); !errors.Is(err, ErrDamaged) {
			t.Errorf("version %s, a byte too many: error %v", version, err)
		}
	}
}

// A projection names the checksum of the weights to which it was fitted. So it must not change
// that checksum when it is added.
func TestAProjectionDoesNotChangeTheChecksum(t *testing.T) {
	w := small()
	file := w.Append(nil)
	with, err := SetProjection(file, []byte("components"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(with)
	if err != nil || string(got.Projection) != "components" {
		t.Fatalf("projection %q, error %v", got.Projection, err)
	}
	another, err := SetProjection(with, []byte("others"))
	if err != nil {
		t.Fatal(err)
	}
	sum, _, _ := Header(with)
	if again, _, err := Header(another); err != nil || again != sum {
		t.Errorf("sums %x and %x, error %v", sum, again, err)
	}
	if p, err := Projection(another); err != nil || string(p) != "others" {
		t.Errorf("projection %q, error %v", p, err)
	}
	if _, err := SetProjection(file[:100], nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged file: error %v", err)
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
	for _, bits := range []int{8, 4} {
		q := make([]int8, len(x))
		scale := Float(Quantize(q, x, Group, 2, bits))
		lowest, highest := int8(-127), int8(127)
		if bits == 4 {
			lowest, highest = -8, 7
		}
		for i := 0; i < len(x); i += 2 {
			if d := math.Abs(float64(x[i] - scale*float32(q[i]))); d > math.Abs(float64(scale))*0.55 && q[i] != highest {
				t.Errorf("%d bits, value %d: %g became %g", bits, i, x[i], scale*float32(q[i]))
			}
			if q[i] < lowest || q[i] > highest || q[i+1] != 0 {
				t.Errorf("%d bits: %d, and %d outside the group", bits, q[i], q[i+1])
			}
		}
		if scale := Quantize(q, make([]float32, Group), Group, 1, bits); Float(scale) != 0 || slices.Max(q[:Group]) != 0 {
			t.Errorf("%d bits: zeros do not stay zeros", bits)
		}
	}
}

// Values of a model that had 4 bits before stay exact, whatever their scale and its sign.
func TestMultiplesOfAScaleKeepTheirValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		scale, x := Float(uint16(r.IntN(0x7800))|uint16(r.IntN(2))<<15), make([]float32, Group)
		spread := 1 + r.IntN(16)
		for i := range x {
			x[i] = scale * float32(r.IntN(spread)-spread/2)
		}
		for _, bits := range []int{8, 4} {
			q := make([]int8, Group)
			scale := Float(Quantize(q, x, Group, 1, bits))
			for i := range x {
				if float32(q[i])*scale != x[i] {
					t.Fatalf("%d bits: %g became %d times %g", bits, x[i], q[i], scale)
				}
			}
		}
	}
}
