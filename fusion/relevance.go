package fusion

import "math"

// Question is what relevance depends on of a query.
type Question struct {
	// Familiarity is the share of the query's letters in words which the
	// encoder has whole, 0–1: low for a script or language that it was not
	// trained on.
	Familiarity float64
	// Cosines is the range of the encoder's cosines, and MaxSims that of its MaxSim; zero:
	// those of E5-small-v2.
	Cosines, MaxSims CosineRange
	// LacksName says that the query has names and that no entry in its scope has any.
	LacksName bool
	// Chatter says that the query asks for nothing: it is a greeting, thanks, small talk, or
	// letters without sense.
	Chatter bool
}

// CosineRange says what an encoder's cosines mean: the usual cosine of a question
// with a passage that has nothing to do with it, and with one that answers it.
type CosineRange struct{ Unrelated, Related float64 }

// E5Cosines and E5MaxSims are the ranges of E5-small-v2, to which the weights below were
// fitted: medians over the sets of docs/decisions/0031-relevance.md.
var (
	E5Cosines = CosineRange{Unrelated: 0.78, Related: 0.85}
	E5MaxSims = CosineRange{Unrelated: 0.45, Related: 0.65}
)

// The ranges of multilingual-e5-small for a question and an entry in one language, across
// two languages of one script, and across scripts. Across languages everything is further
// apart, and what is unrelated differs less. They were fitted so that the relevance means
// the same as with E5-small-v2: docs/decisions/0083-one-scale.md.
var (
	MultilingualCosines  = CosineRange{Unrelated: 0.80, Related: 0.865}
	MultilingualMaxSims  = CosineRange{Unrelated: 0.55, Related: 0.70}
	AcrossCosines        = CosineRange{Unrelated: 0.78, Related: 0.84}
	AcrossMaxSims        = CosineRange{Unrelated: 0.54, Related: 0.66}
	AcrossScriptsCosines = CosineRange{Unrelated: 0.751, Related: 0.7755}
	AcrossScriptsMaxSims = CosineRange{Unrelated: 0.55, Related: 0.63}
)

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
	// Corrected says that the entry has none of the query's words but what was looked for
	// in place of typing errors, and that no entry in the scope has any other of them.
	Corrected bool
	// When says of which time the entry is, if the question names one: 1 of that, -1 of one
	// far from it, 0 of one near it. nil: it is of no time that is known.
	When *float64
	// AllOfThen says that the question asks for nothing but what was then: When alone counts.
	AllOfThen bool
}

// The score is
//
//	f·(7·(cosine − 0.8) + 2·(maxsim − 0.45 − l)) + (1 + 2·(1 − f))·coverage
//
// with f, how far the encoder knows the query's language, from 0.1 to 1, and l,
// what a longer chunk gains in MaxSim by chance with E5-small-v2; with the multilingual
// model it gains nothing. The numbers were chosen by measurement:
// docs/decisions/0031-relevance.md.
const (
	weightCosine = 7
	weightMaxSim = 2
	// Meaning of this much says nothing for an entry or against it.
	middleCosine = 0.8
	middleMaxSim = 0.45
	// strangeCoverage is what coverage gains in weight where the encoder knows
	// no word of the query: it must then carry the evidence alone.
	strangeCoverage = 2
	// From familiar on, a query is in the encoder's language. Names and technical
	// words, which it has in pieces, leave most English questions above.
	familiar = 0.5
	// minFamiliarity is the weight that meaning keeps in any language.
	minFamiliarity = 0.1
	// missingName is what an entry loses if the query names somebody or something that
	// no entry in the scope mentions.
	missingName = 0.3
	// chatter is what every entry loses if the query asks for nothing. It leaves a relevance
	// of .01 at most.
	chatter = 4
	// weightThen is what an entry gains that is of a time that the question names, and
	// weightOther what one loses that is of another: docs/decisions/0088-questions-for-times.md.
	weightThen  = 0.3
	weightOther = 0.2
	// ofThen and notOfThen are the scores of entries for a question that asks for all that
	// was at a time: relevances of .88 and of less than .01.
	ofThen    = middle + 0.77
	notOfThen = middle - 2
	// l = chanceRate·(n − usualTokens)/(n + chanceTokens) for a chunk of n tokens.
	chanceRate   = 0.1
	chanceTokens = 150
	usualTokens  = 30
)

// An unknown part counts as these, the medians of what entries have that a leg
// found, so that an entry gains or loses little by it.
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

// Summand is one of the numbers whose sum is a score.
type Summand struct {
	Name  string
	Value float64
}

// Summands returns what the score of an entry for a query is the sum of.
func Summands(q Question, p Parts) []Summand {
	list, n := summands(q, p)
	return list[:n]
}

// summands returns the first n of a list.
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

// correctedGap is how much less than unsureScore an entry scores that has but corrections of
// typing errors, at most. The better it is, the less.
const correctedGap = 0.02

// byChance returns what a chunk of n tokens gains in MaxSim by chance.
func (q Question) byChance(n int) float64 {
	if q.MaxSims != (CosineRange{}) && q.MaxSims != E5MaxSims {
		return 0
	}
	return float64(chanceRate*(float64(n)-usualTokens)) / (float64(n) + chanceTokens)
}

// ToE5 returns the cosine of E5-small-v2 that means what one of this range does.
func (r CosineRange) ToE5(cosine float64) float64 { return r.to(E5Cosines, cosine) }

// to returns the cosine of another range that means what one of this range does.
func (r CosineRange) to(other CosineRange, cosine float64) float64 {
	if r == other || r.Related <= r.Unrelated {
		return cosine
	}
	share := (cosine - r.Unrelated) / (r.Related - r.Unrelated)
	return other.Unrelated + float64(share*(other.Related-other.Unrelated))
}

// Relevance returns the score of an entry for a query, which orders entries,
// and its relevance, 0–1, which grows with the score. Both depend on this query
// and this entry alone and have the same bits on every processor.
func Relevance(q Question, p Parts) (score, relevance float64) {
	list, n := summands(q, p)
	for _, s := range list[:n] {
		score += s.Value
	}
	return score, RelevanceOf(score)
}

// Unsure is the relevance below which an answer is unsure, and Irrelevant the one below
// which an entry answers nothing, for a surface that has bounds of its own. They were fitted
// to questions with and without an answer: docs/decisions/0084-nothing-relevant.md.
const (
	Irrelevant = 0.02
	Unsure     = 0.08
)

// unsureScore is the score whose relevance is Unsure: middle + ln(.08/.92)/slope.
const unsureScore = 0.5706

// MaxLogOdds bounds what another judge's log-odds may say, either way: of 1 in 160,000 or
// less nobody knows.
const MaxLogOdds = 12

// weightJudged is the share of another judge's log-odds in a relevance's. The rest is the
// own one's, which keeps apart what the judge finds alike, and counters a judge whose
// numbers are lower or higher than they should be:
// docs/decisions/0060-reranking.md.
const weightJudged = 0.7

// Judged returns the summand by which another judge's log-odds that an entry answers the
// query, within ±MaxLogOdds, change the entry's score: the log-odds of the relevance
// become weightJudged parts the judge's and the rest its own.
func Judged(score, logOdds float64) float64 {
	return float64(weightJudged * (middle + float64(logOdds/slope) - score))
}

// RelevanceOf returns the relevance that a score stands for.
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

// RoundRelevance rounds a relevance to two digits, as it is shown of a store
// that the caller may search but not read.
func RoundRelevance(r float64) float64 { return math.Round(float64(r*100)) / 100 }
