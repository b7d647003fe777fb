package weightfile

import "math"

// Quantize fills q with x in 8-bit steps of a shared scale and gives the
// scale's half-precision bits. x[i*stride] are the group's n values, and
// q[i*stride] receives them. The scale maps the largest magnitude to 127; it
// is rounded to half precision first, so that the steps are the ones a reader
// will use.
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
