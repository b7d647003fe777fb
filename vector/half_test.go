package vector_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/uuid"

	"mneme/vector"
)

func isNaN(h uint16) bool { return h&0x7c00 == 0x7c00 && h&0x3ff != 0 }

// value decodes a binary16 number by its definition in IEEE 754, §3.4.
func value(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&0x1f), float64(h&0x3ff)
	if h&0x8000 != 0 {
		sign = -1
	}
	switch {
	case exp == 0x1f && frac != 0:
		return math.NaN()
	case exp == 0x1f:
		return sign * math.Inf(1)
	case exp == 0:
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

func TestHalfValueIsIEEE754(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		got, want := float64(vector.HalfValue(h)), value(h)
		if math.IsNaN(want) != math.IsNaN(got) || !math.IsNaN(want) && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%#04x: %v, want %v", h, got, want)
		}
	}
}

func TestEveryHalfSurvivesTheRoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		got := vector.ToHalf([]float32{vector.HalfValue(h)})[0]
		if isNaN(h) != isNaN(got) || !isNaN(h) && got != h {
			t.Fatalf("%#04x round-trips to %#04x", h, got)
		}
	}
}

func TestToHalfRoundsToNearestEven(t *testing.T) {
	up := func(x float32) float32 { return math.Nextafter32(x, 1e9) }
	down := func(x float32) float32 { return math.Nextafter32(x, -1e9) }
	// A number in the middle between two halves is rounded to the even one, any other number to
	// the nearer one. 0x7bff is the largest finite half.
	for h := uint16(0); h <= 0x7bff; h++ {
		next := value(h + 1)
		if h == 0x7bff {
			next = 65536
		}
		middle := float32((value(h) + next) / 2)
		even := h + h&1
		for _, c := range []struct {
			x    float32
			want uint16
		}{{down(middle), h}, {middle, even}, {up(middle), h + 1}, {-down(middle), h | 0x8000}, {-middle, even | 0x8000}, {-up(middle), (h + 1) | 0x8000}} {
			if got := vector.ToHalf([]float32{c.x})[0]; got != c.want {
				t.Fatalf("%v became %#04x, want %#04x", c.x, got, c.want)
			}
		}
	}
	for x, want := range map[float32]uint16{math.MaxFloat32: 0x7c00, float32(math.Inf(-1)): 0xfc00, math.SmallestNonzeroFloat32: 0} {
		if got := vector.ToHalf([]float32{x})[0]; got != want {
			t.Errorf("%v became %#04x, want %#04x", x, got, want)
		}
	}
}

func TestHalfFromBytesRejectsAnOddNumberOfBytes(t *testing.T) {
	if _, err := vector.HalfFromBytes(make([]byte, 3)); err == nil {
		t.Error("no error")
	}
}

func TestAppendHalfAppends(t *testing.T) {
	b := vector.Half{7, 8}.Bytes()
	buffer := make(vector.Half, 1, 8)
	buffer[0] = 6
	got, err := vector.AppendHalf(buffer, b)
	if err != nil || !slices.Equal(got, vector.Half{6, 7, 8}) || &got[0] != &buffer[0] {
		t.Errorf("got %v: %v", got, err)
	}
}

func FuzzHalf(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1})
	f.Add([]byte{0, 0x3c, 0xff, 0x7b, 1, 0, 0, 0xfc, 1, 0x7e})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := vector.HalfFromBytes(b)
		if err != nil {
			if len(b)%2 == 0 {
				t.Fatalf("%d bytes: %v", len(b), err)
			}
			return
		}
		if !slices.Equal(h.Bytes(), b) {
			t.Fatalf("%x round-trips to %x", b, h.Bytes())
		}
		floats := h.Floats()
		for i, x := range vector.ToHalf(floats) {
			if isNaN(h[i]) != isNaN(x) || !isNaN(h[i]) && x != h[i] {
				t.Fatalf("%#04x round-trips to %#04x", h[i], x)
			}
		}
	})
}

// FuzzToHalf checks that no half is nearer to a number than the result.
func FuzzToHalf(f *testing.F) {
	f.Add([]byte{0, 0, 0x80, 0x3f})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 {
			return
		}
		x := math.Float32frombits(binary.LittleEndian.Uint32(b))
		h := vector.ToHalf([]float32{x})[0]
		if math.IsNaN(float64(x)) || math.Abs(float64(x)) > 65504 {
			return
		}
		distance := math.Abs(value(h) - float64(x))
		for _, n := range []uint16{h - 1, h + 1} {
			if v := value(n); !math.IsNaN(v) && !math.IsInf(v, 0) && math.Abs(v-float64(x)) < distance {
				t.Fatalf("%v became %#04x, yet %#04x is nearer", x, h, n)
			}
		}
	})
}

func TestCheckNamesTheViolation(t *testing.T) {
	unit := func(x float32) []float32 { return []float32{x, 0, 0} }
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		query vector.Query
		want  error
	}{
		"valid":         {vector.Query{Vector: unit(1), Limit: 1}, nil},
		"dimension":     {vector.Query{Vector: []float32{1, 0}, Limit: 1}, vector.ErrDimension},
		"no vector":     {vector.Query{Limit: 1}, vector.ErrDimension},
		"NaN":           {vector.Query{Vector: unit(nan), Limit: 1}, vector.ErrNotUnit},
		"infinity":      {vector.Query{Vector: unit(inf), Limit: 1}, vector.ErrNotUnit},
		"zero vector":   {vector.Query{Vector: unit(0), Limit: 1}, vector.ErrNotUnit},
		"too long":      {vector.Query{Vector: unit(2), Limit: 1}, vector.ErrNotUnit},
		"limit 0":       {vector.Query{Vector: unit(1)}, vector.ErrBadQuery},
		"limit below 0": {vector.Query{Vector: unit(1), Limit: -1}, vector.ErrBadQuery},
		"too many ids":  {vector.Query{Vector: unit(1), Limit: 1, Only: make([]uuid.UUID, vector.MaxOnly+1)}, vector.ErrBadQuery},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.query.Check(3); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}
