package lexical

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// scan counts the tokens of a text. Compatible forms are one (NFKC: full-width
// letters, ligatures, composed accents), and so bytes that are no UTF-8
// separate words.
func (a *analysis) scan(text string) {
	if !norm.NFKC.IsNormalString(text) {
		text = norm.NFKC.String(text)
	}
	a.opening = true
	for i := 0; i < len(text); {
		r, width := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(text[i:])
		}
		switch kindOf(r) {
		case letter, digit:
			i += a.scanCompound(text[i:])
			a.opening = false
			continue
		case dense:
			i += a.scanDense(text[i:])
			continue
		case unspaced:
			i += a.scanUnspaced(text[i:])
			continue
		case symbol:
			i += a.scanSymbol(text[i:])
			continue
		}
		switch r {
		case '.', '?', '!', ':', '\n', '¿', '¡':
			a.opening = true
		}
		i += width
	}
}

// part is a word within a compound.
type part struct {
	folded [2]int // its place in analysis.folded
	raw    [2]int // its place in the text
	humps  bool   // is it camelCase?
	name   bool   // is it written as a name, with a capital inside a sentence?
	stops  int    // how many full stops between initials were left out
}

// scanCompound counts the words that text begins with, up to the first
// separator other than a hyphen or underscore, and returns their bytes. Words
// so joined count each and as one: "e-mail" is found by "email", "mail" and
// "e-mail", "build_status" by "status".
func (a *analysis) scanCompound(text string) int {
	a.folded, a.parts = a.folded[:0], a.parts[:0]
	end := 0
	for {
		end += a.scanPart(text, end)
		width := joiner(text[end:])
		if width == 0 || !startsWord(text[end+width:]) {
			break
		}
		end += width
	}
	if len(a.parts) > 1 {
		a.addWord(a.folded)
	}
	for _, p := range a.parts {
		word := a.folded[p.folded[0]:p.folded[1]]
		if a.isFunction(word, p.name) {
			continue
		}
		a.addWord(word)
		if p.humps {
			a.addHumps(text[p.raw[0]:p.raw[1]])
		}
	}
	return end
}

// scanPart folds the word at text[start:] and returns its bytes.
func (a *analysis) scanPart(text string, start int) int {
	p := part{folded: [2]int{len(a.folded), 0}}
	var before rune // the rune before; 'A' for any capital
	capitals := 0   // how many stand before
	i := start
	for i < len(text) {
		r, width := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(text[i:])
		}
		switch kindOf(r) {
		case letter, digit:
			if r < utf8.RuneSelf {
				if r >= 'A' && r <= 'Z' {
					p.humps = p.humps || before >= 'a' && before <= 'z'
					r += 'a' - 'A'
					before = 'A'
					capitals++
				} else {
					p.humps = p.humps || capitals > 1 && r >= 'a'
					capitals = 0
					before = r
				}
				a.folded = append(a.folded, byte(r))
			} else {
				a.folded = appendFolded(a.folded, r)
				before = r
			}
			i += width
			continue
		case mark:
			a.folded = appendFolded(a.folded, r)
			i += width
			continue
		}
		skip := a.punctuation(&p, r, before, text[i+width:])
		if skip < 0 {
			break
		}
		i += width + skip
	}
	if length := sharp(a.folded[p.folded[0]:], text[i:]); length > 0 {
		a.folded = append(a.folded, text[i:i+length]...)
		i += length
	}
	if isVersion(a.folded[p.folded[0]:]) {
		a.folded = append(a.folded[:p.folded[0]], a.folded[p.folded[0]+1:]...)
	}
	p.folded[1] = len(a.folded)
	p.raw = [2]int{start, i}
	first, width := utf8.DecodeRuneInString(text[start:])
	p.name = !a.opening && unicode.IsUpper(first) && startsWord(text[start+width:])
	a.parts = append(a.parts, p)
	return i - start
}

// punctuation tells what a sign inside a word does, given the rune before it
// and the text after it: -1 if it ends the word, else how many bytes after it
// to leave out.
func (a *analysis) punctuation(p *part, r, before rune, after string) int {
	if !startsWord(after) {
		return -1
	}
	switch r {
	case '\'', '’', 'ʼ':
		if isDigit(before) {
			return -1 // 5'11
		}
		return a.apostrophe(p.folded[0], after)
	case '.':
		if isDigit(before) && isDigit(rune(after[0])) {
			a.folded = append(a.folded, '.') // 3.14, 1.2.3
			return 0
		}
		if len(a.folded)-p.folded[0] == p.stops+1 && initial(after) && !isDigit(before) {
			p.stops++ // U.S. is US
			return 0
		}
	case ',':
		if isDigit(before) && thousands(after) {
			return 0
		}
	}
	return -1
}

// apostrophe leaves out what English contracts ("Caroline's", "we'll") and
// French elides ("l'homme"), and else the sign alone ("don't", "O'Brien").
func (a *analysis) apostrophe(start int, after string) int {
	end := 0
	for end < len(after) && end <= 3 && (after[end]|0x20) >= 'a' && (after[end]|0x20) <= 'z' {
		end++
	}
	if !startsWord(after[end:]) {
		switch lowerASCII(after[:end]) {
		case "s", "ll", "re", "ve", "d", "m":
			return end
		}
	}
	switch string(a.folded[start:]) {
	case "l", "d", "j", "m", "t", "n", "s", "c", "qu":
		a.folded = a.folded[:start]
	}
	return 0
}

// addWord counts a folded word by its stem.
func (a *analysis) addWord(folded []byte) {
	a.word = append(a.word[:0], folded...)
	a.add(stem(a.word))
}

// addHumps counts the longer words of camelCase, beside the whole: parts of
// one or two letters (the m of mRNA) tell nothing.
func (a *analysis) addHumps(raw string) {
	a.hump = a.hump[:0]
	var before rune
	add := func() {
		if len(a.hump) >= 3 {
			a.addWord(a.hump)
		}
		a.hump = a.hump[:0]
	}
	for i, r := range raw {
		if kindOf(r) != letter && kindOf(r) != digit && kindOf(r) != mark {
			continue
		}
		if humps(before, r, raw[i+utf8.RuneLen(r):]) {
			add()
		}
		a.hump = appendFolded(a.hump, r)
		before = r
	}
	add()
}

// joiner is the width of the hyphen or underscore that text begins with, else
// 0. NFKC has made other hyphens these.
func joiner(text string) int {
	switch {
	case text == "":
		return 0
	case text[0] == '-', text[0] == '_':
		return 1
	case len(text) >= 3 && text[:3] == "\u2010":
		return 3
	}
	return 0
}

// startsWord tells whether text begins with a letter or digit of a script
// with words.
func startsWord(text string) bool {
	if text == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	k := kindOf(r)
	return k == letter || k == digit
}

// sharp is the length of the "++" or "#" that makes the language of a
// one-letter word: C++, C#, F#.
func sharp(word []byte, after string) int {
	if len(word) != 1 || word[0] < 'a' || word[0] > 'z' || after == "" {
		return 0
	}
	n := 0
	switch {
	case after[0] == '#':
		n = 1
	case len(after) >= 2 && after[:2] == "++":
		n = 2
	}
	if n == 0 || startsWord(after[n:]) {
		return 0
	}
	return n
}

// initial tells whether text begins with a letter alone: the S of U.S.
func initial(text string) bool {
	c := text[0] | 0x20
	return c >= 'a' && c <= 'z' && !startsWord(text[1:])
}

// thousands tells whether exactly three digits follow.
func thousands(after string) bool {
	n := 0
	for n < len(after) && isDigit(rune(after[n])) {
		n++
	}
	return n == 3
}

// isVersion tells of v1.2.3, which is 1.2.3.
func isVersion(word []byte) bool {
	return len(word) > 3 && word[0] == 'v' && isDigit(rune(word[1])) && bytes.IndexByte(word, '.') > 0
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func lowerASCII(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			lower := []byte(s)
			for j, c := range lower {
				lower[j] = c | 0x20
			}
			return string(lower)
		}
	}
	return s
}
