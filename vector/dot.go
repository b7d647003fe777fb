package vector

import "math"

// Dot returns the dot product of a query and a vector, of the same length: the
// cosine if both have unit length. It has the same bits on every processor: the
// products are exact in double precision, and are added in a fixed order.
func (h Half) Dot(query []float32) float64 {
	query = query[:len(h)]
	whole := len(h) &^ 3
	sums := sumProducts(query[:whole], h[:whole])
	for i := whole; i < len(h); i++ {
		sums[0] += float64(query[i]) * float64(widen(h[i]))
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}

// sumProducts is the fastest kernel for this machine.
var sumProducts = chooseKernel()

// A kernel returns four partial sums of the dot product: sums[i mod 4] has the products of the
// elements i, added one after another. query and h have the same length, a multiple of 4.
type kernel func(query []float32, h Half) (sums [4]float64)

// sumPortable is the kernel in plain Go.
func sumPortable(query []float32, h Half) [4]float64 {
	var s0, s1, s2, s3 float64
	for i := 0; i+4 <= len(h); i += 4 {
		q, v := query[i:i+4:i+4], h[i:i+4:i+4]
		s0 += float64(q[0]) * float64(widen(v[0]))
		s1 += float64(q[1]) * float64(widen(v[1]))
		s2 += float64(q[2]) * float64(widen(v[2]))
		s3 += float64(q[3]) * float64(widen(v[3]))
	}
	return [4]float64{s0, s1, s2, s3}
}

// widen converts a finite half to float32. The bits of exponent and fraction, shifted into
// position, are a number that is 2^112 times too small, because the exponents' biases are 15
// and 127. The multiplication corrects that exactly, for subnormal halves too.
func widen(h uint16) float32 {
	const scale = 1 << 112
	return math.Float32frombits(uint32(h&0x8000)<<16|uint32(h&0x7fff)<<13) * scale
}
