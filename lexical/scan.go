package lexical

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// scan adds the tokens of a text. Compatibility forms such as full-width letters,
// ligatures and composed accents are unified by NFKC. Invalid UTF-8 separates
// words.
func (a *analysis) scan(text string) {
	if !norm.NFKC.IsNormalString(text) {
		text = norm.NFKC.String(text)
	}
	a.sentenceStart = true
	a.groups = a.groups[:0]
	looked := 0 // end of the text searched for groups
	if a.voting || !strings.ContainsAny(text, inCodes) {
		looked = len(text)
	}
	var days []grouped
	if looked == 0 && !a.inflecting {
		days = daysOf(text)
	}
	for i := 0; i < len(text); {
		r, width := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(text[i:])
		}
		switch kindOf(r) {
		case letter, digit:
			if i >= looked {
				var found []grouped
				found, looked = groupedAt(text, i, a.asking)
				a.groups = append(a.groups, found...) // a quantity may have begun earlier
			}
			if r <= '9' && !a.voting {
				if q, ok := quantityAt(text, i); ok {
					a.groups = append(a.groups, q)
				}
			}
			if len(days) > 0 {
				var day grouped
				var ok bool
				if day, ok, days = dayAt(days, i); ok {
					a.groups = append(a.groups, day)
				}
			}
			i = a.scanGroups(text, i)
			a.sentenceStart = false
			continue
		case cjk:
			run := cjkRun(text[i:])
			folded := foldCJKs(run)
			a.scanCJK(folded)
			a.addRun(folded)
			i += len(run)
			a.endGroups(i)
			continue
		case unspaced:
			width = a.scanUnspaced(text[i:])
			a.addRun(text[i : i+width])
			i += width
			continue
		case symbol:
			i += a.scanSymbol(text[i:])
			continue
		}
		switch r {
		case '.', '?', '!', ':', '\n', '¿', '¡':
			a.sentenceStart = true
		}
		i += width
	}
}

// HasWords reports whether Analyze returns terms for a text: it has letters, digits or
// symbols such as emoji.
func HasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		switch kindOf(r) {
		case letter, digit, cjk, unspaced, symbol:
			return true
		}
		return false
	})
}

// part is one word of a compound.
type part struct {
	folded       [2]int // range in analysis.folded
	raw          [2]int // range in the text
	camelCase    bool   // whether it is camelCase
	name         bool   // whether it is capitalized within a sentence, like a name
	acronym      bool   // whether it begins with two capitals
	droppedStops int    // number of full stops dropped between initials
	positions    int    // number of its positions
}

// scanCompound adds the words that text begins with, up to the first separator other than
// a hyphen or underscore, and returns their length in bytes. It adds joined words one by
// one and as a whole: "email", "mail" and "e-mail" find "e-mail", "status" finds
// "build_status".
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
	whole := span{a.position, a.position}
	for _, p := range a.parts {
		whole.end += p.positions
	}
	if len(a.parts) > 1 {
		if strings.Contains(text[:end], "_") { // an identifier: other texts may have its parts as words
			a.role = Joined
		}
		if !a.inflecting && !a.voting {
			a.addWord(a.folded, whole)
		}
		a.role = Sought
	}
	for _, p := range a.parts {
		at := span{a.position, a.position + p.positions}
		a.position = at.end
		word := a.folded[p.folded[0]:p.folded[1]]
		if a.isStopWord(word, p.name, p.acronym) || a.voting {
			continue
		}
		if a.inflecting {
			if !p.camelCase && isLatin(word) {
				a.latin = append(a.latin, latinWord{text[p.raw[0]:p.raw[1]], bytes.Clone(word), at})
			}
			continue
		}
		a.words++
		if isEnglishGrammar(word) {
			a.english++
		}
		if a.mode == dropStopWords && len(a.parts) == 1 {
			a.role = a.roleOf(word, p.name)
			if a.role != Asking && MayBeTypo(string(word)) {
				a.typo = string(word)
			}
		}
		a.text = text[p.raw[0]:p.raw[1]]
		a.addWord(word, at)
		a.role, a.typo, a.text = Sought, "", ""
		a.addByScript(word, at)
		if p.camelCase {
			a.addCamelWords(text[p.raw[0]:p.raw[1]], at.start)
		}
	}
	return end
}

// scanPart folds the word at text[start:] and returns its length in bytes.
func (a *analysis) scanPart(text string, start int) int {
	p := part{folded: [2]int{len(a.folded), 0}}
	var before rune // the previous rune, 'A' for any capital
	capitals := 0   // number of capitals immediately before
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
					p.camelCase = p.camelCase || before >= 'a' && before <= 'z'
					r += 'a' - 'A'
					before = 'A'
					capitals++
				} else {
					p.camelCase = p.camelCase || capitals > 1 && r >= 'a'
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
		skip := a.innerPunctuation(&p, r, before, text[i+width:])
		if skip < 0 {
			break
		}
		i += width + skip
	}
	if length := languageSuffix(a.folded[p.folded[0]:], text[i:]); length > 0 {
		a.folded = append(a.folded, text[i:i+length]...)
		i += length
	}
	if isVersion(a.folded[p.folded[0]:]) {
		a.folded = append(a.folded[:p.folded[0]], a.folded[p.folded[0]+1:]...)
	}
	p.folded[1] = len(a.folded)
	p.raw = [2]int{start, i}
	switch {
	case p.folded[0] == p.folded[1]: // the folded word is empty
	case p.camelCase:
		p.positions = countCamelWords(text[start:i])
	default:
		p.positions = 1
	}
	first, width := utf8.DecodeRuneInString(text[start:])
	p.name = !a.sentenceStart && unicode.IsUpper(first) && startsWord(text[start+width:])
	second, _ := utf8.DecodeRuneInString(text[start+width:])
	p.acronym = unicode.IsUpper(first) && unicode.IsUpper(second)
	a.parts = append(a.parts, p)
	return i - start
}

// innerPunctuation handles a punctuation character between the rune before and
// the text after it. It returns -1 if the character ends the word, otherwise
// the number of bytes to skip after it.
func (a *analysis) innerPunctuation(p *part, r, before rune, after string) int {
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
		if len(a.folded)-p.folded[0] == p.droppedStops+1 && startsWithInitial(after) && !isDigit(before) {
			p.droppedStops++ // U.S. is US
			return 0
		}
	case ',':
		if isDigit(before) && isThousandsGroup(after) {
			return 0
		}
	}
	return -1
}

// apostrophe drops English clitics ("Caroline's", "we'll") and elided French and
// Italian words ("l'homme", "dell'arte"), and otherwise the apostrophe alone ("don't",
// "O'Brien"). It returns the number of bytes to skip after the apostrophe.
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
	case "l", "d", "j", "m", "t", "n", "s", "c", "qu", "lorsqu", "jusqu", "puisqu", "un", "dell", "all", "nell", "sull", "dall", "quell", "quest":
		a.folded = a.folded[:start]
	}
	return 0
}

// addWord adds the stem of a folded word.
func (a *analysis) addWord(folded []byte, at span) {
	if a.eachWord != nil {
		a.eachWord(folded)
		return
	}
	stemmed := a.stem(folded)
	a.add(stemmed)
	a.addForm(stemmed, at, sought)
	if !bytes.Equal(stemmed, folded) {
		a.addForm(folded, at, written)
	}
}

// addCamelWords adds the words of a camelCase word, the first at position. It skips words
// of one or two letters, such as the m of mRNA, which are not selective.
func (a *analysis) addCamelWords(raw string, position int) {
	a.camel = a.camel[:0]
	var before rune
	add := func() {
		if len(a.camel) >= 3 {
			a.addWord(a.camel, span{position, position + 1})
		}
		a.camel = a.camel[:0]
		position++
	}
	for i, r := range raw {
		if !isCamelRune(r) {
			continue
		}
		if startsCamelWord(before, r, raw[i+utf8.RuneLen(r):]) {
			add()
		}
		a.camel = appendFolded(a.camel, r)
		before = r
	}
	add()
}

// countCamelWords counts the words of a camelCase word, including those that addCamelWords
// skips.
func countCamelWords(raw string) int {
	n := 1
	var before rune
	for i, r := range raw {
		if !isCamelRune(r) {
			continue
		}
		if startsCamelWord(before, r, raw[i+utf8.RuneLen(r):]) {
			n++
		}
		before = r
	}
	return n
}

func isCamelRune(r rune) bool {
	switch kindOf(r) {
	case letter, digit, mark:
		return true
	}
	return false
}

// joiner returns the length in bytes of the hyphen or underscore that text
// begins with, or 0. NFKC has mapped other hyphens to these.
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

// startsWord reports whether text begins with a letter or digit of a script that
// separates words.
func startsWord(text string) bool {
	if text == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	k := kindOf(r)
	return k == letter || k == digit
}

// languageSuffix returns the length of the "++" or "#" that turns a one-letter
// word into a programming language: C++, C#, F#.
func languageSuffix(word []byte, after string) int {
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

// startsWithInitial reports whether text begins with a single letter: the S of U.S.
func startsWithInitial(text string) bool {
	c := text[0] | 0x20
	return c >= 'a' && c <= 'z' && !startsWord(text[1:])
}

// isThousandsGroup reports whether exactly three digits follow a comma.
func isThousandsGroup(after string) bool {
	n := 0
	for n < len(after) && isDigit(rune(after[n])) {
		n++
	}
	return n == 3
}

// isVersion reports whether word is a version such as v1.2.3, which is indexed as
// 1.2.3.
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
