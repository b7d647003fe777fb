package search

import (
	"context"

	"mneme/lexical"
	"mneme/memory"
)

// commonWords compares the words of candidates.
type commonWords struct {
	tx   assessmentTx
	all  []*candidate // among which a word is rare or not
	read map[*candidate]map[string]float64
}

func newCommonWords(tx assessmentTx, all []*candidate) *commonWords {
	return &commonWords{tx, all, make(map[*candidate]map[string]float64)}
}

// share returns how much of the words of two candidates is the same, 0–1: the weight of those
// that both have over the weight of all words of the one that has less of it. What all
// candidates have, such as the name of a project, weighs next to nothing.
func (w *commonWords) share(ctx context.Context, a, b *candidate) (float64, error) {
	ofA, err := w.weights(ctx, a)
	if err != nil {
		return 0, err
	}
	ofB, err := w.weights(ctx, b)
	if err != nil || len(ofA) == 0 || len(ofB) == 0 {
		return 0, err
	}
	both, sumA, sumB := 0.0, 0.0, 0.0
	for term, weight := range ofA {
		sumA += weight
		if _, ok := ofB[term]; ok {
			both += weight
		}
	}
	for _, weight := range ofB {
		sumB += weight
	}
	return both / min(sumA, sumB), nil
}

// weights returns the weights of a candidate's words, each by its rarity among all; none of a
// reply.
func (w *commonWords) weights(ctx context.Context, c *candidate) (map[string]float64, error) {
	if weights, known := w.read[c]; known {
		return weights, nil
	}
	entries, err := completed(ctx, w.tx, []*candidate{c})
	if err != nil {
		return nil, err
	}
	prose := memory.ProseOf(&entries[0])
	if lexical.IsReply(prose) { // it states nothing that another one could replace
		w.read[c] = nil
		return nil, nil
	}
	terms := lexical.Analyze(prose).Terms
	query, df := make([]lexical.QueryTerm, len(terms)), make([]int64, len(terms))
	for i, term := range terms {
		query[i] = lexical.QueryTerm{Text: term.Text, Weight: 1}
	}
	counter, counts := w.tx.TermCounter(query), make([]int, len(query))
	documents := int64(0)
	for _, other := range w.all {
		if other.assessment == nil || len(other.terms) == 0 {
			continue
		}
		if counts, err = counter.Count(counts, other.terms); err != nil {
			return nil, err
		}
		documents++
		for i, n := range counts {
			df[i] += int64(min(n, 1))
		}
	}
	scorer := lexical.NewScorer(lexical.Stats{Documents: documents, Length: documents}, query, df)
	weights := make(map[string]float64, len(terms))
	for i, term := range terms {
		weights[term.Text] = scorer.Weight(i)
	}
	w.read[c] = weights
	return weights, nil
}
