package lexical

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind classifies a rune for the scanner.
type kind uint8

const (
	separator kind = iota // between tokens
	letter                // part of a word
	digit                 // part of a word
	mark                  // part of a word, but never its first rune
	cjk                   // Chinese, Japanese or Korean
	unspaced              // part of an alphabetic script written without spaces
	symbol                // a token of its own: emoji and the like
)

// tableSize is the number of runes in the tables below, which cover the most common
// alphabets.
const tableSize = 0x2000

// folds maps each rune below tableSize to its form in a token: lower case, without
// accents, "" if it is dropped.
var folds = makeFolds()

// kinds maps each rune below tableSize to its kind.
var kinds = makeKinds()

func makeKinds() *[tableSize]kind {
	var table [tableSize]kind
	for r := range rune(tableSize) {
		table[r] = computeKind(r)
	}
	return &table
}

func kindOf(r rune) kind {
	if r < tableSize {
		return kinds[r]
	}
	return computeKind(r)
}

func computeKind(r rune) kind {
	switch {
	case r == 'ʼ': // U+02BC, an apostrophe that Unicode classifies as a letter
		return separator
	case ignored(r):
		return mark
	case unicode.IsDigit(r):
		return digit
	case unicode.IsPunct(r):
		return separator
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), r == 'ー':
		return cjk
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return unspaced
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	case unicode.IsMark(r):
		return mark
	case r >= 0x2600 && r <= 0x27BF, r >= 0x2B00 && r <= 0x2BFF, r >= 0x1F000 && r <= 0x1FAFF:
		if unicode.Is(unicode.So, r) {
			return symbol
		}
	}
	return separator
}

// ignored reports whether r is invisible within a word: a soft hyphen, a joiner
// or a directional mark. The zero-width non-joiner is a separator, since
// Persian writes it before suffixes.
func ignored(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x200D, r == 0x2060, r == 0xFEFF, r == 0x200E, r == 0x200F, r == 0x061C:
		return true
	}
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// special folds runes that Unicode does not decompose. The Arabic entries are letters used
// interchangeably (Larkey, Ballesteros and Connell, "Light Stemming for Arabic Information
// Retrieval", 2007) and the Persian forms of kaf and yeh.
var special = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ĸ': "k",
	'ς': "σ", 'ё': "е", 'й': "й", 'ї': "ї", 'ў': "ў", 'ґ': "г",
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ٱ': "ا", 'ى': "ي", 'ة': "ه", 'ـ': "", 'ک': "ك", 'ی': "ي",
	// Urdu's two letters for heh, which people also write as the Arabic one.
	'ہ': "ه", 'ھ': "ه", 'ۃ': "ه", 'ۂ': "ه", 'ە': "ه",
	// Devanagari: the nukta is dropped, and the candrabindu becomes an anusvara.
	'\u093C': "", '\u0901': "\u0902",
	'ך': "כ", 'ם': "מ", 'ן': "נ", 'ף': "פ", 'ץ': "צ",
}

func makeFolds() *[tableSize]string {
	var table [tableSize]string
	for r := range rune(tableSize) {
		table[r] = computeFold(r)
	}
	return &table
}

// computeFold returns the entry of folds for r.
func computeFold(r rune) string {
	if ignored(r) {
		return ""
	}
	if value, ok := digitValue(r); ok {
		return string('0' + value)
	}
	lower := unicode.ToLower(r)
	if s, ok := special[lower]; ok {
		return s
	}
	if !foldsAccents(lower) {
		return string(lower)
	}
	var out []rune
	for _, part := range norm.NFD.String(string(lower)) {
		if s, ok := special[part]; ok {
			out = append(out, []rune(s)...)
		} else if !unicode.Is(unicode.Mn, part) {
			out = append(out, part)
		}
	}
	return string(out)
}

// foldsAccents reports whether combining marks may be stripped in the script of
// r. In the scripts of India, for example, they are vowels.
func foldsAccents(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic, unicode.Inherited)
}

// digitValue returns the value of a decimal digit of any script.
func digitValue(r rune) (rune, bool) {
	if !unicode.IsDigit(r) {
		return 0, false
	}
	for _, span := range unicode.Nd.R16 {
		if r >= rune(span.Lo) && r <= rune(span.Hi) {
			return (r - rune(span.Lo)) % 10, true
		}
	}
	return 0, false
}

// appendFolded appends the form of r in a token.
func appendFolded(to []byte, r rune) []byte {
	if r < tableSize {
		return append(to, folds[r]...)
	}
	if ignored(r) || unicode.Is(unicode.Mn, r) {
		return to
	}
	return utf8.AppendRune(to, unicode.ToLower(r))
}

// truncate shortens a token to MaxTermBytes at a rune boundary.
func truncate(token []byte) []byte {
	if len(token) <= MaxTermBytes {
		return token
	}
	end := MaxTermBytes
	for !utf8.RuneStart(token[end]) {
		end--
	}
	return token[:end]
}
