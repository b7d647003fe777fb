package dates

import (
	"unicode"
	"unicode/utf8"
)

// maxIdeographs is the length of the longest word of ideographs, in ideographs.
const maxIdeographs = 4

// shape is the kind of characters in a token.
type shape uint8

const (
	word   shape = iota
	number       // digits alone, or with an ordinal ending
	mark         // one character of punctuation
	code         // letters and digits
)

// token is a word, a number or a character of punctuation.
type token struct {
	start, end int
	shape      shape
	joined     bool // directly follows the previous token
	upper      bool // begins with a capital
	ordinal    bool // a number with an ending: 9th
	suffixed   bool // a number or word with an ending after a hyphen or apostrophe: 2026-ban
	digits     int8
	value      int // value of a number of at most four digits
	char       byte
	senses     []sense
	longer     int
}

// tokenize splits the text into tokens. It retains senses that need a hint only if the
// text may be in their language.
func (p *parser) tokenize(hint languages) {
	v := load()
	p.tokens = make([]token, 0, min(len(p.text)/4+8, 1024))
	var buffer [2 * maxWord]byte
	text, last := p.text, 0 // last: end of the previous token
	for i := 0; i < len(text); {
		t := token{start: i, joined: i == last && i > 0}
		if n := countDigits(text[i:]); n > 0 {
			t.end = i + n
			p.readNumber(&t)
		} else if key, n := cutWord(buffer[:0], text[i:]); n > 0 {
			t.end = i + n
			p.readWord(v, &t, key, hint)
		} else if r, width := utf8.DecodeRuneInString(text[i:]); isIdeograph(r) {
			p.readIdeographs(v, &t, hint)
		} else if unicode.IsSpace(r) || r == utf8.RuneError && width <= 1 {
			i += max(width, 1)
			continue
		} else {
			t.end, t.shape, t.char = i+width, mark, plainMark(r)
		}
		p.tokens = append(p.tokens, t)
		i, last = t.end, t.end
	}
	p.joinWords(v, hint)
}

// plainMark returns the ASCII equivalent of a punctuation character, 0 for others.
func plainMark(r rune) byte {
	switch r {
	case '–', '—', '‐', '‑', '−', '〜', '～':
		return '-'
	case '’', 'ʼ', '‘':
		return '\''
	case '／':
		return '/'
	case '，', '、':
		return ','
	case '€', '£', '¥', '₽', '₹':
		return '$'
	case 'º', 'ª':
		return 'o'
	}
	if r < utf8.RuneSelf {
		return byte(r)
	}
	return 0
}

func countDigits(text string) (n int) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// readNumber reads the digits at t and an ordinal or case ending after them.
func (p *parser) readNumber(t *token) {
	digits := p.text[t.start:t.end]
	t.shape, t.digits = number, int8(min(len(digits), 100))
	if len(digits) > 4 {
		t.shape = code
		return
	}
	for _, c := range []byte(digits) {
		t.value = 10*t.value + int(c-'0')
	}
	rest := p.text[t.end:]
	r, width := utf8.DecodeRuneInString(rest)
	switch {
	case r == 'º' || r == 'ª' || r == '°' && len(rest) > width && rest[width] == ' ':
		t.end, t.ordinal = t.end+width, r != '°'
	case r == '-' || r == '\'' || r == '’' || r == ':':
		if n := endingLength(rest[width:]); n > 0 {
			t.end, t.suffixed, t.ordinal = t.end+width+n, true, len(digits) <= 2
		}
	default:
		if n := endingLength(rest); n > 0 && len(digits) <= 2 {
			t.end, t.ordinal = t.end+n, true
		}
	}
}

// endings are the ordinal and case endings as they are written after digits.
var endings = func() map[string]bool {
	set := make(map[string]bool)
	for _, ending := range []string{
		"st", "nd", "rd", "th", "er", "re", "ere", "eme", "e", "de", "ste", "te", "ten", "ter", "a", "o",
		"an", "en", "i", "jan", "jen", "es", "as", "os", "ban", "ben", "tol", "ig", "in", "ei", "eji", "ai", "aji", "ra", "re",
		"da", "ta", "dan", "den", "tan", "nin", "nun", "un", "inda", "sinda", "unda", "ssa", "sta", "na", "lta",
		"го", "е", "ого", "ое", "му", "м", "и", "ые",
	} {
		set[foldWord(ending)] = true
	}
	return set
}()

// endingLength returns the length of the ending that text begins with, 0 if there is none.
func endingLength(text string) int {
	var buffer [2 * maxWord]byte
	key, n := cutWord(buffer[:0], text)
	if n == 0 || n < len(text) && '0' <= text[n] && text[n] <= '9' || !endings[string(key)] {
		return 0
	}
	return n
}

// readWord reads the word at t. key holds its folded letters.
func (p *parser) readWord(v *vocabulary, t *token, key []byte, hint languages) {
	first, _ := utf8.DecodeRuneInString(p.text[t.start:])
	t.upper = unicode.IsUpper(first)
	rest := p.text[t.end:]
	if len(rest) > 0 && ('0' <= rest[0] && rest[0] <= '9' || rest[0] == '_') {
		for len(rest) > 0 && (rest[0] == '_' || foldRune(rune(rest[0])) != 0 || countDigits(rest[:1]) == 1) {
			rest = rest[1:]
		}
		t.shape, t.end = code, len(p.text)-len(rest)
		return
	}
	if len(key) == 0 {
		return
	}
	found := v.words[string(key)]
	t.senses, t.longer = hinted(found.senses, hint), found.longer
	if r, width := utf8.DecodeRuneInString(rest); len(t.senses) > 0 && (r == '\'' || r == '’') {
		if n := endingLength(rest[width:]); n > 0 || len(rest) > width && rest[width] == 's' && isEnd(rest[width+1:]) {
			t.end, t.suffixed = t.end+width+max(n, 1), true
		}
	}
}

// isEnd reports whether a word ends before text.
func isEnd(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text == "" || foldRune(r) == 0
}

// hinted returns the senses that may be in the languages of hint.
func hinted(senses []sense, hint languages) []sense {
	for i, s := range senses {
		if !s.hint || s.in&hint != 0 {
			continue
		}
		kept := append([]sense(nil), senses[:i]...)
		for _, s := range senses[i+1:] {
			if !s.hint || s.in&hint != 0 {
				kept = append(kept, s)
			}
		}
		return kept
	}
	return senses
}

// readIdeographs reads the longest known word of ideographs at t, or else one ideograph.
func (p *parser) readIdeographs(v *vocabulary, t *token, hint languages) {
	var ends [maxIdeographs]int
	at, n := t.start, 0
	for n < maxIdeographs && at < len(p.text) {
		r, width := utf8.DecodeRuneInString(p.text[at:])
		if !isIdeograph(r) {
			break
		}
		at += width
		ends[n] = at
		n++
	}
	for ; n > 0; n-- {
		if found, ok := v.words[p.text[t.start:ends[n-1]]]; ok || n == 1 {
			t.end, t.senses = ends[n-1], hinted(found.senses, hint)
			return
		}
	}
}

// joinWords merges the words of a form of several words, such as "day before yesterday", into
// one token.
func (p *parser) joinWords(v *vocabulary, hint languages) {
	kept := p.tokens[:0]
	for i := 0; i < len(p.tokens); {
		t := p.tokens[i]
		i++
		if t.shape == word && t.longer > 1 {
			if senses, next := p.longest(v, i-1, hint); next > 0 {
				t.senses, t.end = senses, p.tokens[next-1].end
				i = next
			}
		}
		kept = append(kept, t)
	}
	p.tokens = kept
}

// longest returns the senses of the longest form of several words that begins at the token
// i, and the token after it; 0 if there is none.
func (p *parser) longest(v *vocabulary, i int, hint languages) (senses []sense, next int) {
	key := make([]byte, 0, 64)
	words := 0
	for j := i; j < len(p.tokens) && words < p.tokens[i].longer; j++ {
		t := p.tokens[j]
		switch {
		case t.shape == word:
			if words > 0 {
				key = append(key, ' ')
			}
			before := len(key)
			if key, _ = cutWord(key, p.text[t.start:t.end]); len(key) == before {
				return senses, next
			}
			words++
			if words > 1 {
				if found := hinted(v.words[string(key)].senses, hint); len(found) > 0 {
					senses, next = found, j+1
				}
			}
		case t.shape != mark || !t.joined || t.char != '-' && t.char != '\'':
			return senses, next
		}
	}
	return senses, next
}
