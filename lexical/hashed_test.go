package lexical

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mneme/internal/workload"
)

func TestTheTermsOfAQueryAreCounted(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.StringMatching(`[abcé]{0,3}`)
		var document []Term
		for _, text := range rapid.SliceOfDistinct(word, rapid.ID).Draw(r, "document") {
			document = append(document, Term{Text: text, Count: rapid.IntRange(1, MaxTermCount).Draw(r, "count")})
		}
		var query []QueryTerm
		var want []int
		for _, text := range rapid.SliceOfNDistinct(word, 0, 60, rapid.ID).Draw(r, "query") {
			query, want = append(query, QueryTerm{Text: text}), append(want, 0)
			if at := slices.IndexFunc(document, func(t Term) bool { return t.Text == text }); at >= 0 {
				want[len(want)-1] = document[at].Count
			}
		}
		got := make([]int, len(query))
		for i := range got {
			got[i] = 7 // of another document
		}
		NewTermCounter(query).Count(got, HashTerms(document))
		if !slices.Equal(got, want) {
			r.Fatalf("%v in %v: %v, want %v", query, document, got, want)
		}
	})
}

func TestAHashedTermHasItsHashAndItsCount(t *testing.T) {
	tea, more, coffee := NewHashedTerm([]byte("tea"), 1), NewHashedTerm([]byte("tea"), MaxTermCount), NewHashedTerm([]byte("coffee"), 1)
	if tea.Hash() != more.Hash() || tea.Hash() == coffee.Hash() || tea.Count() != 1 || more.Count() != MaxTermCount {
		t.Errorf("%x, %x and %x", tea, more, coffee)
	}
	if HashTerms(nil) == nil {
		t.Error("no terms are nil")
	}
}

// BenchmarkCount counts the terms of questions in 1,000 documents of some 25 words each.
func BenchmarkCount(b *testing.B) {
	const documents = 1000
	var terms [documents][]HashedTerm
	var counters [documents]*TermCounter
	for i := range documents {
		m := workload.NewMemory(1, i)
		terms[i] = HashTerms(Analyze(m.Text()).Terms)
		counters[i] = NewTermCounter(ParseQuery(m.Question()))
	}
	var counts [MaxQueryTerms]int
	for i := 0; b.Loop(); i++ {
		counter := counters[i/100%documents]
		counter.Count(counts[:len(counter.terms)], terms[i*7%documents])
	}
}
