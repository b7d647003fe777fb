package relevance

import (
	"slices"
)

// Kinds of questions without an answer.
const (
	KindUnanswerable = "unanswerable" // written so that no document answers them
	KindWrongStore   = "wrong store"  // asked of a store other than their own
)

// Nothing measures how well a relevance threshold separates answerable questions
// from others. Hits below the threshold are dropped.
type Nothing struct {
	Kind         string `json:"kind"`
	Answerable   int    `json:"answerable"` // number of questions
	Found        int    `json:"found"`      // answerable questions with a relevant document in the first ten
	Unanswerable int    `json:"unanswerable"`
	// AUC is the probability that a random answerable question's highest relevance
	// exceeds that of a random unanswerable one, ties counted half.
	AUC   float64 `json:"auc"`
	Curve []Point `json:"curve"` // thresholds from 0 to 1 in steps of .01
	// At95 is the point at the highest threshold at which 95 % of the answerable questions
	// still have a hit. At95Relevant is that at which 95 % of the found questions still
	// have a relevant hit.
	At95         Point `json:"at_95"`
	At95Relevant Point `json:"at_95_relevant"`
}

// Point is the effect of one threshold.
type Point struct {
	Threshold    float64 `json:"threshold"`
	KeptAny      float64 `json:"kept_any"`      // share of the answerable questions with a hit left
	KeptRelevant float64 `json:"kept_relevant"` // share of the found questions with a relevant hit left
	Empty        float64 `json:"empty"`         // share of the unanswerable questions without a hit
}

// keptShare is the share of answerable questions that At95 and At95Relevant
// retain.
const keptShare = .95

// nothings returns the curves for each kind of unanswerable question.
func nothings(qrels Qrels, a *answers) []Nothing {
	var all []Nothing
	for _, one := range []struct {
		kind string
		best []float64
	}{{KindUnanswerable, a.unanswerable}, {KindWrongStore, a.wrongStore}} {
		if len(one.best) > 0 {
			all = append(all, nothing(one.kind, qrels, a.byRelevance, one.best))
		}
	}
	return all
}

// nothing compares answers to answerable questions with the highest relevance of
// the answers to unanswerable ones.
func nothing(kind string, qrels Qrels, answers map[string][]found, unanswerable []float64) Nothing {
	n := Nothing{Kind: kind, Answerable: len(answers), Unanswerable: len(unanswerable)}
	var anyHit, relevantHit []float64 // the highest relevance, by question
	for _, query := range sortedKeys(answers) {
		hits := answers[query]
		anyHit = append(anyHit, highest(hits))
		var relevant []found
		for _, hit := range hits[:min(judgedDepth, len(hits))] {
			if qrels[query][hit.id] > 0 {
				relevant = append(relevant, hit)
			}
		}
		if len(relevant) > 0 {
			relevantHit = append(relevantHit, highest(relevant))
		}
	}
	n.Found = len(relevantHit)
	none := slices.Clone(unanswerable)
	slices.Sort(anyHit)
	slices.Sort(relevantHit)
	slices.Sort(none)
	at := func(threshold float64) Point {
		return Point{
			Threshold: threshold, KeptAny: shareFrom(anyHit, threshold), KeptRelevant: shareFrom(relevantHit, threshold),
			Empty: 1 - shareFrom(none, threshold),
		}
	}
	for i := range 101 {
		n.Curve = append(n.Curve, at(float64(i)/100))
	}
	n.At95, n.At95Relevant = at(keeping(anyHit)), at(keeping(relevantHit))
	for _, best := range anyHit {
		below, _ := slices.BinarySearch(none, best)
		tied := 0
		for below+tied < len(none) && none[below+tied] == best {
			tied++
		}
		n.AUC += (float64(below) + float64(tied)/2) / float64(len(none)*len(anyHit))
	}
	return n
}

// shareFrom returns the share of sorted values that are at least threshold; 0 if
// there are none.
func shareFrom(sorted []float64, threshold float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	below, _ := slices.BinarySearch(sorted, threshold)
	return float64(len(sorted)-below) / float64(len(sorted))
}

// keeping returns the highest threshold that retains keptShare of sorted values.
func keeping(sorted []float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	drop := int(float64(len(sorted)) * (1 - keptShare) * (1 + 1e-12))
	return max(0, sorted[drop])
}
