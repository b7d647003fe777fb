package payment

import (
	"fmt"
	"math/big"

	"mneme/meter"
)

// rate converts micros to the smallest units of an asset.
type rate struct{ perMicro *big.Rat }

// newRate returns the rate of an asset. perCredit is the amount of the asset that buys one
// credit, a decimal number; decimals is the number of decimals of the asset's smallest unit.
func newRate(perCredit string, decimals int) (rate, error) {
	r, ok := new(big.Rat).SetString(perCredit)
	if !ok || r.Sign() <= 0 || r.Cmp(big.NewRat(1_000_000_000, 1)) > 0 {
		return rate{}, fmt.Errorf("the rate must be a decimal number above 0, at most 1000000000")
	}
	if decimals < 0 || decimals > 36 {
		return rate{}, fmt.Errorf("the decimals must be 0 to 36")
	}
	units := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	r.Mul(r, new(big.Rat).SetInt(units))
	return rate{r.Quo(r, big.NewRat(meter.MicrosPerCredit, 1))}, nil
}

// units returns an amount of micros in the asset's smallest units, rounded up.
func (r rate) units(micros int64) *big.Int {
	exact := new(big.Rat).Mul(r.perMicro, new(big.Rat).SetInt64(micros))
	whole, rest := new(big.Int).QuoRem(exact.Num(), exact.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return whole
}
