package maxsim

import "math"

const (
	// laneCount is the number of tokens of an entry that a kernel compares with
	// a token of the question at a time.
	laneCount = 4
	// blockSize is the length of laneCount codes.
	blockSize = laneCount * TokenSize
)

// lanes are the largest products of one token of the question so far. Lane i has the largest
// product with the entry's tokens i, i+laneCount, i+2·laneCount and so on.
type lanes [laneCount]float32

// lowest is the start of a maximum: lanes below every product.
var lowest = func() (l lanes) {
	for i := range l {
		l[i] = float32(math.Inf(-1))
	}
	return l
}()

func (l *lanes) largest() float32 { return max(l[0], l[1], l[2], l[3]) }

// A kernel raises best[i] to the largest dot product of query[i] with the
// tokens of codes, each divided by the token's length. best and query have the
// same length, and the length of codes is a multiple of blockSize; both may be
// 0.
//
// Every kernel, portable or assembly, computes the same bits: integer sums are
// exact, and the value of a pair is the float32 of its dot product, times
// inverseNorm of the token. A maximum does not depend on the order.
type kernel func(best []lanes, query []Vector, codes []byte)

func bestPortable(best []lanes, query []Vector, codes []byte) {
	var token [Dim]int32
	for n := 0; n < len(codes); n += TokenSize {
		var square int32
		for i, b := range codes[n:][:TokenSize] {
			low, high := int32(b&15)-codeOffset, int32(b>>4)-codeOffset
			token[i], token[TokenSize+i] = low, high
			square += low*low + high*high
		}
		inverse, lane := inverseNorm(square), n/TokenSize%laneCount
		for q := range query {
			var dot int32
			for i, c := range query[q] {
				dot += int32(c) * token[i]
			}
			best[q][lane] = max(best[q][lane], float32(dot)*inverse)
		}
	}
}

// inverseNorm returns 1 divided by the length of a vector with the squared length square.
// It is 1 for a vector of zeros, whose dot products are 0. Root and quotient are each
// rounded to float32, as the processors' instructions do.
func inverseNorm(square int32) float32 {
	return 1 / float32(math.Sqrt(float64(max(square, 1))))
}
