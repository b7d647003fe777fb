package lexical

import (
	"unicode"
	"unicode/utf8"
)

// scanCJK adds the bigrams of the run of Chinese, Japanese or Korean characters
// that text begins with. Chinese characters are also added singly, since they
// are often words; other characters only when the run is a single one. It
// returns the length of the run in bytes.
func (a *analysis) scanCJK(text string) int {
	before := 0 // start of the previous character
	i, n := 0, 0
	for i < len(text) {
		r, width := utf8.DecodeRuneInString(text[i:])
		if kindOf(r) != cjk {
			break
		}
		han := unicode.Is(unicode.Han, r)
		if han && !a.isHanStopCharacter(r) {
			a.add([]byte(text[i : i+width]))
		}
		if n > 0 {
			a.add([]byte(text[before : i+width]))
		} else if !han {
			next, _ := utf8.DecodeRuneInString(text[i+width:])
			if kindOf(next) != cjk {
				a.add([]byte(text[i : i+width]))
			}
		}
		before, i, n = i, i+width, n+1
	}
	return i
}

// scanUnspaced adds the trigrams of the run of Thai, Lao, Khmer or Burmese characters that
// text begins with, and returns the length of the run in bytes. It adds a document's
// bigrams too, so that a query of one two-character word, which has no trigram, finds the
// document. It adds a query's bigrams only if the query has no trigram.
func (a *analysis) scanUnspaced(text string) int {
	var start [2]int // starts of the two previous characters, the later first
	i, n := 0, 0
	for i < len(text) {
		r, width := utf8.DecodeRuneInString(text[i:])
		if kindOf(r) != unspaced {
			break
		}
		last := false
		if next, _ := utf8.DecodeRuneInString(text[i+width:]); kindOf(next) != unspaced {
			last = true
		}
		if n >= 2 {
			a.add([]byte(text[start[1] : i+width]))
		}
		if n >= 1 && (a.mode == keepStopWords || last && n == 1) {
			a.add([]byte(text[start[0] : i+width]))
		}
		if n == 0 && last {
			a.add([]byte(text[:i+width]))
		}
		start[1], start[0] = start[0], i
		i, n = i+width, n+1
	}
	return i
}

// scanSymbol adds the emoji or symbol that text begins with and returns its
// length in bytes. The two regional indicators of a flag are one symbol.
func (a *analysis) scanSymbol(text string) int {
	r, width := utf8.DecodeRuneInString(text)
	if regional(r) {
		if next, more := utf8.DecodeRuneInString(text[width:]); regional(next) {
			width += more
		}
	}
	a.add([]byte(text[:width]))
	a.addForm([]byte(text[:width]), span{a.position, a.position + 1}, sought)
	a.position++
	return width
}

// regional reports whether r is a regional indicator, half of a flag.
func regional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
