package weightfile

import (
	"encoding/binary"
	"slices"
)

// Values are the quantized values of a matrix as a view of the file. They have 8 bits each, or
// 4. A value of 4 bits, from -8 to 7, is stored plus 8; of two in a byte, the first is in the
// low half.
type Values struct {
	Bits int // 8 or 4
	B    []byte
}

// ValuesOf returns q in 8 or 4 bits. The number of values is even.
func ValuesOf(q []int8, bits int) Values {
	v := Values{Bits: bits, B: make([]byte, len(q)*bits/8)}
	for i, x := range q {
		if bits == 8 {
			v.B[i] = byte(x)
			continue
		}
		v.B[i/2] |= byte(x+8) << (i % 2 * 4)
	}
	return v
}

// Len is the number of values.
func (v Values) Len() int { return len(v.B) * 8 / v.Bits }

// Int8 returns n values from index from on, in 8 bits each. If the values have 8 bits in the
// file, the result is a view of the file; otherwise it is in dst, which Int8 grows as needed. n
// and from must be even.
func (v Values) Int8(dst []int8, from, n int) []int8 {
	if v.Bits == 8 {
		return int8View(v.B[from : from+n])
	}
	dst = slices.Grow(dst[:0], n)[:n]
	for i, b := range v.B[from/2 : (from+n)/2] {
		dst[2*i], dst[2*i+1] = int8(b&15)-8, int8(b>>4)-8
	}
	return dst
}

// Halves are half-precision numbers as a view of the file.
type Halves []byte

// HalvesOf returns the numbers whose half-precision bits are given.
func HalvesOf(bits []uint16) Halves { return appendUint16(nil, bits) }

// At returns a finite number by its index.
func (h Halves) At(i int) float32 { return Float(binary.LittleEndian.Uint16(h[2*i:])) }

// Table is the matrix of word embeddings [Vocabulary, Width], with groups along the width,
// as a view of the file: no part of it is read before a row is looked up.
type Table struct {
	Q Values
	// Scale is [Vocabulary, Width/Group].
	Scale Halves
}

// Row sets x to a row of the table, dequantized. x must have the length of a row.
func (t *Table) Row(x []float32, row int) {
	var wide [Group]int8
	for g := 0; g < len(x); g += Group {
		at := row*len(x) + g
		scale := t.Scale.At(at / Group)
		for i, q := range t.Q.Int8(wide[:], at, Group) {
			x[g+i] = float32(q) * scale
		}
	}
}
