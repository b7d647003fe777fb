package flat

import "math"

// The scores of a query with rows in half precision. Every kernel, portable
// or assembly, gives the same bits, so that a ranking does not depend on the
// machine: a row of stride elements is summed in lanes = 8 accumulators,
// element i in accumulator i mod 8, each product rounded to float32 before
// it is added (no fused multiply-add), and the accumulators are then added
//
//	((0+4)+(2+6)) + ((1+5)+(3+7))
//
// Rows are padded with zeros to whole lanes, which changes no sum.
const lanes = 8

// stride is how many elements a padded row of dim elements has.
func stride(dim int) int { return (dim + lanes - 1) &^ (lanes - 1) }

// kernel writes to scores the dot product of query with each of len(scores)
// rows, which lie side by side. len(query) is the stride, a multiple of lanes
// above 0; len(rows) is at least len(query)*len(scores).
type kernel func(scores, query []float32, rows []uint16)

// dotPortable is the kernel in plain Go. A half is widened by shifting its
// exponent and fraction into place, which leaves it 2^112 too small, since
// the exponent's biases differ (127-15); one multiplication sets that right,
// exactly, for subnormal halves too. Infinities and NaN are not expected.
func dotPortable(scores, query []float32, rows []uint16) {
	n := len(query)
	for r := range scores {
		row := rows[r*n:][:n]
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		for i := 0; i+lanes <= n; i += lanes {
			q, h := query[i:i+lanes:i+lanes], row[i:i+lanes:i+lanes]
			// The conversions forbid the compiler to fuse product and sum.
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

// widen is the value of a finite half.
func widen(h uint16) float32 {
	const scale = 1 << 112
	return math.Float32frombits(uint32(h&0x8000)<<16|uint32(h&0x7fff)<<13) * scale
}
