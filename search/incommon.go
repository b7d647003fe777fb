package search

import (
	"context"
	"sync"

	"mneme/lexical"
	"mneme/memory"
)

// commonWords compares the words of candidates by their terms.
type commonWords struct {
	in      snapshot
	weights []float64    // by number of the term
	marked  []*candidate // by number: the candidate whose terms were marked last
	read    map[*candidate]words
	replies map[*candidate]bool
}

// words are the terms of a candidate.
type words struct {
	numbers []int
	weight  float64 // the sum of their weights
}

// numberings reuses maps between searches.
var numberings = sync.Pool{New: func() any { return make(map[uint64]int) }}

// newCommonWords weighs the terms of candidates by their rarity among them.
func newCommonWords(in snapshot, all []*candidate) *commonWords {
	w := &commonWords{in: in, read: make(map[*candidate]words, len(all)), replies: make(map[*candidate]bool)}
	numbers := numberings.Get().(map[uint64]int) // of each term, by its hash
	defer func() {
		clear(numbers)
		numberings.Put(numbers)
	}()
	var df []int
	for _, c := range all {
		if !c.assessed() || len(c.terms) == 0 {
			continue
		}
		of := words{numbers: make([]int, len(c.terms))}
		for i, term := range c.terms {
			n, known := numbers[term.Hash()]
			if !known {
				n = len(df)
				numbers[term.Hash()], df = n, append(df, 0)
			}
			df[n]++
			of.numbers[i] = n
		}
		w.read[c] = of
	}
	rarity := make([]float64, 1+len(w.read)) // by the number of candidates with the term
	for n := range rarity {
		rarity[n] = lexical.Rarity(int64(len(w.read)), int64(n))
	}
	w.weights, w.marked = make([]float64, len(df)), make([]*candidate, len(df))
	for n := range df {
		w.weights[n] = rarity[min(df[n], len(w.read))]
	}
	for c, of := range w.read {
		for _, n := range of.numbers {
			of.weight += w.weights[n]
		}
		w.read[c] = of
	}
	return w
}

// share returns how many words two candidates have in common, 0–1: the weight of their common
// words divided by the weight of all words of the candidate with less weight. A word that all
// candidates have, such as the name of a project, weighs next to nothing.
func (w *commonWords) share(a, b *candidate) float64 {
	ofA, ofB := w.read[a], w.read[b]
	less := min(ofA.weight, ofB.weight)
	if less == 0 {
		return 0
	}
	for _, n := range ofA.numbers {
		w.marked[n] = a
	}
	both := 0.0
	for _, n := range ofB.numbers {
		if w.marked[n] == a {
			both += w.weights[n]
		}
	}
	return both / less
}

// isReply reports whether a candidate's text is a reply that makes no statement of its own, so
// that no other candidate can replace it.
func (w *commonWords) isReply(ctx context.Context, c *candidate) (bool, error) {
	if is, known := w.replies[c]; known {
		return is, nil
	}
	entries, err := completed(ctx, w.in, []*candidate{c})
	if err != nil {
		return false, err
	}
	is := lexical.IsReply(memory.ProseOf(&entries[0]))
	w.replies[c] = is
	return is, nil
}
