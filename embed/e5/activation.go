package e5

import "math"

// The constants of exp: Cody and Waite's split of ln 2, which makes k·ln2High
// exact, and Taylor coefficients with a relative error below 1.3e-7 for
// |r| ≤ ln2/2.
const (
	expLowest = -87.0 // below it the result is that of expLowest, about the smallest normal number
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

// The constants of the error function: Abramowitz and Stegun, Handbook of
// Mathematical Functions, 7.1.26, error at most 1.5e-7.
const (
	erfP  = 0.3275911
	erfA1 = 0.254829592
	erfA2 = -0.284496736
	erfA3 = 1.421413741
	erfA4 = -1.453152027
	erfA5 = 1.061405429
)

// geluPortable computes x·Φ(x) = max(x,0) - |x|/2 · erfc(|x|/√2).
func geluPortable(x []float32) {
	for i, v := range x {
		a := float32(math.Abs(float64(v)))
		z := float32(a * (1 / math.Sqrt2))
		t := 1 / (1 + float32(erfP*z))
		p := float32(float32(erfA5)*t) + erfA4
		p = float32(p*t) + erfA3
		p = float32(p*t) + erfA2
		p = float32(p*t) + erfA1
		p = float32(float32(p*t) * exp(-float32(z*z)))
		x[i] = max(v, 0) - float32(float32(0.5*a)*p)
	}
}
