package fusion

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func part(t *rapid.T, name string, low, high float64) *float64 {
	if rapid.Bool().Draw(t, name+" is known") {
		return new(rapid.Float64Range(low, high).Draw(t, name))
	}
	return nil
}

func drawParts(t *rapid.T) Parts {
	return Parts{
		Cosine: part(t, "cosine", -1, 1), MaxSim: part(t, "maxsim", -1, 1), Coverage: part(t, "coverage", 0, 1),
		ChunkTokens: rapid.IntRange(0, 512).Draw(t, "tokens of the chunk"),
		When:        part(t, "when", -1, 1), AllOfThen: rapid.IntRange(0, 9).Draw(t, "all of then") == 0,
	}
}

func drawQuestion(t *rapid.T) Question {
	return Question{
		Familiarity: rapid.Float64Range(0, 1).Draw(t, "familiarity"),
		Cosines:     rapid.SampledFrom([]CosineRange{E5Cosines, {Unrelated: 0.1, Related: 0.5}, {}}).Draw(t, "cosines"),
		LacksName:   rapid.Bool().Draw(t, "lacks name"),
	}
}

func TestRelevanceIsFrom0To1AndGrowsWithTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		score, relevance := Relevance(q, drawParts(t))
		if math.IsNaN(score) || math.IsInf(score, 0) || !(relevance >= 0 && relevance <= 1) {
			t.Fatalf("score %v, relevance %v", score, relevance)
		}
		if higher, more := Relevance(q, drawParts(t)); (higher-score)*(more-relevance) < 0 {
			t.Errorf("scores %v and %v have relevance %v and %v", score, higher, relevance, more)
		}
	})
}

func TestTheScoreIsTheSumOfItsSummands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, p := drawQuestion(t), drawParts(t)
		sum := 0.0
		for _, s := range Summands(q, p) {
			sum += s.Value
		}
		if score, _ := Relevance(q, p); score != sum {
			t.Errorf("score %v, sum %v", score, sum)
		}
	})
}

// A larger part never makes an entry less relevant.
func TestRelevanceGrowsWithEachPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, p := drawQuestion(t), drawParts(t)
		before, _ := Relevance(q, p)
		for name, part := range map[string]**float64{"cosine": &p.Cosine, "maxsim": &p.MaxSim, "coverage": &p.Coverage} {
			if *part == nil || **part > 0.9 {
				continue
			}
			was := *part
			*part = new(*was + 0.1)
			if after, _ := Relevance(q, p); after < before {
				t.Errorf("%s of %v in place of %v: score %v, was %v", name, **part, *was, after, before)
			}
			*part = was
		}
	})
}

func TestLogistic(t *testing.T) {
	for x := -800.0; x <= 800; x += 0.37 {
		want := 1 / (1 + math.Exp(-x))
		if got := logistic(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("logistic(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestRoundRelevance(t *testing.T) {
	for r, want := range map[float64]float64{0: 0, 0.004: 0, 0.005: 0.01, 0.494: 0.49, 0.996: 1, 1: 1} {
		if got := RoundRelevance(r); got != want {
			t.Errorf("%v is rounded to %v, want %v", r, got, want)
		}
	}
}

// A CosineRange maps equivalent cosines of different encoders to the same relevance.
func TestCosinesOfAnotherRangeMeanTheSame(t *testing.T) {
	other := CosineRange{Unrelated: 0.1, Related: 0.5}
	for share := -1.0; share <= 2; share += 0.25 {
		at := func(r CosineRange) float64 {
			cosine := r.Unrelated + share*(r.Related-r.Unrelated)
			_, relevance := Relevance(Question{Familiarity: 1, Cosines: r}, Parts{Cosine: &cosine})
			return relevance
		}
		if e5, got := at(E5Cosines), at(other); math.Abs(e5-got) > 1e-9 {
			t.Errorf("at %v of the range: relevance %v, want E5's %v", share, got, e5)
		}
	}
}

// If the encoder knows no word of the query, coverage decides.
func TestMeaningWeighsLessInAnUnknownLanguage(t *testing.T) {
	words := Parts{Cosine: new(0.80), Coverage: new(0.3)}
	meaning := Parts{Cosine: new(0.86), Coverage: new(0.0)}
	for _, c := range []struct {
		familiarity float64
		byMeaning   bool
	}{{1, true}, {0.5, true}, {0.1, false}, {0, false}} {
		q := Question{Familiarity: c.familiarity, Cosines: E5Cosines}
		w, _ := Relevance(q, words)
		m, _ := Relevance(q, meaning)
		if (m > w) != c.byMeaning {
			t.Errorf("familiarity %v: words score %v, meaning %v", c.familiarity, w, m)
		}
	}
}

// An entry with only corrections of typing errors always stays unsure, and a better entry
// still ranks above a worse one.
func TestACorrectionAloneIsNeverSure(t *testing.T) {
	last := math.Inf(-1)
	for _, cosine := range []float64{0.7, 0.75, 0.8, 0.85, 0.9, 0.95} {
		p := Parts{Cosine: new(cosine), MaxSim: new(cosine - 0.1), Coverage: new(0.6), ChunkTokens: 40, Corrected: true}
		score, relevance := Relevance(Question{Familiarity: 1}, p)
		if relevance >= Unsure || score <= last {
			t.Errorf("cosine %v: relevance %v, score %v after %v", cosine, relevance, score, last)
		}
		last = score
	}
}

func TestNothingIsRelevantToChatter(t *testing.T) {
	p := Parts{Cosine: new(0.95), MaxSim: new(0.95), Coverage: new(1.0), ChunkTokens: 10}
	if _, relevance := Relevance(Question{Familiarity: 1, Chatter: true}, p); relevance >= Irrelevant {
		t.Errorf("relevance %v", relevance)
	}
}

// Both models give nearly the same relevance to the same pair of texts: these are medians
// for English questions with their answers, and with unrelated entries.
func TestBothModelsHaveOneScale(t *testing.T) {
	for name, c := range map[string]struct{ cosine, maxSim, multilingualCosine, multilingualMaxSim float64 }{
		"answers":   {0.835, 0.646, 0.846, 0.69},
		"unrelated": {0.78, 0.45, 0.80, 0.55},
	} {
		coverage := 0.1
		_, english := Relevance(Question{Familiarity: 1},
			Parts{Cosine: &c.cosine, MaxSim: &c.maxSim, Coverage: &coverage, ChunkTokens: 30})
		_, multilingual := Relevance(Question{Familiarity: 1, Cosines: MultilingualCosines, MaxSims: MultilingualMaxSims},
			Parts{Cosine: &c.multilingualCosine, MaxSim: &c.multilingualMaxSim, Coverage: &coverage, ChunkTokens: 30})
		if math.Abs(english-multilingual) > 0.03 {
			t.Errorf("%s: %v and %v", name, english, multilingual)
		}
	}
}
