package projection

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"testing"

	"mneme/embed/maxsim"
)

func small() *Projection {
	const width = 3
	p := &Projection{
		Encoder: "model/1", Sources: []string{"a.md", "b.jsonl"},
		Mean: []float32{1.1, -2.2, 3.3}, Components: make([]float32, maxsim.Dim*width),
	}
	for i := range p.Components {
		p.Components[i] = float32(i-90) / 64
	}
	return p
}

func TestParseReadsWhatAppendWrote(t *testing.T) {
	p := small()
	file := p.Append([]byte("before"))
	got, err := Parse(file[len("before"):])
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, p) {
		t.Errorf("read %+v, wrote %+v", got, p)
	}
}

func TestDamagedFilesAreAnError(t *testing.T) {
	file := small().Append(nil)
	change := func(at int, value byte) []byte {
		c := slices.Clone(file)
		c[at] ^= value
		return c
	}
	signed := func(field int, value uint32) []byte { // a header with a matching checksum
		c := slices.Clone(file)
		binary.LittleEndian.PutUint32(c[8+4*field:], value)
		sum := checksum(c[:HeaderSize], c[HeaderSize:])
		copy(c[sumOffset:], sum[:])
		return c
	}
	for _, c := range []struct {
		name string
		file []byte
		want error
	}{
		{"nothing", nil, ErrDamaged},
		{"a header alone", file[:HeaderSize], ErrDamaged},
		{"another file", change(0, 1), ErrNotProjection},
		{"another version", change(8, 2), ErrVersion},
		{"a byte of the text", change(HeaderSize, 1), ErrDamaged},
		{"the last byte", change(len(file)-1, 1), ErrDamaged},
		{"a byte too many", append(slices.Clone(file), 0), ErrDamaged},
		{"another width", signed(1, 4), ErrDamaged},
		{"no width", signed(1, 0), ErrDamaged},
		{"a huge width", signed(1, 1<<31), ErrDamaged},
		{"other components", signed(2, 32), ErrDamaged},
		{"too much text", signed(3, 1<<31), ErrDamaged},
		{"no text", signed(3, 0), ErrDamaged},
	} {
		if _, err := Parse(c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{})
	f.Add(small().Append(nil))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := Parse(file)
		if err == nil && len(p.Components) != maxsim.Dim*len(p.Mean) {
			t.Errorf("%d components of width %d", len(p.Components), len(p.Mean))
		}
	})
}
