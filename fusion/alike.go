package fusion

import "math"

// Two entries are alike by
//
//	1 / (1 + exp(-25·(cosine + maxsim - 1.62)))
//
// of their first chunks, where maxsim is the mean of both directions. The numbers were
// chosen by measurement: docs/decisions/0061-similar.md.
const (
	alikeSlope  = 25
	alikeMiddle = 1.62
	// alikeGap is how much less MaxSim is than the cosine where two entries say nearly
	// the same: what an entry without codes counts with.
	alikeGap = 0.18
	// leastAlikeGap is how much less it is at least: of 82,017 pairs of hits of LoCoMo it was
	// between .08 and .3 below a cosine of .95.
	leastAlikeGap = 0.08
)

// The ranges of multilingual-e5-small for two entries, which differ less from those of
// E5-small-v2 than for a question and an entry: docs/decisions/0085-newer-statements.md.
var (
	MultilingualAlikeCosines = CosineRange{Unrelated: 0.79, Related: 0.86}
	MultilingualAlikeMaxSims = CosineRange{Unrelated: 0.46, Related: 0.66}
)

// MinAlike is the likeness from which two entries say nearly the same, or the opposite.
const MinAlike = 0.5

// Alike returns how likely two entries say nearly the same, or the opposite, 0–1, by the
// cosine of their vectors, and the mean of the largest cosines of the tokens of each with
// one of the other, which an encoder with these ranges made; nil: not known. It has the
// same bits on every processor.
func Alike(cosines, maxSims CosineRange, cosine float64, maxSim *float64) float64 {
	c := cosines.ToE5(cosine)
	m := c - alikeGap
	if maxSim != nil {
		m = maxSims.to(E5MaxSims, *maxSim)
	}
	return logistic(float64(alikeSlope * (c + m - alikeMiddle)))
}

// MinAlikeCosine returns the cosine, as one of E5-small-v2, below which Alike is less than p,
// whatever their tokens are.
func MinAlikeCosine(p float64) float64 {
	return (alikeMiddle + math.Log(p/(1-p))/alikeSlope + leastAlikeGap) / 2
}
