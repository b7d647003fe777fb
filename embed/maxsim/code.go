package maxsim

import (
	"fmt"
	"math"
)

// A code stores component i, from 0 to 31, in the lower half of byte i, and component 32+i
// in the upper half, each as a number from -7 to 7 plus codeOffset. The kernels also
// accept the number -8.
const (
	codeSteps  = 7   // largest magnitude of a coded component
	codeOffset = 8   // added to a component, so that it is not negative
	querySteps = 127 // largest magnitude of a Vector's component
)

// smallest is a lower bound for a token's largest magnitude, which is a divisor.
const smallest = 1e-30

// AppendCode appends the code of a token, TokenSize bytes, to dst. The
// components of x are finite.
func AppendCode(dst []byte, x *[Dim]float32) []byte {
	v := quantize(x, codeSteps)
	for i := range TokenSize {
		dst = append(dst, byte(v[i]+codeOffset)|byte(v[TokenSize+i]+codeOffset)<<4)
	}
	return dst
}

// Quantize returns the vector of a question's token. The components of x are
// finite.
func Quantize(x *[Dim]float32) Vector { return quantize(x, querySteps) }

// quantize scales x so that its largest magnitude becomes steps, and rounds it to
// integers, ties to even. The conversions keep the compiler from fusing product and sum,
// so that every processor rounds alike.
func quantize(x *[Dim]float32, steps float32) (v Vector) {
	var largest float32
	for _, c := range x {
		largest = max(largest, float32(math.Abs(float64(c))))
	}
	scale := steps / max(largest, smallest)
	for i, c := range x {
		v[i] = int8(math.RoundToEven(float64(float32(c * scale))))
	}
	return v
}

// Vectors returns the vectors of the first tokens of codes, at most most, so that an entry can
// be compared with another as a question is. They are as exact as the codes. If the length of
// codes is not a multiple of TokenSize, the error wraps ErrCodes.
func Vectors(codes []byte, most int) ([]Vector, error) {
	if len(codes)%TokenSize != 0 {
		return nil, fmt.Errorf("%w: %d bytes, not a multiple of %d", ErrCodes, len(codes), TokenSize)
	}
	vectors := make([]Vector, min(most, len(codes)/TokenSize))
	for i := range vectors {
		for j, b := range codes[i*TokenSize : (i+1)*TokenSize] {
			vectors[i][j], vectors[i][TokenSize+j] = int8(b&0xf)-codeOffset, int8(b>>4)-codeOffset
		}
	}
	return vectors, nil
}
