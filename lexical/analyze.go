// Package lexical analyzes text into index terms and scores documents by BM25.
// Every storage indexes the same terms and computes the same scores, so the
// same data gives the same answer on every backend.
//
// # Use
//
// Analyze returns the terms of a document, ParseQuery the terms of a query. NewScorer
// takes a query and the statistics of the collection; Scorer.Term returns the contribution
// of one term to a document's score. The package does no I/O and keeps no index.
//
// docs/decisions/0002-lexical-analysis.md gives the reasons for the rules of analysis,
// with measurements.
package lexical

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// AnalysisVersion identifies the rules that turn text into terms. It changes whenever the
// terms of any text may change. A storage whose entries were analyzed under another
// version must analyze them again.
const AnalysisVersion = "7"

const (
	// MaxTermBytes is the length of the longest term. Longer tokens are
	// truncated at a rune boundary.
	MaxTermBytes = 64
	// MaxTermCount is the largest Term.Count: it fits a byte on every backend.
	MaxTermCount = 255
)

// Term is one distinct token of a document.
type Term struct {
	// Text is valid UTF-8 of 1 to MaxTermBytes bytes, without white space or
	// control characters.
	Text string
	// Count is the number of occurrences, at least 1 and capped at MaxTermCount.
	Count int
}

// Document is what a storage indexes for one entry.
type Document struct {
	// Length is the number of tokens, not capped. Stems added as variants of words do not
	// count.
	Length int
	// Terms are distinct and sorted by Text in byte order.
	Terms []Term
	// Forms are the keys by which Match finds the document: see form.go. They are distinct
	// and sorted in byte order, and have the properties of Term.Text.
	Forms []string
}

// Analyze returns the terms of an entry's fields: the text of its value
// (TextOf), the words of its key (KeyWords), its description and its tags. All
// fields have the same weight, and no token spans two of them.
func Analyze(fields ...string) Document {
	a := newAnalysis()
	defer a.release()
	a.visit = func(form []byte, _ span, _ formKind) {
		if !a.forms[string(form)] {
			a.forms[string(form)] = true
		}
	}
	a.scanFields(fields)
	doc := Document{Forms: slices.Sorted(maps.Keys(a.forms)), Length: a.length, Terms: make([]Term, 0, len(a.order))}
	for i, text := range a.order {
		doc.Terms = append(doc.Terms, Term{Text: text, Count: min(a.counts[i], MaxTermCount)})
	}
	slices.SortFunc(doc.Terms, func(x, y Term) int { return strings.Compare(x.Text, y.Text) })
	return doc
}

// AppendTerms appends the terms that Analyze returns for a text, in no particular order. If
// stems is false, it leaves out the stems of the text's language.
func AppendTerms(terms []string, text string, stems bool) []string {
	a := newAnalysis()
	defer a.release()
	if stems {
		a.scanField(text, "")
	} else {
		a.scan(text)
	}
	return append(terms, a.order...)
}

// scanFields scans the fields of an entry. A field of unknown language is analyzed in the
// language of the first field.
func (a *analysis) scanFields(fields []string) {
	main := ""
	for i, field := range fields {
		language := a.scanField(field, main)
		if i == 0 {
			main = language
		}
		a.position++ // no phrase spans two fields
	}
}

// analysis collects the tokens of one text.
type analysis struct {
	length  int
	order   []string       // distinct tokens, by first occurrence
	counts  []int          // by index in order
	roles   []Role         // by index in order, of a query
	inPart  []bool         // by index in order: whether it is one group of a number or code
	written []string       // by index in order, of a query: the folded word that may be a typing error; "" if it cannot be
	typo    string         // the word being added, if it may be a typing error
	role    Role           // of the word being added
	part    bool           // whether the word being added is one group of a number or code
	index   map[string]int // index in order, by token

	visit     func(form []byte, at span, kind formKind) // called for each form, which is valid until visit returns; nil: no forms are collected
	visitOnly bool                                      // whether tokens are not counted
	eachWord  func(folded []byte)                       // called for each unstemmed word, which is valid until it returns; may be nil
	text      string                                    // the word of eachWord as it is written; "" for a compound
	position  int                                       // of the next word
	forms     map[string]bool                           // distinct forms, for Analyze

	mode     stopWordMode
	voting   bool                // whether only stop words are counted
	language uint                // bit set of the languages whose stop words are dropped
	votes    [len(stopWords)]int // stop words seen, by language

	sentenceStart bool   // whether the next word begins a sentence
	folded        []byte // the folded words of the current compound
	parts         []part // their ranges
	word          []byte // the word stemmed last
	stemming      []byte // buffer of its stem
	stemmed       []byte // its stem, a part of stemming
	camel         []byte // the camelCase word being folded

	words, english int           // number of words of a field, and of English function words among them
	inflecting     bool          // whether words are only added to latin
	latin          []latinWord   // words that may have stems by stemmers
	inflected      []byte        // buffer of the stem
	stems          []stemVariant // of a query

	asking bool      // whether the text is a query
	groups []grouped // numbers and codes whose groups are being scanned
}

// add counts a token.
func (a *analysis) add(token []byte) {
	token = truncate(token)
	if len(token) == 0 || a.visitOnly || a.inflecting || a.voting {
		return
	}
	a.length++
	a.count(token)
}

// count counts a token without adding to the document's length.
func (a *analysis) count(token []byte) {
	if i, ok := a.index[string(token)]; ok {
		a.counts[i]++
		a.roles[i] = max(a.roles[i], a.role)
		return
	}
	text := string(token)
	a.index[text] = len(a.order)
	a.order = append(a.order, text)
	a.counts = append(a.counts, 1)
	a.roles = append(a.roles, a.role)
	a.inPart = append(a.inPart, a.part && a.role != Joined)
	a.written = append(a.written, a.typo)
}

// reset discards the collected tokens.
func (a *analysis) reset() {
	a.length = 0
	clear(a.order)
	clear(a.written)
	a.written, a.typo = a.written[:0], ""
	clear(a.stems)
	a.stems = a.stems[:0]
	a.order, a.counts, a.roles, a.inPart = a.order[:0], a.counts[:0], a.roles[:0], a.inPart[:0]
	clear(a.index)
	clear(a.forms)
}

// pool reuses maps and buffers: an import analyzes many entries.
var pool = sync.Pool{New: func() any { return &analysis{index: map[string]int{}, forms: map[string]bool{}} }}

func newAnalysis() *analysis { return pool.Get().(*analysis) }

// maxPooled is the size, in distinct tokens and in bytes, above which an analysis is not
// pooled.
const maxPooled = 4096

// release clears the analysis and returns it to the pool. It overwrites the buffers, so
// that no text of an entry outlives its analysis.
func (a *analysis) release() {
	if max(len(a.order), len(a.forms), cap(a.folded), cap(a.word), cap(a.stemming), cap(a.camel), cap(a.inflected)) > maxPooled {
		return
	}
	a.reset()
	clear(a.folded[:cap(a.folded)])
	clear(a.word[:cap(a.word)])
	clear(a.stemming[:cap(a.stemming)])
	a.word, a.stemmed = a.word[:0], nil
	clear(a.camel[:cap(a.camel)])
	clear(a.inflected[:cap(a.inflected)])
	a.visit, a.visitOnly, a.eachWord, a.position = nil, false, nil, 0
	clear(a.groups[:cap(a.groups)])
	a.groups = a.groups[:0]
	a.mode, a.language, a.role, a.asking = keepStopWords, 0, Sought, false
	a.voting, a.inflecting, a.part = false, false, false // a panic may have left them set
	clear(a.latin)
	a.latin = a.latin[:0]
	clear(a.votes[:])
	pool.Put(a)
}
