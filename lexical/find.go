package lexical

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Find reports where a text has a query's terms, by the same analysis as
// Analyze: found gets the index of a term and the byte range [start, end) of
// text that is written where the term is, a whole word for its stem. Ranges
// begin and end between characters, and come in the order of the text up to
// those of one word or run.
func Find(text string, terms []QueryTerm, found func(term, start, end int)) {
	if len(terms) == 0 {
		return
	}
	f := finder{terms: make(map[string]int, len(terms)), found: found, a: newAnalysis()}
	defer f.a.release()
	f.a.visit, f.a.visitOnly = f.visit, true
	for i, term := range terms {
		f.terms[term.Text] = i
	}
	if !norm.NFKC.IsNormalString(text) {
		text = f.normalize(text)
	}
	f.scan(text)
}

// finder looks for the terms of a query in one text.
type finder struct {
	terms map[string]int // index by text
	found func(term, start, end int)
	a     *analysis
	hits  []int // terms that the analysis has come by
	// starts and ends are the range of the text before normalization that each
	// of its bytes comes from; nil: the text was normal.
	starts, ends []int
}

// visit notes a form of a word that is a term.
func (f *finder) visit(form []byte, _ span, kind formKind) {
	if term, ok := f.terms[string(form)]; ok && kind == sought {
		f.hits = append(f.hits, term)
	}
}

// normalize returns the normal form that scan expects, and notes where it comes
// from.
func (f *finder) normalize(text string) string {
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
func (f *finder) report(term, start, end int) {
	if f.starts != nil {
		start, end = f.starts[start], f.ends[end-1]
	}
	f.found(term, start, end)
}

// tryToken reports the token at a range if it is a term.
func (f *finder) tryToken(token string, start, end int) {
	if term, ok := f.terms[token]; ok {
		f.report(term, start, end)
	}
}

// scan is analysis.scan that tells where the tokens are.
func (f *finder) scan(text string) {
	for i := 0; i < len(text); {
		r, width := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(text[i:])
		}
		switch kindOf(r) {
		case letter, digit:
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

// scanCompound reports the words of the compound at text[at:] and returns its
// length.
func (f *finder) scanCompound(text string, at int) int {
	f.hits = f.hits[:0]
	n := f.a.scanCompound(text[at:])
	if len(f.hits) == 0 {
		return n
	}
	f.hits = f.hits[:0]
	for _, p := range f.a.parts {
		f.a.addWord(f.a.folded[p.folded[0]:p.folded[1]], span{})
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
func (f *finder) flush(start, end int) {
	for _, term := range f.hits {
		f.report(term, start, end)
	}
	f.hits = f.hits[:0]
}

// scanRun reports the terms in the run of CJK or unspaced characters at
// text[at:] and returns its length. Document's tokens are its characters, its
// bigrams and, if unspaced, its trigrams.
func (f *finder) scanRun(text string, at int, k kind) int {
	first, second := at, at // starts of the two characters before
	i, n := at, 0
	for i < len(text) {
		r, width := utf8.DecodeRuneInString(text[i:])
		if kindOf(r) != k {
			break
		}
		end := i + width
		if k == unspaced && n >= 2 {
			f.tryToken(text[first:end], first, end)
		}
		if n >= 1 {
			f.tryToken(text[second:end], second, end)
		}
		if n == 0 && !f.runContinues(text, end, k) || unicode.Is(unicode.Han, r) {
			f.tryToken(text[i:end], i, end)
		}
		first, second = second, i
		i, n = end, n+1
	}
	return i - at
}

// runContinues reports whether a character of kind k is at text[at:].
func (f *finder) runContinues(text string, at int, k kind) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return kindOf(r) == k
}
