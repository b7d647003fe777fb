package weightfile

import "math"

// Quantize quantizes the n values x[i*stride] of a group to 8 bits, stores them in
// q[i*stride] and returns the half-precision bits of their scale. The scale maps
// the largest magnitude to 127. It is rounded to half precision first, so that
// the values are quantized with the scale that a reader uses.
func Quantize(q []int8, x []float32, n, stride int) uint16 {
	var largest float32
	for i := range n {
		largest = max(largest, float32(math.Abs(float64(x[i*stride]))))
	}
	bits := Half(largest / 127)
	scale := float64(Float(bits))
	for i := range n {
		if scale == 0 {
			q[i*stride] = 0
			continue
		}
		q[i*stride] = int8(min(max(math.RoundToEven(float64(x[i*stride])/scale), -127), 127))
	}
	return bits
}
