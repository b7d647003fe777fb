package flat

import "math"

// Every kernel, portable or assembly, computes the same bits, so that a ranking does not depend
// on the machine. A row is summed in 8 accumulators (lanes): element i is added to accumulator
// i mod 8. Each product is rounded to float32 before it is added (no fused multiply-add). At
// the end the accumulators are added as
//
//	((0+4)+(2+6)) + ((1+5)+(3+7))
//
// Rows are padded with zeros to whole lanes, which changes no sum.
const lanes = 8

// stride returns the number of elements of a padded row of dim elements.
func stride(dim int) int { return (dim + lanes - 1) &^ (lanes - 1) }

// A kernel writes to scores the dot product of query with each of len(scores)
// contiguous rows in half precision. len(query) is the stride, a positive
// multiple of lanes; len(rows) is at least len(query)*len(scores).
type kernel func(scores, query []float32, rows []uint16)

// dotPortable is the kernel in plain Go. In widen, a half's exponent and fraction, shifted into
// position, are a number that is 2^112 times too small, because the exponents' biases are 15
// and 127. One multiplication corrects that exactly, for subnormal halves too. Infinities and
// NaN are not supported.
func dotPortable(scores, query []float32, rows []uint16) {
	n := len(query)
	for r := range scores {
		row := rows[r*n:][:n]
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		for i := 0; i+lanes <= n; i += lanes {
			q, h := query[i:i+lanes:i+lanes], row[i:i+lanes:i+lanes]
			// The conversions keep the compiler from fusing product and sum.
			s0 += float32(q[0] * widen(h[0]))
			s1 += float32(q[1] * widen(h[1]))
			s2 += float32(q[2] * widen(h[2]))
			s3 += float32(q[3] * widen(h[3]))
			s4 += float32(q[4] * widen(h[4]))
			s5 += float32(q[5] * widen(h[5]))
			s6 += float32(q[6] * widen(h[6]))
			s7 += float32(q[7] * widen(h[7]))
		}
		scores[r] = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
	}
}

// widen converts a finite half to float32.
func widen(h uint16) float32 {
	const scale = 1 << 112
	return math.Float32frombits(uint32(h&0x8000)<<16|uint32(h&0x7fff)<<13) * scale
}
