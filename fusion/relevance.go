package fusion

import "math"

// Question holds the properties of a query that affect relevance.
type Question struct {
	// Familiarity is the share of the query's letters in words that are whole tokens of
	// the encoder, 0–1: low for a script or language that it was not trained on.
	Familiarity float64
	// Cosines is the range of the encoder's cosines, MaxSims the range of its MaxSim;
	// zero: the ranges of E5-small-v2.
	Cosines, MaxSims CosineRange
	// LacksName reports whether the query has names and no entry in its scope has any of
	// them.
	LacksName bool
	// Chatter reports whether the query asks for nothing: a greeting, thanks, small talk,
	// or random letters.
	Chatter bool
}

// CosineRange calibrates an encoder's cosines: the usual cosine of a question with an
// unrelated passage, and with one that answers it.
type CosineRange struct{ Unrelated, Related float64 }

// E5Cosines and E5MaxSims are the ranges of E5-small-v2, to which the weights below were
// fitted: medians over the sets of docs/decisions/0031-relevance.md.
var (
	E5Cosines = CosineRange{Unrelated: 0.78, Related: 0.85}
	E5MaxSims = CosineRange{Unrelated: 0.45, Related: 0.65}
)

// The ranges of multilingual-e5-small for a question and an entry in one language, across
// two languages of one script, and across scripts. Across languages related passages have
// lower cosines, and the cosines of unrelated ones vary less. The ranges were fitted so
// that relevance means the same as with E5-small-v2: docs/decisions/0083-one-scale.md.
var (
	MultilingualCosines  = CosineRange{Unrelated: 0.80, Related: 0.865}
	MultilingualMaxSims  = CosineRange{Unrelated: 0.55, Related: 0.70}
	AcrossCosines        = CosineRange{Unrelated: 0.78, Related: 0.84}
	AcrossMaxSims        = CosineRange{Unrelated: 0.54, Related: 0.66}
	AcrossScriptsCosines = CosineRange{Unrelated: 0.751, Related: 0.7755}
	AcrossScriptsMaxSims = CosineRange{Unrelated: 0.55, Related: 0.63}
)

// Parts are the inputs of the relevance of one entry to a query. A part is nil if it is
// unknown because a leg failed, the entry waits for its vectors, or the encoder makes no
// codes.
type Parts struct {
	// Cosine is the cosine of the query's vector and the nearest chunk's, -1–1.
	Cosine *float64
	// MaxSim is the mean, weighted by rarity, of the largest cosine of each of
	// the query's tokens with a token of the nearest chunk, -1–1.
	MaxSim *float64
	// Coverage is the entry's BM25 score divided by the sum of the weights of the query's
	// terms, 0–1. The sum includes terms that no entry in the scope has.
	Coverage *float64
	// ChunkTokens is the number of tokens of the nearest chunk that have codes.
	ChunkTokens int
	// Corrected reports whether the entry has only corrections of the query's words as
	// typing errors, and no entry in the scope has any other of these words.
	Corrected bool
	// When compares the time of the entry with the time that the question names: 1 if
	// equal, 0 if near, -1 if far. nil: the question names no time, or the entry's time is
	// unknown.
	When *float64
	// AllOfThen reports whether the question asks for everything at a time: then only When
	// counts.
	AllOfThen bool
}

// The score is
//
//	f·(7·(cosine − 0.8) + 2·(maxsim − 0.45 − l)) + (1 + 2·(1 − f))·coverage
//
// where f, from 0.1 to 1, is how well the encoder knows the query's language, and l is what a
// longer chunk gains in MaxSim by chance with E5-small-v2; with the multilingual model it
// gains nothing. The numbers were chosen by measurement: docs/decisions/0031-relevance.md.
const (
	weightCosine = 7
	weightMaxSim = 2
	// middleCosine is the cosine that is evidence neither for nor against an entry.
	middleCosine = 0.8
	middleMaxSim = 0.45
	// strangeCoverage is the additional weight of coverage if the encoder knows no word of
	// the query: coverage is then the only evidence.
	strangeCoverage = 2
	// familiar is the Familiarity from which a query is in the encoder's language. Most
	// English questions are above it despite names and technical words, which the encoder
	// splits into several tokens.
	familiar = 0.5
	// minFamiliarity is the weight of cosine and MaxSim in an unknown language.
	minFamiliarity = 0.1
	// missingName is what an entry loses if the query names somebody or something that no
	// entry in the scope mentions.
	missingName = 0.3
	// chatter is what every entry loses if the query asks for nothing. It leaves a relevance
	// of .01 at most.
	chatter = 4
	// weightThen is what an entry of the time that the question names gains, and
	// weightOther what an entry of another time loses:
	// docs/decisions/0088-questions-for-times.md.
	weightThen  = 0.3
	weightOther = 0.2
	// ofThen and notOfThen are the scores of entries for a question about everything at a
	// time: relevances of .88 and of less than .01.
	ofThen    = middle + 0.77
	notOfThen = middle - 2
	// l = chanceRate·(n − usualTokens)/(n + chanceTokens) for a chunk of n tokens.
	chanceRate   = 0.1
	chanceTokens = 150
	usualTokens  = 30
)

// An unknown part gets these values, the medians of entries that a leg found, so that an
// entry gains or loses little by it.
const (
	usualCosine   = 0.82
	usualMaxSim   = 0.5
	usualCoverage = 0.1
)

// Relevance is 1 / (1 + exp(-slope·(score - middle))).
const (
	slope  = 2.6
	middle = 1.51
)

// Summand is one of the numbers that add up to a score.
type Summand struct {
	Name  string
	Value float64
}

// Summands returns the numbers that add up to the score of an entry for a query.
func Summands(q Question, p Parts) []Summand {
	list, n := summands(q, p)
	return list[:n]
}

// summands returns the summands as the first n elements of list.
func summands(q Question, p Parts) (list [7]Summand, n int) {
	f := min(max(float64(q.Familiarity/familiar), minFamiliarity), 1)
	cosine, maxSim := usualCosine, usualMaxSim
	if p.Cosine != nil {
		cosine = q.Cosines.ToE5(*p.Cosine)
	}
	if p.MaxSim != nil {
		maxSim = q.MaxSims.to(E5MaxSims, *p.MaxSim-q.byChance(p.ChunkTokens))
	}
	coverage := usualCoverage
	if p.Coverage != nil {
		coverage = *p.Coverage
	}
	list = [7]Summand{
		{"cosine", float64(f*weightCosine) * (cosine - middleCosine)},
		{"maxsim", float64(f*weightMaxSim) * (maxSim - middleMaxSim)},
		{"coverage", (1 + float64(strangeCoverage*(1-f))) * coverage},
	}
	n = 3
	if p.AllOfThen {
		list[0], n = Summand{"date", notOfThen}, 1
		if p.When != nil && *p.When > 0 {
			list[0].Value = ofThen
		}
		return list, n
	}
	if p.When != nil && *p.When != 0 {
		weight := weightThen
		if *p.When < 0 {
			weight = weightOther
		}
		list[n], n = Summand{"date", float64(weight * *p.When)}, n+1
	}
	if q.LacksName {
		list[n], n = Summand{"name", -missingName}, n+1
	}
	if q.Chatter {
		list[n], n = Summand{"chatter", -chatter}, n+1
	}
	if p.Corrected {
		sum := 0.0
		for _, s := range list[:n] {
			sum += s.Value
		}
		if more := sum - unsureScore; more >= 0 {
			list[n], n = Summand{"typo", -more - correctedGap/(1+more)}, n+1
		}
	}
	return list, n
}

// correctedGap is the most by which an entry that has only corrections of typing errors is
// lowered below unsureScore. The better the entry, the nearer to unsureScore it stays.
const correctedGap = 0.02

// byChance returns what a chunk of n tokens gains in MaxSim by chance.
func (q Question) byChance(n int) float64 {
	if q.MaxSims != (CosineRange{}) && q.MaxSims != E5MaxSims {
		return 0
	}
	return float64(chanceRate*(float64(n)-usualTokens)) / (float64(n) + chanceTokens)
}

// ToE5 returns the cosine of E5-small-v2 with the same meaning as a cosine of this range.
func (r CosineRange) ToE5(cosine float64) float64 { return r.to(E5Cosines, cosine) }

// to returns the cosine of another range with the same meaning as a cosine of this range.
func (r CosineRange) to(other CosineRange, cosine float64) float64 {
	if r == other || r.Related <= r.Unrelated {
		return cosine
	}
	share := (cosine - r.Unrelated) / (r.Related - r.Unrelated)
	return other.Unrelated + float64(share*(other.Related-other.Unrelated))
}

// Relevance returns the score of an entry for a query, which orders entries, and its
// relevance, 0–1, which grows with the score. Both depend only on this query and this
// entry, and have the same bits on every processor.
func Relevance(q Question, p Parts) (score, relevance float64) {
	list, n := summands(q, p)
	for _, s := range list[:n] {
		score += s.Value
	}
	return score, RelevanceOf(score)
}

// Unsure and Irrelevant are thresholds for surfaces that grade hits: a hit with a relevance
// below Unsure may not answer the query, and one below Irrelevant does not. They were fitted to
// questions with and without an answer: docs/decisions/0084-nothing-relevant.md.
const (
	Irrelevant = 0.02
	Unsure     = 0.08
)

// unsureScore is the score with the relevance Unsure: middle + ln(.08/.92)/slope.
const unsureScore = 0.5706

// MaxLogOdds bounds a reranker's log-odds in both directions: nobody can measure a
// probability of 1 in 160,000 or less.
const MaxLogOdds = 12

// weightJudged is the weight of a reranker's log-odds in a relevance. The remaining weight
// is that of our own score, which orders entries that the reranker scores alike, and
// corrects a reranker with a bias: docs/decisions/0060-reranking.md.
const weightJudged = 0.7

// Judged returns the summand by which a reranker's log-odds that an entry answers the query
// change the entry's score. It limits logOdds to ±MaxLogOdds. The log-odds of the resulting
// relevance are the mean of the reranker's, with weight weightJudged, and the score's own, with
// the remaining weight.
func Judged(score, logOdds float64) float64 {
	return float64(weightJudged * (middle + float64(logOdds/slope) - score))
}

// RelevanceOf returns the relevance of a score.
func RelevanceOf(score float64) float64 { return logistic(float64(slope * (score - middle))) }

// Probability returns the probability, 0–1, of log-odds.
func Probability(logOdds float64) float64 { return logistic(logOdds) }

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

// RoundRelevance rounds a relevance to two digits, the precision shown for a store that
// the caller may search but not read.
func RoundRelevance(r float64) float64 { return math.Round(float64(r*100)) / 100 }
