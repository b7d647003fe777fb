// Package lexical turns text into the terms that entries are found by, and
// scores them. Every storage indexes the same terms and ranks by the same
// scores, so that the same data gives the same answer on every backend.
//
// The package does no I/O. How the analysis was chosen, with what it
// measured, stands in docs/decisions/0002-lexical-analysis.md.
package lexical

import (
	"slices"
	"strings"
	"sync"
)

// AnalysisVersion names the rules by which text becomes terms. It changes
// whenever any text may give other terms than before: a storage that was
// filled under another version must be analysed anew.
const AnalysisVersion = "1"

const (
	// MaxTermBytes bounds a term. What is longer is cut at a rune.
	MaxTermBytes = 64
	// MaxTermCount caps Term.Count, so that every backend can hold it.
	MaxTermCount = 255
)

// Term is one distinct token of a document.
type Term struct {
	// Text is valid UTF-8 of 1..MaxTermBytes bytes without white space and
	// control characters.
	Text string
	// Count is how often the token occurs, 1..MaxTermCount.
	Count int
}

// Document is what a storage indexes of one entry.
type Document struct {
	// Length counts the tokens. It is not capped.
	Length int
	// Terms are distinct and sorted by Text in byte order.
	Terms []Term
}

// Analyze gives the terms of an entry's fields: the text of its value
// (TextOf), the words of its key (KeyWords), its description and its tags.
// Fields weigh alike, and a token never spans two of them.
func Analyze(fields ...string) Document {
	a := borrow()
	defer a.giveBack()
	for _, field := range fields {
		a.scan(field)
	}
	doc := Document{Length: a.length, Terms: make([]Term, 0, len(a.order))}
	for i, text := range a.order {
		doc.Terms = append(doc.Terms, Term{Text: text, Count: min(a.counts[i], MaxTermCount)})
	}
	slices.SortFunc(doc.Terms, func(x, y Term) int { return strings.Compare(x.Text, y.Text) })
	return doc
}

// analysis collects the tokens of one text.
type analysis struct {
	length int
	order  []string       // distinct tokens, by first occurrence
	counts []int          // of order
	index  map[string]int // token to its place in order

	pass     pass
	language uint                // whose function words are dropped
	votes    [len(stopWords)]int // function words of a question, by language

	opening bool   // does the next word open a sentence?
	folded  []byte // the words of a compound
	parts   []part // their places
	word    []byte // the word being stemmed
	hump    []byte // the word of camelCase being folded
}

// add counts a token.
func (a *analysis) add(token []byte) {
	token = cut(token)
	if len(token) == 0 {
		return
	}
	a.length++
	if i, ok := a.index[string(token)]; ok {
		a.counts[i]++
		return
	}
	text := string(token)
	a.index[text] = len(a.order)
	a.order = append(a.order, text)
	a.counts = append(a.counts, 1)
}

// forget drops the tokens collected.
func (a *analysis) forget() {
	a.length = 0
	clear(a.order)
	a.order, a.counts = a.order[:0], a.counts[:0]
	clear(a.index)
}

// pool spares an import a map and its buffers an entry.
var pool = sync.Pool{New: func() any { return &analysis{index: map[string]int{}} }}

func borrow() *analysis { return pool.Get().(*analysis) }

// maxPooled bounds, in distinct tokens and in bytes, what the pool keeps of an
// analysis.
const maxPooled = 4096

// giveBack forgets everything, so that no memory's words outlive its analysis.
func (a *analysis) giveBack() {
	if len(a.order) > maxPooled || cap(a.folded) > maxPooled {
		return
	}
	a.forget()
	clear(a.folded[:cap(a.folded)])
	clear(a.word[:cap(a.word)])
	clear(a.hump[:cap(a.hump)])
	a.pass, a.language = keeping, 0
	clear(a.votes[:])
	pool.Put(a)
}
