package flat

import (
	"math"

	"mneme/vector"
)

// quantized is a copy of a segment's rows with 4 bits an element. A scan of a large store is
// limited by memory bandwidth, and the copy takes a quarter of the rows' bandwidth. The copy
// gives an upper bound of each row's score. A row whose bound is below the threshold of the
// scan cannot be a result; the other rows are scored exactly. So the copy does not change the
// results.
//
// A row is weight·mean + scale·values + error. Vectors of one encoder point in nearly the same
// direction, so a row without its part along the mean is short, and few bits suffice for it.
// The weights are chosen so that the errors are orthogonal to the mean (except for rounding,
// see tilt). An error then changes the product with a query by at most its own length times the
// length of the part of the query that is orthogonal to the mean, which is short too.
type quantized struct {
	mean    []uint16  // of the rows, in half precision
	values  []byte    // of all rows, packed (see pack)
	weights []float32 // at least the length of the part of any error that lies along the mean
	scales  []float32 // at least the sum of the lengths of a row's three parts, for every row
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

// pack packs the values of one row, which are padded to whole blocks. Byte i of a block has
// element i in its lower half and element 32+i in its upper half, each less minValue.
func pack(packed []byte, values []int8) {
	const half = packedBlock / 2
	for i := range packed {
		at := i/half*packedBlock + i%half
		packed[i] = byte(values[at]-minValue) | byte(values[at+half]-minValue)<<4
	}
}

// roundUp is a factor for lengths: a length that was computed in float64, multiplied by it and
// rounded to float32, is at least the exact length.
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

// quantizeRest sets values to the nearest integers to rest, in units of a scale, and returns
// the scale. It tries several scales and takes the one with the least error: most elements are
// far below the greatest one, so a finer scale may be better although it clips that one.
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

// nearest returns the nearest of the integers that a quantized element can be.
func nearest(x float32) float32 {
	// Adding and subtracting 1.5·2²³ rounds to the nearest integer.
	const round = 3 << 22
	return max(minValue, min(minValue+15, float32(x+round)-round))
}

// measure sets the weight of row i and the bounds on its error. It computes these from the
// stored values, after their rounding, so the bounds hold however they were rounded. meanSquare
// is the square of the mean's length.
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
