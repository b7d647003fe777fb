package flat

import "math"

// quantizedQuery is a query quantized to about 13 bits an element: it is nearly scale·weights.
type quantizedQuery struct {
	exact  []float32
	planes []int8 // the weights (see intKernel)
	offset int32  // -minValue times the sum of the weights
	scale  float64
	error  float64 // at least the length of the quantization error
	length float64 // at least the length of the query
	slack  float64 // bounds rounding errors, as a factor of the lengths of both vectors
}

// maxWeight is the greatest absolute value of a weight. A weight is stored as 64·high + low,
// with high between -63 and 63 and low between -32 and 31.
const maxWeight = 63*64 + 31

func quantizeQuery(query []float32) *quantizedQuery {
	q := &quantizedQuery{exact: query, planes: make([]int8, 4*packedBytes(len(query)))}
	var peak float64
	for _, x := range query {
		peak = max(peak, math.Abs(float64(x)))
	}
	// A sum of len(query) products, each of a weight and a number below 16, must fit into 32
	// bits.
	levels := min(maxWeight, math.MaxInt32/(16*len(query)))
	if q.scale = peak / float64(levels); q.scale == 0 {
		q.scale = 1
	}
	for i, x := range query {
		weight := int(math.Round(float64(x) / q.scale))
		high := (weight + 32) >> 6
		at := i/packedBlock*2*packedBlock + i%packedBlock
		q.planes[at], q.planes[at+packedBlock] = int8(high), int8(weight-high<<6)
		q.offset += int32(-minValue * weight)
		e := float64(x) - q.scale*float64(weight)
		q.error += e * e
		q.length += float64(x) * float64(x)
	}
	q.error, q.length = math.Sqrt(q.error)*roundUp, math.Sqrt(q.length)*roundUp
	// A kernel rounds each product, each sum of a lane and three sums of lanes, each by at most
	// 2⁻²⁴ of the rounded number. Twice that is more than enough for terms of higher order;
	// 2⁻²⁰ covers the arithmetic of bounds itself.
	q.slack = 2*float64(len(query)/lanes+4)/(1<<24) + 1.0/(1<<20)
	return q
}

// bounds sets scores to an upper bound for each row of a copy: of the score that a kernel
// computes for the row. dots is memory for as many numbers.
//
// The score is weight·(query·mean) + scale·(query·values) + query·error. The first product is
// computed by a kernel. In the second, the quantized query replaces the query: by Cauchy and
// Schwarz, this changes it by at most the length of the query's quantization error times the
// length of scale·values. The third is not known, but bounded: the part of error along the mean
// adds at most its length times the query's length, and the part orthogonal to the mean at most
// its length times the length of the query's part orthogonal to the mean.
func (q *quantizedQuery) bounds(scores []float32, dots []int32, z *quantized, dot kernel, multiply intKernel) {
	dots = dots[:len(scores)]
	multiply(dots, q.planes, z.values)
	dot(scores[:1], q.exact, z.mean)
	mean := scores[0]
	base := float32(q.error*z.valueLength + q.length*z.tilt + q.slack*q.length*2*z.size)
	scale, across := float32(q.scale), float32(q.across(float64(mean), z)*roundUp)
	weights, scales, errors := z.weights[:len(dots)], z.scales[:len(dots)], z.errors[:len(dots)]
	scores = scores[:len(dots)]
	for i, sum := range dots {
		scores[i] = base + mean*weights[i] + float32(sum-q.offset)*(scales[i]*scale) + across*errors[i]
	}
}

// across returns an upper bound of the length of that part of the query that is orthogonal to
// the mean of a copy. product is query·mean, computed by a kernel.
func (q *quantizedQuery) across(product float64, z *quantized) float64 {
	if z.meanLength == 0 {
		return q.length
	}
	along := max(0, math.Abs(product)/z.meanLength-q.slack*q.length)
	return math.Sqrt(max(0, q.length*q.length-along*along)) * roundUp
}

// An intKernel computes dot products of a quantized query with packed rows. rows are len(dots)
// contiguous rows. For each, it sets an element of dots to the product of the query and the
// row's elements less minValue, which are the numbers from 0 to 15 that are stored. A block of
// the query has the high parts of 64 weights, and then their low parts. len(query) must be a
// positive multiple of twice packedBlock, and no sum may overflow.
type intKernel func(dots []int32, query []int8, rows []byte)

func multiplyPortable(dots []int32, query []int8, rows []byte) {
	const half = packedBlock / 2
	for r := range dots {
		var high, low int32
		row := rows[r*len(query)/4:][:len(query)/4]
		for q := query; len(q) > 0; q, row = q[2*packedBlock:], row[half:] {
			for i, b := range row[:half] {
				high += int32(b&15)*int32(q[i]) + int32(b>>4)*int32(q[half+i])
				low += int32(b&15)*int32(q[2*half+i]) + int32(b>>4)*int32(q[3*half+i])
			}
		}
		dots[r] = high<<6 + low
	}
}
