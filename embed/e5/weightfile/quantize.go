package weightfile

import "math"

// Quantize quantizes the n values x[i*stride] of a group to 8 or 4 bits, stores them in
// q[i*stride] and returns the half-precision bits of their scale. It rounds the scale to half
// precision first: the values are then quantized with the same scale that a reader uses.
//
// If all values are multiples, from -8 to 7, of one half-precision number, they stay exact with
// either number of bits. Models that had 4 bits before are like this. Otherwise the scale of 8
// bits maps the largest magnitude to 127, and the scale of 4 bits maps the value with the
// largest magnitude to -8, as ggml's Q4_0 does.
func Quantize(q []int8, x []float32, n, stride, bits int) uint16 {
	var largest float32 // the value with the largest magnitude
	for i := range n {
		if v := x[i*stride]; math.Abs(float64(v)) > math.Abs(float64(largest)) {
			largest = v
		}
	}
	if scale, ok := commonScale(x, n, stride, largest); ok {
		round(q, x, n, stride, scale, -8, 7)
		return scale
	}
	if bits == 4 {
		scale := Half(-largest / 8)
		round(q, x, n, stride, scale, -8, 7)
		return scale
	}
	scale := Half(float32(math.Abs(float64(largest))) / 127)
	round(q, x, n, stride, scale, -127, 127)
	return scale
}

// round sets q to the multiples of scale nearest to x, ties to even.
func round(q []int8, x []float32, n, stride int, scale uint16, lowest, highest float64) {
	step := float64(Float(scale))
	for i := range n {
		if step == 0 {
			q[i*stride] = 0
			continue
		}
		q[i*stride] = int8(min(max(math.RoundToEven(float64(x[i*stride])/step), lowest), highest))
	}
}

// commonScale returns a half-precision number of which all values are multiples from -8 to 7.
// ok is false if there is none.
func commonScale(x []float32, n, stride int, largest float32) (uint16, bool) {
	for multiple := float32(1); multiple <= 8; multiple++ {
		for _, sign := range []float32{1, -1} {
			if multiple == 8 {
				sign = -1 // 8 is out of range
			}
			scale := Half(sign * largest / multiple)
			if Float(scale)*sign*multiple == largest && multiples(x, n, stride, Float(scale)) {
				return scale, true
			}
		}
	}
	return 0, false
}

// multiples reports whether all values are multiples of scale from -8 to 7. It can compare
// exactly: a product of a number of four bits and one of half precision is exact in float32.
func multiples(x []float32, n, stride int, scale float32) bool {
	if scale == 0 {
		return false
	}
	for i := range n {
		m := float32(math.RoundToEven(float64(x[i*stride] / scale)))
		if m < -8 || m > 7 || m*scale != x[i*stride] {
			return false
		}
	}
	return true
}
