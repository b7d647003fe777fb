package posting

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"mneme/lexical"
)

// Evaluation scores the documents of a scope for one query. The caller adds what the
// storage holds within the scope: totals and expired documents first, then every block of
// the query's terms. It then calls Rank once, and Close. An Evaluation is not safe for
// concurrent use.
type Evaluation struct {
	layout  Layout
	terms   []lexical.QueryTerm
	stats   lexical.Stats
	df      []int64         // document frequency of each term
	expired map[DocKey]bool // tombstones
	allowed map[DocKey]bool // nil: all

	postings []Posting
	cursors  []cursor
	best     topK // its memory is reused

	// The accumulator: the scores of the documents of one window.
	sums    [window]float64
	touched [window]bool
	offsets []int32 // of the touched documents
	group   *group  // nil unless the query has variants of terms
}

// group accumulates the largest score of a term and its variants.
type group struct {
	most    [window]float64
	offsets []int32 // offsets of the documents that have any of them
}

// cursor reads a sorted run of postings of one term in one store.
type cursor struct {
	store int64
	term  int
	next  int // index of the next posting
	end   int
}

// window is the number of docIDs accumulated at a time: 32 KiB of sums fit the
// L1 cache. Windows start at multiples of it, so that no window boundary splits
// a block of the Aligned layout, whose postings are in no order.
const window = 4096

// maxPooled is the number of postings, 16 bytes each, beyond which an evaluation
// is not pooled.
const maxPooled = 1 << 20

var evaluations = sync.Pool{New: func() any { return new(Evaluation) }}

// NewEvaluation returns an evaluation of a query over blocks of a layout. Close
// returns its memory to a pool.
func NewEvaluation(layout Layout, terms []lexical.QueryTerm) *Evaluation {
	e := evaluations.Get().(*Evaluation)
	e.layout, e.terms, e.df = layout, terms, make([]int64, len(terms))
	return e
}

// Close releases the evaluation, which must not be used afterwards.
func (e *Evaluation) Close() {
	e.layout, e.terms, e.stats, e.df, e.expired, e.allowed = nil, nil, lexical.Stats{}, nil, nil, nil
	if cap(e.postings) > maxPooled || cap(e.best.kept) > maxPooled {
		return
	}
	e.postings, e.cursors, e.group = e.postings[:0], e.cursors[:0], nil
	evaluations.Put(e)
}

// TermKeys returns the keys of the query's terms, in order. AddBlock takes their
// indexes.
func (e *Evaluation) TermKeys() []string {
	keys := make([]string, len(e.terms))
	for i, t := range e.terms {
		keys[i] = e.layout.TermKey(t.Text)
	}
	return keys
}

// AddTotal adds totals of the scope: a number of documents and the sum of their
// lengths in tokens.
func (e *Evaluation) AddTotal(documents, length int64) {
	e.stats.Documents += documents
	e.stats.Length += length
}

// Expire excludes a document that the index still contains from the counts and
// the result. length is its length in tokens. Expire must precede AddBlock.
func (e *Evaluation) Expire(doc DocKey, length int64) {
	if e.expired == nil {
		e.expired = make(map[DocKey]bool)
	}
	e.expired[doc] = true
	e.stats.Documents--
	e.stats.Length -= length
}

// Restrict limits the result to docs. It does not affect counts and scores.
func (e *Evaluation) Restrict(docs []DocKey) {
	e.allowed = make(map[DocKey]bool, len(docs))
	for _, doc := range docs {
		e.allowed[doc] = true
	}
}

// AddBlock decodes a block of the query term with this index. Blocks may be
// added in any order; ordered by store, term, label and start is fastest. Data
// is not retained. The error is ErrBlock if data is corrupt.
func (e *Evaluation) AddBlock(store int64, term int, start int64, data []byte) error {
	from := len(e.postings)
	postings, err := e.layout.DecodeBlock(e.postings, start, data)
	if err != nil {
		return err
	}
	if len(e.expired) > 0 {
		kept := slices.DeleteFunc(postings[from:], func(p Posting) bool { return e.expired[DocKey{store, p.Doc}] })
		postings = postings[:from+len(kept)]
	}
	e.postings = postings
	e.df[term] += int64(len(postings) - from)
	if n := len(e.cursors); n > 0 && from > 0 {
		last := &e.cursors[n-1]
		if last.store == store && last.term == term && postings[from-1].Doc < start {
			last.end = len(postings)
			return nil
		}
	}
	e.cursors = append(e.cursors, cursor{store: store, term: term, next: from, end: len(postings)})
	return nil
}

// Scorer returns the Scorer of the query, by the counts that were added.
func (e *Evaluation) Scorer() *lexical.Scorer { return lexical.NewScorer(e.stats, e.terms, e.df) }

// Rank returns the limit documents with the highest scores and every further one that ties
// with the last of them, highest score first, ties by DocKey. limit must be positive. A
// score is the sum of lexical.Scorer.Term in the order of the query's terms. The documents
// are valid until Close. Rank returns the error of ctx.
func (e *Evaluation) Rank(ctx context.Context, limit int) ([]Scored, error) {
	scorer := e.Scorer()
	best := topK{limit: limit, scores: e.best.scores[:0], kept: e.best.kept[:0]}
	order := func(a, b cursor) int {
		return cmp.Or(cmp.Compare(a.store, b.store), cmp.Compare(scorer.Head(a.term), scorer.Head(b.term)), cmp.Compare(a.term, b.term))
	}
	if !slices.IsSortedFunc(e.cursors, order) {
		slices.SortFunc(e.cursors, order)
	}
	for cursors := e.cursors; len(cursors) > 0; {
		n := 1
		for n < len(cursors) && cursors[n].store == cursors[0].store {
			n++
		}
		if err := e.rankStore(ctx, scorer, cursors[:n], &best); err != nil {
			return nil, err
		}
		cursors = cursors[n:]
	}
	e.best = best
	return best.ranked(), nil
}

// rankStore scores the documents of one store, window by window. A document has
// one label, so at most one posting per term among all cursors.
func (e *Evaluation) rankStore(ctx context.Context, scorer *lexical.Scorer, cursors []cursor, best *topK) error {
	store := cursors[0].store
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		base, found := int64(math.MaxInt64), false
		for _, c := range cursors {
			if c.next < c.end {
				base, found = min(base, e.postings[c.next].Doc), true
			}
		}
		if !found {
			return nil
		}
		base &^= window - 1
		e.offsets = e.offsets[:0]
		for i := 0; i < len(cursors); {
			head, n := scorer.Head(cursors[i].term), 1
			for i+n < len(cursors) && scorer.Head(cursors[i+n].term) == head {
				n++
			}
			e.accumulate(scorer, cursors[i:i+n], base)
			i += n
		}
		for _, offset := range e.offsets {
			e.touched[offset] = false
			doc := DocKey{store, base + int64(offset)}
			if e.allowed == nil || e.allowed[doc] {
				best.offer(doc, e.sums[offset])
			}
		}
	}
}

// accumulate adds the scores of a term and its variants in the window at base.
func (e *Evaluation) accumulate(scorer *lexical.Scorer, cursors []cursor, base int64) {
	if cursors[0].term != cursors[len(cursors)-1].term {
		e.accumulateGroup(scorer, cursors, base)
		return
	}
	for i := range cursors {
		c := &cursors[i]
		for ; c.next < c.end; c.next++ {
			p := e.postings[c.next]
			offset := uint64(p.Doc - base) // corrupt blocks may wrap around
			if offset >= window {
				break
			}
			e.add(int32(offset), scorer.Term(c.term, int(p.Count), int(p.Length)))
		}
	}
}

// add adds to the score of a document.
func (e *Evaluation) add(offset int32, score float64) {
	if !e.touched[offset] {
		e.touched[offset], e.sums[offset] = true, score
		e.offsets = append(e.offsets, offset)
		return
	}
	e.sums[offset] += score
}

// accumulateGroup adds the largest of the scores of several terms.
func (e *Evaluation) accumulateGroup(scorer *lexical.Scorer, cursors []cursor, base int64) {
	if e.group == nil {
		e.group = new(group)
	}
	g := e.group
	for i := range cursors {
		c := &cursors[i]
		for ; c.next < c.end; c.next++ {
			p := e.postings[c.next]
			offset := uint64(p.Doc - base)
			if offset >= window {
				break
			}
			if g.most[offset] == 0 {
				g.offsets = append(g.offsets, int32(offset))
			}
			g.most[offset] = max(g.most[offset], scorer.Term(c.term, int(p.Count), int(p.Length)))
		}
	}
	for _, offset := range g.offsets {
		e.add(offset, g.most[offset])
		g.most[offset] = 0
	}
	g.offsets = g.offsets[:0]
}
