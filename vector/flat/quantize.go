package flat

import (
	"math"

	"mneme/vector"
)

// quantized is a copy of a full segment's rows in 8 bits an element. It takes half of
// the memory bandwidth of the rows themselves, on which a scan of a large store
// spends its time, and bounds their scores: a row whose bound is below the threshold of
// a scan cannot be a result. The others are scored exactly, so results are the same
// with and without it.
//
// A row is near mean + scale·values. Vectors of one encoder point into nearly the
// same direction, so what remains without their mean is short, and few bits are
// enough for it.
type quantized struct {
	mean   []uint16  // of the rows, in half precision
	values []int8    // of all rows, each padded to the stride
	scales []float32 // of each row
	errors []float32 // for each row, at least the length of the difference
	// length and meanLength are at least the lengths of every scale·values and of mean.
	length, meanLength float64
}

// maxValue is the greatest absolute value of a quantized element.
const maxValue = 127

// newQuantized quantizes rows of stride elements.
func newQuantized(halves []uint16, stride int) *quantized {
	rows := len(halves) / stride
	z := &quantized{
		mean:   meanOf(halves, stride),
		values: make([]int8, len(halves)),
		scales: make([]float32, rows),
		errors: make([]float32, rows),
	}
	mean, rest := make([]float32, stride), make([]float32, stride)
	for j, h := range z.mean {
		mean[j] = widen(h)
		z.meanLength += float64(mean[j]) * float64(mean[j])
	}
	z.meanLength = math.Sqrt(z.meanLength) * roundUp
	for i := range rows {
		row := halves[i*stride:][:stride]
		length := 0.0
		z.scales[i], z.errors[i], length = quantizeRow(z.values[i*stride:][:stride], row, mean, rest)
		z.length = max(z.length, length)
	}
	return z
}

// roundUp makes a length computed in float64 and rounded to float32 no shorter than
// it is.
const roundUp = 1 + 1.0/(1<<20)

// quantizeRow quantizes what row is without mean. The bound on the error holds
// however values are rounded, since it is computed from them. rest is overwritten.
func quantizeRow(values []int8, row []uint16, mean, rest []float32) (scale, bound float32, length float64) {
	var peak float32
	for j, h := range row {
		rest[j] = widen(h) - mean[j]
		peak = max(peak, rest[j], -rest[j])
	}
	if scale = peak / maxValue; scale == 0 {
		clear(values)
		scale = 1
	} else {
		inverse := 1 / scale
		for j, x := range rest {
			// Adding and subtracting 1.5·2²³ rounds to the nearest integer.
			const round = 3 << 22
			values[j] = int8(max(-maxValue, min(maxValue, float32(x*inverse+round)-round)))
		}
	}
	var square, distance float64
	for j, h := range row {
		value := float64(scale) * float64(values[j])
		e := float64(widen(h)) - float64(mean[j]) - value
		square += value * value
		distance += e * e
	}
	return scale, float32(math.Sqrt(distance) * roundUp), math.Sqrt(square) * roundUp
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

// bytes returns the memory that the copy takes.
func (z *quantized) bytes() int {
	const header = 4*24 + 16
	return header + 2*cap(z.mean) + cap(z.values) + 4*cap(z.scales) + 4*cap(z.errors)
}

// quantizedQuery is a query in 16 bits an element: about scale·values.
type quantizedQuery struct {
	exact  []float32
	values []int16
	scale  float64
	error  float64 // at least the length of the difference
	length float64 // at least that of the query
	slack  float64 // bounds rounding, as a factor of both lengths
}

func quantizeQuery(query []float32) *quantizedQuery {
	q := &quantizedQuery{exact: query, values: make([]int16, len(query))}
	var peak float64
	for _, x := range query {
		peak = max(peak, math.Abs(float64(x)))
	}
	// Sums of len(query) products fit into 32 bits.
	levels := min(math.MaxInt16, math.MaxInt32/(maxValue*len(query)))
	if q.scale = peak / float64(levels); q.scale == 0 {
		q.scale = 1
	}
	for i, x := range query {
		q.values[i] = int16(math.Round(float64(x) / q.scale))
		e := float64(x) - q.scale*float64(q.values[i])
		q.error += e * e
		q.length += float64(x) * float64(x)
	}
	q.error, q.length = math.Sqrt(q.error)*roundUp, math.Sqrt(q.length)*roundUp
	// A kernel rounds each product, each of the sums of a lane, and three sums of
	// lanes, by at most 2⁻²⁴ of what it rounds. Twice that is more than enough for
	// terms of higher order; 2⁻²⁰ covers bound's own arithmetic.
	q.slack = 2*float64(len(query)/lanes+4)/(1<<24) + 1.0/(1<<20)
	return q
}

// bounds writes to scores, for each row of a copy, an upper bound of the score that a
// kernel computes for the row. dots has room for as many numbers.
func (q *quantizedQuery) bounds(scores []float32, dots []int32, z *quantized, dot kernel, multiply intKernel) {
	dots = dots[:len(scores)]
	multiply(dots, q.values, z.values)
	dot(scores[:1], q.exact, z.mean)
	// By Cauchy and Schwarz, a difference of vectors changes a product with the
	// query by no more than its length times the query's.
	base := scores[0] + float32(q.error*z.length+q.slack*q.length*2*(z.meanLength+z.length))
	length, scale := float32(q.length*roundUp), float32(q.scale)
	for i, sum := range dots {
		scores[i] = base + float32(sum)*(z.scales[i]*scale) + length*z.errors[i]*roundUp
	}
}

// An intKernel writes to dots the product of query with each of len(dots) contiguous
// rows. len(query) is a positive multiple of lanes, and no sum overflows.
type intKernel func(dots []int32, query []int16, rows []int8)

func multiplyPortable(dots []int32, query []int16, rows []int8) {
	for r := range dots {
		var sum int32
		for i, x := range rows[r*len(query):][:len(query)] {
			sum += int32(query[i]) * int32(x)
		}
		dots[r] = sum
	}
}
