package vector

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Half is a vector in IEEE 754 half precision (binary16), one uint16 per element. Databases
// store vectors in this form. For unit vectors of a few hundred elements, rounding to it
// changes the cosine by less than 1e-4.
type Half []uint16

// ToHalf rounds a vector to half precision, to nearest, ties to even.
func ToHalf(v []float32) Half {
	h := make(Half, len(v))
	for i, x := range v {
		h[i] = halfBits(x)
	}
	return h
}

// oneHalf is 1 in half precision.
const oneHalf = 0x3c00

// Meaningless returns the vector of an entry whose text has no meaning. It is the first unit
// vector, which no encoder returns for a text. Without any vector, the entry would count as
// waiting for one.
func Meaningless(dim int) Half {
	h := make(Half, dim)
	h[0] = oneHalf
	return h
}

// IsMeaningless reports whether the vector is the one that Meaningless returns.
func (h Half) IsMeaningless() bool {
	if len(h) == 0 || h[0] != oneHalf {
		return false
	}
	for _, x := range h[1:] {
		if x != 0 {
			return false
		}
	}
	return true
}

// Floats converts the vector to float32, exactly.
func (h Half) Floats() []float32 {
	v := make([]float32, len(h))
	for i, x := range h {
		v[i] = HalfValue(x)
	}
	return v
}

// Bytes encodes the vector, little-endian, 2 bytes per element.
func (h Half) Bytes() []byte {
	b := make([]byte, 2*len(h))
	for i, x := range h {
		binary.LittleEndian.PutUint16(b[2*i:], x)
	}
	return b
}

// HalfFromBytes decodes a vector encoded by Bytes.
func HalfFromBytes(b []byte) (Half, error) { return AppendHalf(nil, b) }

// AppendHalf appends a vector encoded by Bytes to dst.
func AppendHalf(dst Half, b []byte) (Half, error) {
	if len(b)%2 != 0 {
		return nil, fmt.Errorf("half-precision vector of %d bytes: odd length", len(b))
	}
	dst = slices.Grow(dst, len(b)/2)
	for ; len(b) > 0; b = b[2:] {
		dst = append(dst, binary.LittleEndian.Uint16(b))
	}
	return dst, nil
}

// halfBits converts one number to binary16, rounding to nearest, ties to even.
func halfBits(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits >> 16 & 0x8000)
	exp := int(bits>>23&0xff) - 127
	frac := bits & 0x7fffff
	switch {
	case exp == 128 && frac != 0: // NaN
		return sign | 0x7e00
	case exp > 15: // infinity or overflow
		return sign | 0x7c00
	case exp >= -14: // normal
		return sign | uint16(roundShift(uint32(exp+15)<<23|frac, 13))
	case exp >= -25: // subnormal, or rounded up to the smallest subnormal number
		return sign | uint16(roundShift(frac|0x800000, uint(-exp-1)))
	}
	return sign
}

// roundShift returns v >> n, rounded to nearest, ties to even.
func roundShift(v uint32, n uint) uint32 {
	q, rest, half := v>>n, v&(1<<n-1), uint32(1)<<(n-1)
	if rest > half || rest == half && q&1 == 1 {
		q++
	}
	return q
}

// HalfValue converts one binary16 number to float32, exactly.
func HalfValue(h uint16) float32 {
	sign, exp, frac := uint32(h&0x8000)<<16, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exp {
	case 0:
		v := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}
