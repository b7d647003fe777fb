package e5

import "math"

// portable is plain Go, for processors without assembly kernels. It is also the reference:
// tests require the same bits from the other sets. The explicit conversions to float32
// keep the compiler from fusing products into sums.
var portable = kernels{
	name:     "portable",
	product:  productPortable,
	multiply: multiplyPortable,
	softmax:  softmaxPortable,
	gelu:     geluPortable,
	addNorm:  addNormPortable,
	quantize: quantizePortable,
}

func productPortable(c []float32, a []int8, steps []groupStep, rows int, m *matrix, from, to int) {
	groups := m.in / group
	for o := from; o < to; o += panel {
		w, scale, bias := m.panel(o)
		for r := range rows {
			sum := [panel]float32(bias)
			row := a[r*m.in:][:m.in]
			for g := range groups {
				acc := dotPortable((*[group]int8)(row[g*group:]), (*[group * panel]int8)(w[g*group*panel:]))
				size, scales := steps[r*groups+g].size, (*[panel]float32)(scale[g*panel:])
				for j := range panel {
					sum[j] += float32(float32(acc[j]) * float32(scales[j]*size))
				}
			}
			copy(c[r*m.out+o:], sum[:])
		}
	}
}

// dotPortable returns, for each column of a panel, the integer product of a group of inputs and
// their weights in the column.
func dotPortable(a *[group]int8, w *[group * panel]int8) (acc [panel]int32) {
	for i := 0; i < group; i += 4 {
		a0, a1, a2, a3 := int32(a[i]), int32(a[i+1]), int32(a[i+2]), int32(a[i+3])
		cols := (*[4 * panel]int8)(w[i*panel:])
		for j := range panel {
			acc[j] += a0*int32(cols[4*j]) + a1*int32(cols[4*j+1]) + a2*int32(cols[4*j+2]) + a3*int32(cols[4*j+3])
		}
	}
	return acc
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

func softmaxPortable(x []float32, length int) {
	for r := 0; r < len(x); r += length {
		softmaxRow(x[r:][:length])
	}
}

func softmaxRow(x []float32) {
	largest := x[0]
	for _, v := range x {
		largest = max(largest, v)
	}
	var sum lanes
	for i, v := range x {
		x[i] = exp(v - largest)
		sum[i%8] += x[i]
	}
	inverse := 1 / sum.fold()
	for i := range x {
		x[i] *= inverse
	}
}

func addNormPortable(x, y, gamma, beta []float32) {
	for r := 0; r < len(x); r += len(gamma) {
		addNormRow(x[r:][:len(gamma)], y[r:], gamma, beta)
	}
}

func addNormRow(x, y, gamma, beta []float32) {
	n := float32(len(x))
	y, gamma, beta = y[:len(x)], gamma[:len(x)], beta[:len(x)]
	var sum, squares lanes
	for i := range x {
		x[i] += y[i]
		sum[i%8] += x[i]
	}
	mean := sum.fold() / n
	for i := range x {
		x[i] -= mean
		squares[i%8] += float32(x[i] * x[i])
	}
	inverse := 1 / float32(math.Sqrt(float64(squares.fold()/n+normEpsilon)))
	for i := range x {
		x[i] = float32(float32(x[i]*inverse)*gamma[i]) + beta[i]
	}
}

// lanes are the partial sums of a row. A vector register has the same number of elements.
type lanes [8]float32

// fold adds the lanes pairwise, halving their number each time.
func (l *lanes) fold() float32 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

// largestStep is the largest magnitude of a quantized value.
const largestStep = 127

func quantizePortable(q []int8, steps []groupStep, x []float32) {
	for g := range len(x) / group {
		x, q := x[g*group:][:group], q[g*group:][:group]
		var largest float32
		for _, v := range x {
			largest = max(largest, float32(math.Abs(float64(v))))
		}
		inverse := largestStep / max(largest, smallest)
		var sum int32
		for i, v := range x {
			// Adding and subtracting 1.5·2^23 rounds to the nearest integer, ties to
			// even, like the conversion instructions.
			q[i] = int8(float32(float32(v*inverse)+roundMagic) - roundMagic)
			sum += int32(q[i])
		}
		steps[g] = groupStep{size: largest * (1.0 / largestStep), offset: -weightShift * sum}
	}
}

// smallest is a lower bound for a group's largest magnitude, which is a divisor.
const smallest = 1e-30

const roundMagic = 3 << 22
