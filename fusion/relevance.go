package fusion

import "math"

// Question is what relevance depends on of a query.
type Question struct {
	Terms  int // distinct terms of the lexical leg
	Tokens int // of the encoder; 0 if it gives none
	// Familiarity is the share of the query's letters that stand in words which
	// the encoder has whole, 0–1: low for a script or language that it was not
	// trained on.
	Familiarity float64
}

// Parts are what the relevance of one entry to a query is made of. nil: not
// known, because a leg failed, or the entry waits for its vectors, or the
// encoder makes no codes.
type Parts struct {
	// Cosine is that of the query's vector and the nearest chunk's, -1–1.
	Cosine *float64
	// MaxSim is the mean, weighted by rarity, of the largest cosine of each of
	// the query's tokens with a token of the nearest chunk, -1–1.
	MaxSim *float64
	// Coverage is the entry's BM25 score over the sum of the weights of the
	// query's terms, 0–1. The terms that no entry in the scope has count too.
	Coverage *float64
	// ChunkTokens is the number of tokens of the nearest chunk that have codes.
	ChunkTokens int
}

// The weights of the parts. That of the coverage is 1.
const (
	weightCosine = 6
	weightMaxSim = 1
)

// An unknown part counts as what it mostly is of an entry that a leg found, so
// that the entry neither gains nor loses by it.
const (
	usualCosine   = 0.8
	usualMaxSim   = 0.4
	usualCoverage = 0.2
)

// Relevance is 1 / (1 + exp(-slope·(score - middle))).
const (
	slope  = 3
	middle = 6
)

// Summand is one of the numbers whose sum is a score.
type Summand struct {
	Name  string
	Value float64
}

// Summands returns what the score of an entry for a query is the sum of.
func Summands(_ Question, p Parts) []Summand {
	return []Summand{
		{"cosine", weightCosine * known(p.Cosine, usualCosine)},
		{"maxsim", weightMaxSim * known(p.MaxSim, usualMaxSim)},
		{"coverage", known(p.Coverage, usualCoverage)},
	}
}

// Relevance returns the score of an entry for a query, which orders entries,
// and its relevance, 0–1, which grows with the score. Both depend on this query
// and this entry alone and have the same bits on every processor.
func Relevance(q Question, p Parts) (score, relevance float64) {
	for _, s := range Summands(q, p) {
		score += s.Value
	}
	return score, logistic(float64(slope * (score - middle)))
}

func known(part *float64, usual float64) float64 {
	if part == nil {
		return usual
	}
	return *part
}

// logistic returns 1 / (1 + exp(-x)).
func logistic(x float64) float64 {
	if x < 0 {
		e := exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + exp(-x))
}

// exp returns e^x for x ≤ 0: 2^n · e^r with |r| ≤ ln 2 / 2, and e^r by its power
// series. The result of math.Exp depends on the platform, since it is assembly
// on some.
func exp(x float64) float64 {
	if x < -700 {
		return 0
	}
	n := math.Floor(float64(x/math.Ln2) + 0.5)
	r := x - float64(n*math.Ln2)
	sum := 1.0
	for k := 17; k >= 1; k-- { // 0.347¹⁸ / 18! < 2⁻⁷⁷
		sum = 1 + float64(sum*r)/float64(k)
	}
	return math.Ldexp(sum, int(n))
}

// RoundRelevance rounds a relevance to two digits, as it is shown of a store
// that the caller may search but not read.
func RoundRelevance(r float64) float64 { return math.Round(float64(r*100)) / 100 }
