package e5

import "math"

// The constants of exp: Cody and Waite's split of ln 2, which makes k·ln2High
// exact, and Taylor coefficients with a relative error below 1.3e-7 for
// |r| ≤ ln2/2.
const (
	expLowest = -87.0 // a smaller x gives the result of expLowest, about the smallest normal number
	log2e     = 1.44269504088896341
	ln2High   = 0.693359375
	ln2Low    = -2.12194440e-4
	expC2     = 1.0 / 2
	expC3     = 1.0 / 6
	expC4     = 1.0 / 24
	expC5     = 1.0 / 120
	expC6     = 1.0 / 720
)

// exp returns e to the power of x, for x ≤ 0.
func exp(x float32) float32 {
	x = max(x, expLowest)
	k := float32(float32(x*log2e)+roundMagic) - roundMagic
	r := x - float32(k*ln2High)
	r -= float32(k * ln2Low)
	p := float32(float32(expC6)*r) + expC5
	p = float32(p*r) + expC4
	p = float32(p*r) + expC3
	p = float32(p*r) + expC2
	p = float32(p*r) + 1
	p = float32(p*r) + 1
	return p * math.Float32frombits(uint32(int32(k)+127)<<23)
}

// geluConstants are the constants of gelu, in the order in which the kernels read them:
// the limit of |x| and its negative, the coefficients of the polynomial from the highest,
// and 1/2.
//
// Φ(x) is 1/2 + x·q(x²) up to the limit, where q is the polynomial; beyond the limit it is 0 or
// 1. The polynomial is our own fit: weighted least squares over 4,000 Chebyshev nodes,
// reweighted by the errors until the largest are equal (Lawson), with the value at the limit
// fixed. The error of x·Φ(x) is at most 9e-5 for |x| ≤ 12. This is less than a step of the
// 8-bit activations, unless all values of a group are below .01.
var geluConstants = [11]float32{
	4.2, -4.2,
	-9.01722752e-10, 7.94112509e-08, -3.03787056e-06, 6.68897919e-05,
	-0.000950650196, 0.00929819793, -0.0655281395, 0.398465812,
	0.5,
}

// geluPortable computes x·Φ(x).
func geluPortable(x []float32) {
	for i, v := range x {
		limited := max(min(v, geluConstants[0]), geluConstants[1])
		u := float32(limited * limited)
		p := geluConstants[2]
		for _, q := range geluConstants[3:10] {
			p = float32(p*u) + q
		}
		x[i] = float32(v * (float32(p*limited) + geluConstants[10]))
	}
}
