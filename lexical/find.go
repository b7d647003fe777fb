package lexical

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Finder finds the positions of a query's terms in texts. It caches the terms of each
// word, so that it stems a word once. It is not safe for concurrent use.
type Finder struct {
	terms    map[string]int // index by text
	prefixes [][]byte
	first    int    // index of the first prefix
	stemmers uint32 // bit set of the stemmers that make terms
	// known caches the terms of each folded word; size is the length of its keys in bytes.
	known map[string][]int
	size  int
}

// maxKnown bounds known, in bytes of words. It holds some thousand words; most words of a
// text occur early in it.
const maxKnown = 64 << 10

// NewFinder returns a Finder of the terms and of all words that begin, as written or
// stemmed, with one of the prefixes. The indices of the prefixes follow the indices of the
// terms. A variant of a term is reported as that term.
func NewFinder(terms []QueryTerm, prefixes ...string) *Finder {
	f := &Finder{terms: make(map[string]int, len(terms)), known: make(map[string][]int), first: len(terms)}
	for i, term := range terms {
		f.terms[term.Text] = i
	}
	for _, term := range terms {
		if of, ok := f.terms[term.For]; ok && term.Variant {
			f.terms[term.Text] = of
			f.stemmers |= term.stemmers
		}
	}
	for _, prefix := range prefixes {
		f.prefixes = append(f.prefixes, []byte(prefix))
	}
	return f
}

// Find reports where a text has the terms, by the same analysis as Analyze: it calls found
// with the index of a term and the byte range [start, end) of text where the term is
// written, a whole word for a stem or prefix. Ranges begin and end between characters, and
// are in the order of the text except within one word or run.
func (f *Finder) Find(text string, found func(term, start, end int)) {
	if len(f.terms) == 0 && len(f.prefixes) == 0 {
		return
	}
	s := search{Finder: f, found: found, a: newAnalysis()}
	defer s.a.release()
	s.a.eachWord, s.a.visitOnly = s.word, true
	if !norm.NFKC.IsNormalString(text) {
		text = s.normalize(text)
	}
	s.scan(text)
}

// termsOf returns the terms of a folded word. text is the word as written.
func (f *Finder) termsOf(folded []byte, text string) []int {
	key := string(folded)
	if f.stemmers != 0 {
		key += " " + text // stems depend on the accents
	}
	if hits, ok := f.known[key]; ok {
		return hits
	}
	var hits []int
	stemmed := truncate(stem(slices.Clone(folded)))
	if term, ok := f.terms[string(stemmed)]; ok {
		hits = append(hits, term)
	}
	hits = f.appendVariants(hits, folded, text)
	written := truncate(folded)
	for i, prefix := range f.prefixes {
		if bytes.HasPrefix(stemmed, prefix) || bytes.HasPrefix(written, prefix) {
			hits = append(hits, f.first+i)
		}
	}
	if f.size+len(key) <= maxKnown {
		f.size += len(key)
		f.known[key] = hits
	}
	return hits
}

// appendVariants appends the terms that have a stem of the word as a variant, each once.
func (f *Finder) appendVariants(hits []int, folded []byte, text string) []int {
	for rest := f.stemmers; rest != 0; rest &= rest - 1 {
		stem := stemBy(bits.TrailingZeros32(rest), folded, text)
		if term, ok := f.terms[string(truncate(stem))]; ok && !slices.Contains(hits, term) {
			hits = append(hits, term)
		}
	}
	return hits
}

// search looks for the terms of a Finder in one text.
type search struct {
	*Finder
	found func(term, start, end int)
	a     *analysis
	hits  []int // terms that the analysis has found
	// starts and ends map each byte of the normalized text to its range in the original;
	// nil: the text was normal.
	starts, ends []int
}

// word records the terms of a word.
func (f *search) word(folded []byte) {
	f.hits = append(f.hits, f.termsOf(folded, f.a.text)...)
}

// normalize returns the normal form that scan expects, and records the origin of its
// bytes.
func (f *search) normalize(text string) string {
	var normal []byte
	var it norm.Iter
	it.InitString(norm.NFKC, text)
	for !it.Done() {
		start := it.Pos()
		part := it.Next()
		normal = append(normal, part...)
		for range part {
			f.starts, f.ends = append(f.starts, start), append(f.ends, it.Pos())
		}
	}
	return string(normal)
}

// report reports a term at a byte range of the normal text.
func (f *search) report(term, start, end int) {
	if f.starts != nil {
		start, end = f.starts[start], f.ends[end-1]
	}
	f.found(term, start, end)
}

// tryRun reports characters of a run if their token is a term.
func (f *search) tryRun(text string, k kind, start, end int) {
	run := text[start:end]
	if k == cjk {
		run = foldCJKs(run)
	}
	f.tryToken(run, start, end)
}

// tryToken reports the token at a range if it is a term.
func (f *search) tryToken(token string, start, end int) {
	if term, ok := f.terms[token]; ok {
		f.report(term, start, end)
	}
}

// scan is analysis.scan, but reports the positions of the tokens.
func (f *search) scan(text string) {
	looked := 0 // end of the text searched for groups
	days := daysOf(text)
	for i := 0; i < len(text); {
		r, width := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(text[i:])
		}
		switch kindOf(r) {
		case letter, digit:
			if i >= looked {
				var found []grouped
				found, looked = groupedAt(text, i, false)
				for _, g := range found {
					f.tryToken(string(stem([]byte(g.token))), g.start, g.end)
				}
			}
			if q, ok := quantityAt(text, i); ok {
				f.tryToken(string(stem([]byte(q.token))), q.start, q.end)
			}
			if len(days) > 0 {
				var day grouped
				var ok bool
				if day, ok, days = dayAt(days, i); ok {
					f.tryToken(day.token, day.start, day.end)
				}
			}
			i += f.scanCompound(text, i)
		case cjk, unspaced:
			i += f.scanRun(text, i, kindOf(r))
		case symbol:
			n := f.a.scanSymbol(text[i:])
			f.tryToken(text[i:i+n], i, i+n)
			i += n
		default:
			i += width
		}
	}
}

// scanCompound reports the words of the compound at text[at:] and returns its length.
func (f *search) scanCompound(text string, at int) int {
	f.hits = f.hits[:0]
	n := f.a.scanCompound(text[at:])
	if len(f.hits) == 0 {
		return n
	}
	f.hits = f.hits[:0]
	for _, p := range f.a.parts {
		f.a.text = text[at+p.raw[0] : at+p.raw[1]]
		f.a.addWord(f.a.folded[p.folded[0]:p.folded[1]], span{})
		f.a.text = ""
		if p.camelCase {
			f.a.addCamelWords(text[at+p.raw[0]:at+p.raw[1]], 0)
		}
		f.flush(at+p.raw[0], at+p.raw[1])
	}
	if len(f.a.parts) > 1 {
		f.a.addWord(f.a.folded, span{})
		f.flush(at, at+n)
	}
	return n
}

// flush reports the hits at a range.
func (f *search) flush(start, end int) {
	for _, term := range f.hits {
		f.report(term, start, end)
	}
	f.hits = f.hits[:0]
}

// scanRun reports the terms in the run of CJK or unspaced characters at text[at:] and
// returns its length. The tokens of a Document are the characters, the bigrams and, if
// unspaced, the trigrams of the run.
func (f *search) scanRun(text string, at int, k kind) int {
	first, second := at, at // starts of the two previous characters
	i, n := at, 0
	for i < len(text) {
		r, width := utf8.DecodeRuneInString(text[i:])
		if kindOf(r) != k {
			break
		}
		end := i + width
		if k == unspaced && n >= 2 {
			f.tryRun(text, k, first, end)
		}
		if n >= 1 {
			f.tryRun(text, k, second, end)
		}
		if n == 0 && !f.runContinues(text, end, k) || unicode.Is(unicode.Han, r) {
			f.tryRun(text, k, i, end)
		}
		first, second = second, i
		i, n = end, n+1
	}
	return i - at
}

// runContinues reports whether a character of kind k is at text[at:].
func (f *search) runContinues(text string, at int, k kind) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return kindOf(r) == k
}
