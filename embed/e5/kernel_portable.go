package e5

import "math"

// portable is plain Go: for processors without a set of their own, and the
// reference that the others are tested against. Explicit conversions to
// float32 keep the compiler from fusing a product into a sum on processors
// that could, so that it gives the same bits everywhere.
var portable = kernels{
	name:     "portable",
	product:  productPortable,
	multiply: multiplyPortable,
	softmax:  softmaxPortable,
	gelu:     geluPortable,
	addNorm:  addNormPortable,
	quantize: quantizePortable,
}

func productPortable(c []float32, ldc int, a []int16, rowScale []float32, rows int, w []int8, scale, bias []float32, groups int) {
	in := groups * group
	for r := range rows {
		var sum [panel]float32
		row := a[r*in : r*in+in]
		for g := range groups {
			var acc [panel]int32
			for i := 0; i < group; i += 2 {
				a0, a1 := int32(row[g*group+i]), int32(row[g*group+i+1])
				cols := (*[2 * panel]int8)(w[(g*group+i)*panel:])
				for j := range panel {
					acc[j] += a0*int32(cols[2*j]) + a1*int32(cols[2*j+1])
				}
			}
			steps := (*[panel]float32)(scale[g*panel:])
			for j := range panel {
				sum[j] += float32(float32(acc[j]) * steps[j])
			}
		}
		for j := range panel {
			c[r*ldc+j] = float32(sum[j]*rowScale[r]) + bias[j]
		}
	}
}

func multiplyPortable(c []float32, ldc int, a []float32, lda, rows int, b []float32, ldb, k int) {
	for r := range rows {
		var sum [panel]float32
		for i := range k {
			x := a[r*lda+i]
			line := (*[panel]float32)(b[i*ldb:])
			for j := range panel {
				sum[j] += float32(x * line[j])
			}
		}
		copy(c[r*ldc:], sum[:])
	}
}

func softmaxPortable(x []float32) {
	largest := x[0]
	for _, v := range x {
		largest = max(largest, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = exp(v - largest)
		sum += x[i]
	}
	inverse := 1 / sum
	for i := range x {
		x[i] *= inverse
	}
}

func addNormPortable(x, y, gamma, beta []float32) {
	n := float32(len(x))
	y, gamma, beta = y[:len(x)], gamma[:len(x)], beta[:len(x)]
	var mean, square float32
	for i := range x {
		x[i] += y[i]
		mean += x[i]
	}
	mean /= n
	for i := range x {
		x[i] -= mean
		square += float32(x[i] * x[i])
	}
	inverse := 1 / float32(math.Sqrt(float64(square/n+normEpsilon)))
	for i := range x {
		x[i] = float32(float32(x[i]*inverse)*gamma[i]) + beta[i]
	}
}

// The largest 16-bit magnitude of a quantised row.
const steps16 = 32767

func quantizePortable(q []int16, x []float32) float32 {
	var largest float32
	for _, v := range x {
		largest = max(largest, float32(math.Abs(float64(v))))
	}
	if largest == 0 {
		clear(q[:len(x)])
		return 0
	}
	inverse := steps16 / largest
	for i, v := range x {
		// Adding and subtracting 1.5·2^23 rounds to the nearest integer, ties to
		// even, as the processors' conversions do.
		q[i] = int16(float32(float32(v*inverse)+roundMagic) - roundMagic)
	}
	return largest / steps16
}

const roundMagic = 3 << 22
