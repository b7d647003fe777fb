package pack

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"mneme/embed/e5/weightfile"
)

// maxHeader bounds the header of a safetensors file, as the format does.
const maxHeader = 100 << 20

var errSafetensors = errors.New("not a safetensors model as expected")

// safetensors reads the tensors of a file. The file begins with the length of a JSON object, as
// a little-endian 64-bit number, and the object, which describes the tensors; their values
// follow.
type safetensors struct {
	file    io.ReaderAt
	start   int64 // of the values
	entries map[string]entry
	prefix  string // prefix of the names
}

// entry is a tensor of the header.
type entry struct {
	Type    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// newSafetensors reads the header of a file of size bytes.
func newSafetensors(file io.ReaderAt, size int64) (*safetensors, error) {
	var length [8]byte
	if _, err := file.ReadAt(length[:], 0); err != nil {
		return nil, fmt.Errorf("%w: no header: %w", errSafetensors, err)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, fmt.Errorf("%w: header of %d bytes in a file of %d", errSafetensors, n, size)
	}
	header := make([]byte, n)
	if _, err := file.ReadAt(header, 8); err != nil {
		return nil, fmt.Errorf("%w: header: %w", errSafetensors, err)
	}
	var tensors map[string]json.RawMessage
	if err := json.Unmarshal(header, &tensors); err != nil {
		return nil, fmt.Errorf("%w: header: %w", errSafetensors, err)
	}
	entries := make(map[string]entry, len(tensors))
	for name, raw := range tensors {
		if name == "__metadata__" {
			continue
		}
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			return nil, fmt.Errorf("%w: tensor %q: %w", errSafetensors, name, err)
		}
		if err := e.check(size - 8 - int64(n)); err != nil {
			return nil, fmt.Errorf("%w: tensor %q: %w", errSafetensors, name, err)
		}
		entries[name] = e
	}
	s := &safetensors{file: file, start: 8 + int64(n), entries: entries}
	for name := range entries {
		// The encoder may be a part of a larger model: its names then have a prefix.
		if prefix, ok := strings.CutSuffix(name, wordEmbeddings); ok && (prefix == "" || prefix == "bert.") {
			s.prefix = prefix
		}
	}
	return s, nil
}

// width returns the size of a value in bytes, or 0 for types that pack does not read.
func (e *entry) width() int64 {
	switch e.Type {
	case "F32":
		return 4
	case "F16", "BF16":
		return 2
	}
	return 0
}

// check checks that the values lie within the file, which has values bytes of them, and that
// their number matches the shape.
func (e *entry) check(values int64) error {
	from, to := e.Offsets[0], e.Offsets[1]
	if from < 0 || to < from || to > values {
		return fmt.Errorf("values from %d to %d of %d", from, to, values)
	}
	if e.width() == 0 { // this type is not used by pack, as that of position_ids
		return nil
	}
	n := int64(1)
	for _, d := range e.Shape {
		if d < 1 || int64(d) > (to-from)/n {
			return fmt.Errorf("shape %d does not match %d bytes", e.Shape, to-from)
		}
		n *= int64(d)
	}
	if n*e.width() != to-from {
		return fmt.Errorf("shape %d does not match %d bytes of %s", e.Shape, to-from, e.Type)
	}
	return nil
}

func (s *safetensors) dims(name string) ([]int, error) {
	e, ok := s.entries[s.prefix+name]
	if !ok {
		return nil, fmt.Errorf("%w: no tensor %q", errSafetensors, name)
	}
	if e.width() == 0 {
		return nil, fmt.Errorf("%w: tensor %q has values of type %q; F32, F16 and BF16 are supported", errSafetensors, name, e.Type)
	}
	return e.Shape, nil
}

func (s *safetensors) values(name string, from, n int) ([]float32, error) {
	e := s.entries[s.prefix+name]
	b := make([]byte, int64(n)*e.width())
	if _, err := s.file.ReadAt(b, s.start+e.Offsets[0]+int64(from)*e.width()); err != nil {
		return nil, fmt.Errorf("%w: tensor %q: %w", errSafetensors, name, err)
	}
	out := make([]float32, n)
	for i := range out {
		switch e.Type {
		case "F32":
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		case "BF16":
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(b[2*i:])) << 16)
		default:
			out[i] = half(binary.LittleEndian.Uint16(b[2*i:]))
		}
	}
	return out, nil
}

// linear returns the matrix of a linear layer as [in, out]. The file has it as [out, in].
func (s *safetensors) linear(name string, in, out int) ([]float32, error) {
	stored, err := read(s, name+".weight", out, in)
	if err != nil {
		return nil, err
	}
	x := make([]float32, len(stored))
	for o := range out {
		for i := range in {
			x[i*out+o] = stored[o*in+i]
		}
	}
	return x, nil
}

// half returns the value of a half-precision number, which may be infinite or NaN.
func half(bits uint16) float32 {
	if bits&0x7c00 == 0x7c00 {
		return float32(math.NaN())
	}
	return weightfile.Float(bits)
}
