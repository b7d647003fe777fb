package e5

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// class says how a character is treated before words are looked up.
type class uint8

const (
	letter      class = iota // part of a word
	removed                  // dropped
	space                    // between words
	punctuation              // a word of its own
	ideograph                // a word of its own
)

// classOf follows BertNormalizer (clean_text, handle_chinese_chars) and
// BertPreTokenizer of the reference tokenizer.
func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return asciiClass[r]
	case isIdeograph(r):
		return ideograph
	case r == unicode.ReplacementChar, isIn(removedRunes[:], r):
		return removed
	case isSpace(r):
		return space
	case isIn(punctuationRunes[:], r), isIn(punctuated[:], r):
		return punctuation
	}
	return letter
}

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case r == ' ', r == '\t', r == '\n', r == '\r':
			t[r] = space
		case r < ' ', r == 0x7f:
			t[r] = removed
		case r >= '!' && r <= '/', r >= ':' && r <= '@', r >= '[' && r <= '`', r >= '{' && r <= '~':
			t[r] = punctuation
		}
	}
	return t
}()

// punctuated are letters and symbols that count as punctuation because their decomposition
// begins with punctuation: the Greek varia, and ≠, ≮ and ≯, which lose their stroke when
// accents are stripped.
var punctuated = [...][2]rune{{0x1fef, 0x1fef}, {0x2260, 0x2260}, {0x226e, 0x226f}}

// isSpace reports whether r is a Unicode White_Space character beyond ASCII. It excludes
// U+0085, which is removed earlier as a control character.
func isSpace(r rune) bool {
	switch r {
	case 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}

// isIdeograph reports whether r is in one of the blocks that BERT splits into single
// characters. The reference has 0x2b920 by mistake, and so has this: the block begins at
// 0x2b820.
func isIdeograph(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0xf900 && r <= 0xfaff ||
		r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf ||
		r >= 0x2f800 && r <= 0x2fa1f
}

// lower returns the lower case of r in the reference tokenizer. It maps runes one to one:
// İ, the only rune with a longer lower case, is decomposed earlier.
func lower(r rune) rune {
	switch r { // not in the Unicode version of Go 1.26, but in the vocabulary
	case 0xa7cb:
		return 0x264
	case 0xa7dc:
		return 0x19b
	}
	return unicode.ToLower(r)
}

// isIn reports whether r is in one of the sorted, inclusive ranges.
func isIn(ranges [][2]rune, r rune) bool {
	_, found := slices.BinarySearchFunc(ranges, r, func(have [2]rune, r rune) int {
		switch {
		case have[1] < r:
			return -1
		case have[0] > r:
			return 1
		}
		return 0
	})
	return found
}
