package lexical

import (
	"unicode"
	"unicode/utf8"
)

// scanDense counts the pairs of neighbours in the run of Chinese, Japanese or
// Korean signs that text begins with, and each Chinese sign, which is a word
// more often than not; a sign alone counts as itself. It returns the run's
// bytes.
func (a *analysis) scanDense(text string) int {
	before := 0 // where the sign before begins
	i, n := 0, 0
	for i < len(text) {
		r, width := utf8.DecodeRuneInString(text[i:])
		if kindOf(r) != dense {
			break
		}
		han := unicode.Is(unicode.Han, r)
		if han && !a.isHanFunction(r) {
			a.add([]byte(text[i : i+width]))
		}
		if n > 0 {
			a.add([]byte(text[before : i+width]))
		} else if !han {
			next, _ := utf8.DecodeRuneInString(text[i+width:])
			if kindOf(next) != dense {
				a.add([]byte(text[i : i+width]))
			}
		}
		before, i, n = i, i+width, n+1
	}
	return i
}

// scanUnspaced counts the triples of neighbours in the run of Thai, Lao, Khmer
// or Burmese letters that text begins with, and returns the run's bytes. In a
// document pairs count too, so that a question of a short word, which has no
// triple, finds it; in a question they count only then.
func (a *analysis) scanUnspaced(text string) int {
	var start [2]int // where the two letters before begin, the later first
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
		if n >= 1 && (a.pass == keeping || last && n == 1) {
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

// scanSymbol counts the emoji or sign that text begins with, two letters of a
// flag as one, and returns its bytes.
func (a *analysis) scanSymbol(text string) int {
	r, width := utf8.DecodeRuneInString(text)
	if regional(r) {
		if next, more := utf8.DecodeRuneInString(text[width:]); regional(next) {
			width += more
		}
	}
	a.add([]byte(text[:width]))
	return width
}

func regional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }
