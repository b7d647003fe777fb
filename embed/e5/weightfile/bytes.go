package weightfile

import (
	"encoding/binary"
	"math"
	"unsafe"
)

func appendUint16(dst []byte, v []uint16) []byte {
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint16(dst, x)
	}
	return dst
}

func appendFloat32(dst []byte, v []float32) []byte {
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

func appendNorm(dst []byte, n Norm) []byte {
	return appendFloat32(appendFloat32(dst, n.Gamma), n.Beta)
}

// reader reads values from the front of rest. short is set when rest is too short.
type reader struct {
	rest  []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// values returns a view of n values.
func (r *reader) values(n, bits int) Values { return Values{bits, r.take(n * bits / 8)} }

// int8View returns the same memory as signed numbers.
func int8View(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

func (r *reader) uint16s(n int) []uint16 {
	b := r.take(2 * n)
	v := make([]uint16, len(b)/2)
	for i := range v {
		v[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return v
}

func (r *reader) float32s(n int) []float32 {
	b := r.take(4 * n)
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

func (r *reader) norm(width int) Norm {
	return Norm{Gamma: r.float32s(width), Beta: r.float32s(width)}
}
