package speed

import (
	"math"
	"strconv"
)

// scale is a logarithmic axis between two powers of ten.
type scale struct{ from, to float64 }

// newScale returns a scale for values above 0. It spans at least one power of ten.
func newScale(values []float64) scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, math.Floor(math.Log10(v))), max(high, math.Ceil(math.Log10(v)))
	}
	switch {
	case len(values) == 0:
		low, high = 0, 1
	case low == high:
		high++
	}
	return scale{math.Pow(10, low), math.Pow(10, high)}
}

// share returns where v is on the axis: 0 at its beginning, 1 at its end.
func (s scale) share(v float64) float64 { return math.Log(v/s.from) / math.Log(s.to/s.from) }

// decades returns the powers of ten on the axis.
func (s scale) decades() (values []float64) {
	for v := s.from; v <= s.to*1.001; v *= 10 {
		values = append(values, v)
	}
	return values
}

// tenth rounds a coordinate.
func tenth(v float64) float64 { return math.Round(v*10) / 10 }

// decade formats a power of ten.
func decade(v float64) string {
	if v < .999 {
		return strconv.FormatFloat(v, 'g', 1, 64)
	}
	return grouped(int(math.Round(v)))
}

// grouped formats n with a comma between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
