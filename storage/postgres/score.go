package postgres

import (
	"cmp"
	"container/heap"
	"slices"

	"mneme/lexical"
)

// matches are the postings of a question's terms, in runs.
type matches struct {
	postings []change
	runs     []run
	found    []int64 // how many documents hold each term
}

// run is what one block holds of one term.
type run struct {
	store    int64
	block    int32
	term     int32
	from, to int // of postings
}

func (m *matches) reset(terms int) {
	m.postings, m.runs = m.postings[:0], m.runs[:0]
	m.found = make([]int64, terms)
}

// add decodes a block, less the documents that are gone.
func (m *matches) add(store int64, block int32, term int, data []byte, gone map[where]bool) error {
	from := len(m.postings)
	base := int64(block) << blockBits
	err := decodeBlock(data, func(slot, count uint8, length uint32) {
		if len(gone) == 0 || !gone[where{store, base + int64(slot)}] {
			m.postings = append(m.postings, change{slot, count, length})
		}
	})
	m.found[term] += int64(len(m.postings) - from)
	m.runs = append(m.runs, run{store: store, block: block, term: int32(term), from: from, to: len(m.postings)})
	return err
}

// score adds up each document's score, term after term in the question's
// order, and hands it to yield. A document has one label, and so one posting
// of a term among all runs of its block.
func (m *matches) score(scorer *lexical.Scorer, yield func(at where, score float64)) {
	slices.SortFunc(m.runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.store, b.store), cmp.Compare(a.block, b.block), cmp.Compare(a.term, b.term))
	})
	for from := 0; from < len(m.runs); {
		to := from + 1
		for to < len(m.runs) && m.runs[to].store == m.runs[from].store && m.runs[to].block == m.runs[from].block {
			to++
		}
		m.scoreBlock(m.runs[from:to], scorer, yield)
		from = to
	}
}

func (m *matches) scoreBlock(runs []run, scorer *lexical.Scorer, yield func(at where, score float64)) {
	var sums [blockSize]float64
	var touched [blockSize]bool
	for _, r := range runs {
		for _, p := range m.postings[r.from:r.to] {
			sums[p.slot] += scorer.Term(int(r.term), int(p.count), int(p.length))
			touched[p.slot] = true
		}
	}
	base := int64(runs[0].block) << blockBits
	for slot, is := range touched {
		if is {
			yield(where{runs[0].store, base + int64(slot)}, sums[slot])
		}
	}
}

// scored is a document with its score.
type scored struct {
	where
	score float64
}

// top keeps the best documents up to a limit, and all that tie with the last.
type top struct {
	limit int
	least scores
	kept  []scored // at or above the least when they were offered
}

// scores is a heap of the best scores, the least first.
type scores []float64

func (s scores) Len() int           { return len(s) }
func (s scores) Less(i, j int) bool { return s[i] < s[j] }
func (s scores) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *scores) Push(x any)        { *s = append(*s, x.(float64)) }
func (s *scores) Pop() any          { panic("postgres: the least score only rises") }

func (t *top) offer(at where, score float64) {
	switch {
	case len(t.least) < t.limit:
		heap.Push(&t.least, score)
	case score < t.least[0]:
		return
	case score > t.least[0]:
		t.least[0] = score
		heap.Fix(&t.least, 0)
	}
	t.kept = append(t.kept, scored{at, score})
}

// ranked are the documents kept, best first.
func (t *top) ranked() []scored {
	if len(t.least) == t.limit {
		t.kept = slices.DeleteFunc(t.kept, func(s scored) bool { return s.score < t.least[0] })
	}
	slices.SortFunc(t.kept, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.store, b.store), cmp.Compare(a.place, b.place))
	})
	return t.kept
}
