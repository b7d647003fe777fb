package weightfile

import "math"

// Half returns the bits of the half-precision number nearest to a finite x, ties
// to even. Magnitudes above 65504 become 65504.
func Half(x float32) uint16 {
	sign := uint16(math.Float32bits(x) >> 16 & 0x8000)
	a := math.Abs(float64(x))
	if a >= 65504 {
		return sign | 0x7bff
	}
	if a < 0x1p-14 { // subnormal: steps of 2^-24
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	frac, exp := math.Frexp(a) // a = frac*2^exp, frac in [.5, 1)
	// The mantissa has 11 significant bits. If rounding carries out of it, the exponent grows
	// by one.
	m := uint16(math.RoundToEven(frac*2048)) - 1024
	return sign | (uint16(exp-1+15)<<10 + m)
}

// Float returns the value of a finite half-precision number.
func Float(h uint16) float32 {
	m := float64(h & 0x3ff)
	v := 0.0
	if e := int(h >> 10 & 31); e == 0 {
		v = m * 0x1p-24
	} else {
		v = math.Ldexp(1024+m, e-25)
	}
	if h&0x8000 != 0 {
		v = -v
	}
	return float32(v)
}
