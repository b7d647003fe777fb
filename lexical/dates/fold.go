package dates

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the length of the longest word that is looked up, in bytes.
const maxWord = 24

// folded maps letters to the vocabulary's form: lower case without accents, 0 for a rune
// that is no letter.
var folded = func() (table [0x530]rune) {
	for r := range rune(len(table)) {
		if !unicode.IsLetter(r) {
			continue
		}
		lower := unicode.ToLower(r)
		first, _ := utf8.DecodeRuneInString(norm.NFD.String(string(lower)))
		table[r] = first
	}
	for from, to := range map[rune]rune{'ø': 'o', 'Ø': 'o', 'ł': 'l', 'Ł': 'l', 'ı': 'i', 'đ': 'd', 'Đ': 'd', 'æ': 'a', 'Æ': 'a', 'ß': 's'} {
		table[from] = to
	}
	return table
}()

// foldRune returns a letter in the vocabulary's form; 0 for a rune that is no letter.
func foldRune(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return 0
	case int(r) < len(folded):
		return folded[r]
	case r >= 0x1E00 && r <= 0x1EFF: // Latin with more accents
		first, _ := utf8.DecodeRuneInString(norm.NFD.String(string(unicode.ToLower(r))))
		return first
	case unicode.IsLetter(r):
		return r
	}
	return 0
}

// isAccent reports whether a rune is a combining accent.
func isAccent(r rune) bool { return r >= 0x300 && r <= 0x36F }

// isIdeograph reports whether a rune belongs to a script without spaces between the words
// of a date, or to Korean, whose words have endings.
func isIdeograph(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// cutWord returns the length of the word that text begins with, and appends its letters to
// key in the vocabulary's form. The key of a word that is too long is empty.
func cutWord(key []byte, text string) (rest []byte, length int) {
	begin := len(key)
	for length < len(text) {
		r, width := rune(text[length]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(text[length:])
		}
		letter := foldRune(r)
		if letter == 0 && !isAccent(r) || isIdeograph(r) {
			break
		}
		length += width
		if letter != 0 && len(key)-begin <= maxWord {
			key = utf8.AppendRune(key, letter)
		}
	}
	if len(key)-begin > maxWord {
		key = key[:begin]
	}
	return key, length
}
