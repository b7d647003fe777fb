package sqlite

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"mneme/lexical"
)

// matches are the postings of a question's terms, in runs.
type matches struct {
	postings []posting
	runs     []run
	found    []int64 // how many documents hold each term
	window   [windowSize]float64
	touched  [windowSize]bool
	order    []int32 // the touched places of the window
}

// run is a stretch of postings of one term, store and label, in doc order.
type run struct {
	store, label int64
	term         int
	from, to     int
}

func (m *matches) reset(terms int) {
	m.postings, m.runs = m.postings[:0], m.runs[:0]
	m.found = make([]int64, terms)
}

// add decodes a block, less the documents that are gone. Blocks come by
// store, then term, label and doc.
func (m *matches) add(store int64, term int, label, first int64, block []byte, gone map[int64]bool) error {
	from := len(m.postings)
	postings, err := decodeBlock(m.postings, first, block)
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		kept := postings[:from]
		for _, p := range postings[from:] {
			if !gone[p.doc] {
				kept = append(kept, p)
			}
		}
		postings = kept
	}
	m.postings = postings
	m.found[term] += int64(len(postings) - from)
	if n := len(m.runs); n > 0 && m.runs[n-1].store == store && m.runs[n-1].term == term && m.runs[n-1].label == label {
		m.runs[n-1].to = len(postings)
		return nil
	}
	m.runs = append(m.runs, run{store: store, label: label, term: term, from: from, to: len(postings)})
	return nil
}

// windowSize is how many docs are added up at a time, in an array: 32 KiB of
// sums stay in the processor's first cache.
const windowSize = 4096

// score adds up each document's score, term after term in the question's
// order, and hands it to yield.
func (m *matches) score(ctx context.Context, scorer *lexical.Scorer, yield func(doc int64, score float64)) error {
	for from := 0; from < len(m.runs); {
		to := from + 1
		for to < len(m.runs) && m.runs[to].store == m.runs[from].store {
			to++
		}
		runs := m.runs[from:to]
		slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.term, b.term) })
		if err := m.scoreStore(ctx, runs, scorer, yield); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// scoreStore does so for one store: window after window, as far as there are
// postings.
func (m *matches) scoreStore(ctx context.Context, runs []run, scorer *lexical.Scorer, yield func(doc int64, score float64)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		base := int64(-1)
		for i := range runs {
			if r := &runs[i]; r.from < r.to && (base < 0 || m.postings[r.from].doc < base) {
				base = m.postings[r.from].doc
			}
		}
		if base < 0 {
			return nil
		}
		m.order = m.order[:0]
		for i := range runs {
			r := &runs[i]
			for ; r.from < r.to; r.from++ {
				p := m.postings[r.from]
				place := p.doc - base
				if place >= windowSize {
					break
				}
				score := scorer.Term(r.term, int(p.count), int(p.length))
				if !m.touched[place] {
					m.touched[place] = true
					m.order = append(m.order, int32(place))
					m.window[place] = score
					continue
				}
				m.window[place] += score
			}
		}
		for _, place := range m.order {
			m.touched[place] = false
			yield(base+int64(place), m.window[place])
		}
	}
}

// scored is a document with its score.
type scored struct {
	doc   int64
	score float64
}

// top keeps the best documents up to a limit, and all that tie with the last.
type top struct {
	limit int
	floor floor
	kept  []scored // at or above the floor when they were offered
}

// floor is a heap of the best scores, the least first.
type floor []float64

func (f floor) Len() int           { return len(f) }
func (f floor) Less(i, j int) bool { return f[i] < f[j] }
func (f floor) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *floor) Push(x any)        { *f = append(*f, x.(float64)) }
func (f *floor) Pop() any          { panic("sqlite: the floor only rises") }

func newTop(limit int) *top { return &top{limit: limit} }

func (t *top) offer(doc int64, score float64) {
	switch {
	case len(t.floor) < t.limit:
		heap.Push(&t.floor, score)
	case score < t.floor[0]:
		return
	case score > t.floor[0]:
		t.floor[0] = score
		heap.Fix(&t.floor, 0)
	}
	t.kept = append(t.kept, scored{doc, score})
}

// ranked are the documents kept, best first, equals by doc.
func (t *top) ranked() []scored {
	if len(t.floor) == t.limit {
		least := t.floor[0]
		t.kept = slices.DeleteFunc(t.kept, func(s scored) bool { return s.score < least })
	}
	slices.SortFunc(t.kept, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
	})
	return t.kept
}
