package fusion

import "math"

// Alike(a, b) of two entries is
//
//	1 / (1 + exp(-25·(cosine + maxsim - 1.62)))
//
// of their first chunks, where maxsim is the mean of both directions. The numbers were
// chosen by measurement: docs/decisions/0061-similar.md.
const (
	alikeSlope  = 25
	alikeMiddle = 1.62
	// alikeGap is the usual difference between the cosine and MaxSim of two entries that
	// say nearly the same. It replaces MaxSim for an entry without codes.
	alikeGap = 0.18
	// leastAlikeGap is the minimum of that difference: for 82,017 pairs of hits of LoCoMo
	// it was between .08 and .3 at cosines below .95.
	leastAlikeGap = 0.08
)

// The ranges of multilingual-e5-small for two entries. They differ less from the ranges of
// E5-small-v2 than the ranges for a question and an entry do:
// docs/decisions/0085-newer-statements.md.
var (
	MultilingualAlikeCosines = CosineRange{Unrelated: 0.79, Related: 0.86}
	MultilingualAlikeMaxSims = CosineRange{Unrelated: 0.46, Related: 0.66}
)

// MinAlike is the value of Alike from which two entries say nearly the same, or the
// opposite.
const MinAlike = 0.5

// Alike returns the probability, 0–1, that two entries say nearly the same, or the
// opposite. cosine is the cosine of their vectors. maxSim is the mean, over the tokens of
// both entries, of each token's largest cosine with a token of the other entry; nil if
// unknown. cosines and maxSims are the encoder's ranges. The result has the same bits on
// every processor.
func Alike(cosines, maxSims CosineRange, cosine float64, maxSim *float64) float64 {
	c := cosines.ToE5(cosine)
	m := c - alikeGap
	if maxSim != nil {
		m = maxSims.to(E5MaxSims, *maxSim)
	}
	return logistic(float64(alikeSlope * (c + m - alikeMiddle)))
}

// MinAlikeCosine returns the cosine, on the scale of E5-small-v2, below which Alike is
// less than p for any tokens.
func MinAlikeCosine(p float64) float64 {
	return (alikeMiddle + math.Log(p/(1-p))/alikeSlope + leastAlikeGap) / 2
}
