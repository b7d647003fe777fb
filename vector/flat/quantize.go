package flat

import (
	"math"

	"mneme/vector"
)

// quantized is a copy of a segment's rows in 4 bits an element. Reading it takes a quarter
// of the memory bandwidth of the rows, which limits a scan of a large store. The copy
// bounds the scores of the rows: a row whose bound is below the threshold of a scan cannot
// be a result. The other rows are scored exactly, so the copy does not change the results.
//
// A row is weight·mean + scale·values + error. Vectors of one encoder point in nearly the
// same direction, so a row without its part along the mean is short, and few bits are
// enough for it. The weights are such that the errors are orthogonal to the mean (except
// for rounding, see tilt): an error then changes a product with a query by at most its
// length times the length of the query's part orthogonal to the mean, which is short too.
type quantized struct {
	mean    []uint16  // of the rows, in half precision
	values  []byte    // of all rows, packed (see pack)
	weights []float32 // of each row
	scales  []float32 // of each row, 0 or more
	errors  []float32 // for each row, at least the length of the error

	meanLength  float64 // at least the length of mean
	valueLength float64 // at least the length of every scale·values
	tilt        float64 // at least the length of every error's part along the mean
	size        float64 // at least the sum of the lengths of the three parts of every row
}

const (
	// Quantized elements lie between minValue and minValue+15.
	minValue = -8
	// packedBlock is the number of elements packed into half as many bytes.
	packedBlock = 64
)

// packedBytes returns the number of bytes of a packed row.
func packedBytes(stride int) int { return (stride + packedBlock - 1) / packedBlock * packedBlock / 2 }

// pack packs the values of a row padded to whole blocks. The lower half of a block's byte
// i is element i less minValue, the upper half element 32+i.
func pack(packed []byte, values []int8) {
	const half = packedBlock / 2
	for i := range packed {
		at := i/half*packedBlock + i%half
		packed[i] = byte(values[at]-minValue) | byte(values[at+half]-minValue)<<4
	}
}

// roundUp is a factor that makes a length computed in float64 and rounded to float32 at
// least its exact value.
const roundUp = 1 + 1.0/(1<<20)

// newQuantized quantizes rows of stride elements.
func newQuantized(halves []uint16, stride int) *quantized {
	rows, packed := len(halves)/stride, packedBytes(stride)
	z := &quantized{
		mean:    meanOf(halves, stride),
		values:  make([]byte, rows*packed),
		weights: make([]float32, rows),
		scales:  make([]float32, rows),
		errors:  make([]float32, rows),
	}
	mean, rest, square := make([]float32, stride), make([]float32, stride), 0.0
	for j, h := range z.mean {
		mean[j] = widen(h)
		square += float64(mean[j]) * float64(mean[j])
	}
	z.meanLength = math.Sqrt(square) * roundUp
	values := make([]int8, 2*packed)
	for i := range rows {
		row := halves[i*stride:][:stride]
		for j, h := range row {
			rest[j] = widen(h) - mean[j]
		}
		z.scales[i] = quantizeRest(values, rest)
		pack(z.values[i*packed:][:packed], values)
		z.measure(i, row, mean, values, square)
	}
	return z
}

// quantizeRest writes to values the nearest integers to rest in units of a scale, and
// returns the scale. It tries several scales and takes the one with the least error: most
// elements are far below the greatest, so a finer scale that clips it may be better.
func quantizeRest(values []int8, rest []float32) (scale float32) {
	var peak float32
	for _, x := range rest {
		peak = max(peak, x, -x)
	}
	clear(values)
	if peak == 0 {
		return 0
	}
	least := float32(math.Inf(1))
	for _, part := range [...]float32{1, .84, .7} {
		candidate, square := part*peak/7.5, float32(0)
		inverse := 1 / candidate
		for _, x := range rest {
			e := x - candidate*nearest(x*inverse)
			square += e * e
		}
		if square < least {
			least, scale = square, candidate
		}
	}
	inverse := 1 / scale
	for j, x := range rest {
		values[j] = int8(nearest(x * inverse))
	}
	return scale
}

// nearest returns the nearest integer that is a quantized element.
func nearest(x float32) float32 {
	// Adding and subtracting 1.5·2²³ rounds to the nearest integer.
	const round = 3 << 22
	return max(minValue, min(minValue+15, float32(x+round)-round))
}

// measure sets the weight of row i and the bounds on its error. It computes them from the
// rounded values, so they hold for any rounding. meanSquare is the mean's squared length.
func (z *quantized) measure(i int, row []uint16, mean []float32, values []int8, meanSquare float64) {
	scale, along, square := float64(z.scales[i]), 0.0, 0.0
	for j, h := range row {
		value := scale * float64(values[j])
		along += (float64(widen(h)) - value) * float64(mean[j])
		square += value * value
	}
	if meanSquare > 0 {
		z.weights[i] = float32(along / meanSquare)
	}
	weight, tilt, distance := float64(z.weights[i]), 0.0, 0.0
	for j, h := range row {
		e := float64(widen(h)) - scale*float64(values[j]) - weight*float64(mean[j])
		tilt += e * float64(mean[j])
		distance += e * e
	}
	z.errors[i] = float32(math.Sqrt(distance) * roundUp)
	if meanSquare > 0 {
		z.tilt = max(z.tilt, math.Abs(tilt)/math.Sqrt(meanSquare)*roundUp)
	}
	length := math.Sqrt(square) * roundUp
	z.valueLength = max(z.valueLength, length)
	z.size = max(z.size, math.Abs(weight)*z.meanLength+length+float64(z.errors[i]))
}

// meanOf returns the mean of rows of stride elements.
func meanOf(halves []uint16, stride int) []uint16 {
	sums := make([]float32, stride)
	for row := halves; len(row) > 0; row = row[stride:] {
		for j, h := range row[:stride] {
			sums[j] += widen(h)
		}
	}
	for j := range sums {
		sums[j] /= float32(len(halves) / stride)
	}
	return vector.ToHalf(sums)
}

// bytes returns the size of the copy in memory.
func (z *quantized) bytes() int {
	const header = 5*24 + 4*8
	return header + 2*cap(z.mean) + cap(z.values) + 4*(cap(z.weights)+cap(z.scales)+cap(z.errors))
}
