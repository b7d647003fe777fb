package lexical

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// scan counts the tokens of a text.
func (a *analysis) scan(text string) {
	text = norm.NFKC.String(text)
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		switch kindOf(r) {
		case letter, digit:
			i += a.scanWord(text[i:])
		case dense:
			i += a.scanDense(text[i:])
		case symbol:
			a.add([]byte(text[i : i+width]))
			i += width
		default:
			i += width
		}
	}
}

// scanWord counts the word that text begins with and returns its bytes.
func (a *analysis) scanWord(text string) int {
	a.word = a.word[:0]
	i := 0
	for i < len(text) {
		r, width := utf8.DecodeRuneInString(text[i:])
		k := kindOf(r)
		if k != letter && k != digit && k != mark {
			break
		}
		a.word = appendFolded(a.word, r)
		i += width
	}
	a.add(stem(a.word))
	return i
}

// scanDense counts the bigrams of a run of a script without spaces.
func (a *analysis) scanDense(text string) int {
	before, width := -1, 0
	i := 0
	for n := 0; ; n++ {
		r, w := utf8.DecodeRuneInString(text[i:])
		if i >= len(text) || kindOf(r) != dense {
			if n == 1 {
				a.add([]byte(text[:i]))
			}
			return i
		}
		if n > 0 {
			a.add([]byte(text[before : i+w]))
		}
		before, width = i, w
		i += width
	}
}
