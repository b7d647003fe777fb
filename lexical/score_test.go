package lexical

import (
	"math"
	"testing"
)

func TestTermIsBM25(t *testing.T) {
	// By hand: N 10, mean length 20, df 2, tf 3, length 30.
	s := NewScorer(Stats{Documents: 10, Length: 200}, []QueryTerm{{Text: "a", Weight: 1}, {Text: "b", Weight: 2}}, []int64{2, 10})
	idf := math.Log(1 + (10-2+0.5)/(2+0.5))
	want := idf * 3 / (3 + 0.9*(1-0.2+0.2*30/20))
	if got := s.Term(0, 3, 30); math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
	// A term in every document still counts for something.
	if got := s.Term(1, 1, 20); !(got > 0) {
		t.Errorf("got %v", got)
	}
}

// The exact bits detect platforms that fuse multiplication and addition.
func TestScoresAreTheSameToTheBit(t *testing.T) {
	s := NewScorer(Stats{Documents: 5882, Length: 246_813}, []QueryTerm{{Text: "a", Weight: 1}, {Text: "b", Weight: 1}, {Text: "c", Weight: 3}}, []int64{7, 1234, 0})
	sum := 0.0
	for i := range 3 {
		sum += s.Term(i, 2+i, 37*(i+1))
	}
	if got, want := math.Float64bits(sum), uint64(0x403b6fc3cc73f93f); got != want {
		t.Errorf("the score's bits are %#x, want %#x (%v)", got, want, sum)
	}
}

func TestScoreIsTheSumOfTerms(t *testing.T) {
	query := []QueryTerm{{Text: "a", Weight: 1}, {Text: "b", Weight: 1}, {Text: "c", Weight: 3}, {Text: "d", Weight: 1}}
	s := NewScorer(Stats{Documents: 5882, Length: 246_813}, query, []int64{7, 1234, 0, 5882})
	counts, length := []int{2, 0, 4, 1}, 37
	sum := 0.0
	for i, count := range counts {
		sum += s.Term(i, count, length)
	}
	if got := s.Score(counts, length); math.Float64bits(got) != math.Float64bits(sum) {
		t.Errorf("got %v, want %v", got, sum)
	}
	if s.Score([]int{0, 0, 0, 0}, 5) != 0 {
		t.Error("a document without the terms has a score")
	}
}

func TestNoScoreReachesTheTotalWeight(t *testing.T) {
	query := []QueryTerm{{Text: "rare", Weight: 1}, {Text: "common", Weight: 1}, {Text: "absent", Weight: 2}}
	s := NewScorer(Stats{Documents: 100, Length: 2000}, query, []int64{1, 60, 0})
	total := 0.0
	for i := range query {
		total += s.Weight(i)
	}
	if got := s.TotalWeight(); math.Float64bits(got) != math.Float64bits(total) {
		t.Errorf("got %v, want %v", got, total)
	}
	if score := s.Score([]int{255, 255, 255}, 1); score >= total || score < 0.9*total {
		t.Errorf("the highest score is %v of %v", score, total)
	}
	if want := 2 * math.Log(1+100.5/0.5); math.Abs(s.Weight(2)-want) > 1e-12 {
		t.Errorf("a term that no document has weighs %v, want %v", s.Weight(2), want)
	}
	if NewScorer(Stats{}, nil, nil).TotalWeight() != 0 {
		t.Error("a query without terms has a weight")
	}
}

func TestScoresOfOddStatisticsAreFinite(t *testing.T) {
	for _, c := range []struct {
		stats Stats
		df    int64
	}{
		{Stats{}, 0}, {Stats{}, 5}, {Stats{Documents: 3}, 1}, {Stats{Documents: 3, Length: 10}, 9}, {Stats{Documents: 1, Length: 1}, 1},
	} {
		s := NewScorer(c.stats, []QueryTerm{{Text: "a", Weight: 1}}, []int64{c.df})
		for _, count := range []int{0, 1, 255} {
			for _, length := range []int{0, 1, 100_000} {
				if v := s.Term(0, count, length); math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || count == 0 && v != 0 {
					t.Errorf("%+v: count %d, length %d gives %v", c, count, length, v)
				}
			}
		}
	}
}

func TestRarerTermsAndShorterDocumentsScoreHigher(t *testing.T) {
	s := NewScorer(Stats{Documents: 100, Length: 2000}, []QueryTerm{{Text: "rare", Weight: 1}, {Text: "common", Weight: 1}}, []int64{1, 60})
	if s.Term(0, 1, 20) <= s.Term(1, 1, 20) {
		t.Error("the common term scores as high as the rare one")
	}
	if s.Term(0, 1, 10) <= s.Term(0, 1, 100) {
		t.Error("the long document scores as high as the short one")
	}
	if s.Term(0, 2, 20) <= s.Term(0, 1, 20) {
		t.Error("two occurrences score no higher than one")
	}
}

func TestLnIsTheLogarithm(t *testing.T) {
	for x := 1.0; x < 1e18; x *= 1.0173 {
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 4e-16*math.Max(1, want) {
			t.Errorf("ln %v is %v, want %v", x, got, want)
		}
	}
}
