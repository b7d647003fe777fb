package language

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The evidence of one word. It counts for the languages that have the word, for English, or if
// both have it, about half for each.
const (
	grammarWeight = 1   // a word of English grammar, or any word of another language's list
	contentWeight = 0.7 // another English word
	loanWeight    = 0.1 // a word of both that is weak evidence
	sharedWeight  = 0.4 // a word of English and of other languages, for each
	nameWeight    = 0.2 // an English word capitalized within a sentence, as in a name or title
	oneLetter     = 0.3 // a word of one letter, which may be a variable, or of one before a hyphen (non-linear)
	quotedFactor  = 0.5 // within a quotation
	letterWeight  = 0.5 // an accented letter that English words do not have
	strongWeight  = 1   // an accented letter of a single language
	endWeight     = 0.4 // an ending of an unlisted word
	shortEnd      = 0.2 // an ending of two letters
	clisisWeight  = 0.7 // an elided article (l'eau), an English clitic (it's)
	markWeight    = 1   // ¿ and ¡
)

// reader reads the words of a text.
type reader struct {
	*tables
	text          string
	evidence      evidence
	sentenceStart bool // whether the next word begins a sentence
	afterName     bool // whether the previous word was capitalized, or a particle of a name
	quoted        bool // whether the next word is in a quotation that is not the whole text
}

// read returns the evidence of a text.
func read(text string) evidence {
	text = cut(text, maxRead)
	if !norm.NFC.IsNormalString(text) { // the lists and the distinguishing letters are composed
		text = norm.NFC.String(text)
	}
	r := reader{tables: load(), text: text, sentenceStart: true}
	for i := 0; i < len(r.text); {
		end := r.chunkEnd(i)
		if r.isCode(r.text[i:end]) {
			r.countScripts(r.text[i:end])
			r.evidence.code++
			r.afterName = false
		} else {
			r.readChunk(i, end)
		}
		i = end
		for i < len(r.text) && isSpace(r.text[i]) {
			if r.text[i] == '\n' {
				r.sentenceStart, r.quoted = true, false
			}
			i++
		}
	}
	return r.evidence
}

// cut returns the part of a text that is read: at most size bytes.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	end := size
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// chunkEnd returns the end of the chunk without white space that begins at start.
func (r *reader) chunkEnd(start int) int {
	for start < len(r.text) && !isSpace(r.text[start]) {
		start++
	}
	return start
}

// isCode reports whether a chunk is likely a file name, an address, an identifier or code:
// between its letters are digits, capitals after lower-case letters, or code punctuation.
func (r *reader) isCode(chunk string) bool {
	if isQuotedWord(chunk) {
		return true
	}
	chunk = strings.Trim(chunk, `.,;:!?()[]{}"'*-`)
	small := false
	for i := range len(chunk) {
		c := chunk[i]
		switch {
		case c >= 'A' && c <= 'Z':
			if small {
				return true
			}
		case c >= '0' && c <= '9', strings.IndexByte("_/\\@=<>{}[]#$|:&+~^%*`", c) >= 0:
			return true
		case c == '(' && small:
			return true
		case c == '.' && i+1 < len(chunk) && isSmall(chunk[i+1]) && small:
			return true
		}
		small = isSmall(c)
	}
	return false
}

// isQuotedWord reports whether a chunk is one word within straight quotes, like a name or
// a value in code.
func isQuotedWord(chunk string) bool {
	chunk = strings.Trim(chunk, ".,;:!?()[]{}")
	n := len(chunk) - 1
	return n > 0 && chunk[0] == chunk[n] && (chunk[0] == '"' || chunk[0] == '\'')
}

func isSmall(c byte) bool   { return c >= 'a' && c <= 'z' }
func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// countScripts counts the non-Latin letters of code.
func (r *reader) countScripts(chunk string) {
	for _, c := range chunk {
		if c >= utf8.RuneSelf && unicode.IsLetter(c) {
			if s := scriptOf(c); s != latinScript {
				r.evidence.addLetter(s, c)
			}
		}
	}
}

func (e *evidence) addLetter(s script, c rune) {
	e.scripts[s] += s.weight()
	e.hints |= hintOf(c)
}

// readChunk reads the words of a chunk.
func (r *reader) readChunk(start, end int) {
	for i := start; i < end; {
		c, width := rune(r.text[i]), 1
		if c >= utf8.RuneSelf {
			c, width = utf8.DecodeRuneInString(r.text[i:end])
		}
		if isLetter(c) {
			i = r.readWord(i, end)
			continue
		}
		switch c {
		case '.', '!', '?', ':', '(':
			r.sentenceStart = true
		case '"', '“', '”', '„', '«', '»':
			r.sentenceStart = true
			r.quoted = c != '”' && c != '»' && !r.quoted && r.evidence.words > 0
		case '¿', '¡':
			r.sentenceStart = true
			r.evidence.addAll(r.spanish, markWeight)
		}
		i += width
	}
}

func isLetter(c rune) bool {
	if c < utf8.RuneSelf {
		return c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	return unicode.IsLetter(c) || unicode.IsMark(c)
}

// maxWord is the length of the longest listed word, in bytes. Of a longer word only the
// ending counts.
const maxWord = 32

// word is one Latin word.
type word struct {
	lower    [maxWord]byte // in lower case; only its last letters if the word is longer
	length   int           // of lower, in bytes
	long     bool          // whether the word is longer than maxWord
	capital  bool          // whether it begins with a capital
	capitals int           // number of capitals
	letters  uint64        // languages that have all its accented letters
	accents  bool          // whether it has accented letters
	size     int           // number of letters
}

// readWord reads the word at start, and returns its end.
func (r *reader) readWord(start, end int) int {
	var w word
	i := start
	for i < end {
		c, width := rune(r.text[i]), 1
		if c >= utf8.RuneSelf {
			c, width = utf8.DecodeRuneInString(r.text[i:end])
		}
		if !isLetter(c) {
			break
		}
		if s := scriptOf(c); s != latinScript {
			if unicode.IsLetter(c) {
				r.evidence.addLetter(s, c)
				r.seeBulgarian(c, r.text[i+width:end])
			}
			if w.size > 0 {
				break
			}
			i += width
			continue
		}
		w.add(c, r.letters)
		i += width
	}
	if w.size > 0 {
		r.evidence.scripts[latinScript] += w.size
		r.judge(&w, start, i, end)
	}
	return max(i, start+1)
}

// seeBulgarian records a ъ that Russian would not write, since Russian has it only before
// an iotated vowel.
func (r *reader) seeBulgarian(c rune, after string) {
	if c != 'ъ' && c != 'Ъ' {
		return
	}
	switch next, _ := utf8.DecodeRuneInString(after); next {
	case 'е', 'ё', 'ю', 'я', 'Е', 'Ё', 'Ю', 'Я':
	default:
		r.evidence.hints |= bulgarian
	}
}

// add adds a letter to the word. languages maps each accented letter to the languages that have
// it.
func (w *word) add(c rune, languages map[rune]uint64) {
	if unicode.IsMark(c) {
		return // in a text that is not composed: the base letter follows
	}
	lower := unicode.ToLower(c)
	if lower != c {
		w.capitals++
		w.capital = w.capital || w.size == 0
	}
	w.size++
	if lower >= utf8.RuneSelf {
		if !w.accents {
			w.accents, w.letters = true, ^uint64(0)
		}
		w.letters &= languages[lower]
	}
	if n := utf8.RuneLen(lower); w.length+n > maxWord {
		w.long = true
		w.length = copy(w.lower[:], w.lower[n:w.length])
		for w.length > 0 && w.lower[0]&0xC0 == 0x80 { // within a letter
			w.length = copy(w.lower[:], w.lower[1:w.length])
		}
	}
	w.length += utf8.EncodeRune(w.lower[w.length:], lower)
}

// judge adds the evidence of the word from start to after, in a chunk that ends at end.
func (r *reader) judge(w *word, start, after, end int) {
	named, first := r.afterName, r.sentenceStart
	r.afterName, r.sentenceStart = w.capital, false
	if r.clitic(w, start, after, end) {
		return
	}
	r.evidence.words++
	found, known := r.vocabulary[string(w.lower[:w.length])]
	if w.capitals > 1 { // an acronym, or a word of SQL
		r.evidence.english += found.english
		return
	}
	if w.long {
		found, known = entry{}, false
	}
	languages := found.languages
	if w.capital && !first { // a name, except that German nouns are capitalized
		languages &= r.german
	}
	if named && found.particle && !w.capital && r.nextIsCapital(after) {
		r.afterName = true // a particle of a name
		return
	}
	r.weigh(w, found, languages, first, after < end && r.text[after] == '-')
	if r.quoted || w.capital && !first || found.english > 0 {
		return
	}
	if w.accents {
		r.evidence.addLetters(w.letters)
	}
	if !known {
		r.addEnding(w)
	}
}

// weigh adds the evidence of the word itself.
func (r *reader) weigh(w *word, found entry, languages uint64, first, joined bool) {
	factor := float32(1)
	if r.quoted {
		factor = quotedFactor
	}
	switch {
	case found.english == loanWeight:
		r.evidence.english += loanWeight
		r.evidence.addAll(languages, factor*loanWeight)
	case found.english > 0 && found.languages != 0:
		r.evidence.english += sharedWeight
		r.evidence.addAll(languages, factor*sharedWeight)
	case found.english > 0 && w.capital && !first && w.size > 1:
		r.evidence.english += nameWeight
	case found.english > 0:
		r.evidence.english += found.english
	case w.length == 1 || joined:
		r.evidence.addAll(languages, factor*oneLetter)
	default:
		r.evidence.addAll(languages, factor*grammarWeight)
	}
}

// addLetters adds the evidence of accented letters of a set of languages.
func (e *evidence) addLetters(languages uint64) {
	if bits.OnesCount64(languages) == 1 {
		e.addAll(languages, strongWeight)
		return
	}
	e.addAll(languages, letterWeight)
}

// minEndingSize is the minimum number of letters of a word whose ending is evidence.
const minEndingSize = 6

// addEnding adds the evidence of an unlisted word: its longest known ending, or else its
// beginning or a pair of letters.
func (r *reader) addEnding(w *word) {
	if w.size < minEndingSize {
		return
	}
	for n := min(maxEnding, w.length); n >= 2; n-- {
		if languages := r.endings[string(w.lower[w.length-n:w.length])]; languages != 0 {
			if n == 2 {
				r.evidence.addAll(languages, shortEnd)
			} else {
				r.evidence.addAll(languages, endWeight)
			}
			return
		}
	}
	for n := maxBeginning; n >= minBeginning; n-- {
		if languages := r.beginnings[string(w.lower[:n])]; languages != 0 {
			r.evidence.addAll(languages, endWeight)
			return
		}
	}
	for n := range w.length - 1 {
		if languages := r.pairs.of(w.lower[n], w.lower[n+1]); languages != 0 {
			r.evidence.addAll(languages, shortEnd)
			return
		}
	}
}

// clitic adds the evidence of an apostrophe before or after the word, and reports whether
// the word is only an elided article or a clitic.
func (r *reader) clitic(w *word, start, after, end int) bool {
	if width := apostrophe(r.text[after:end]); width > 0 && after+width < end && !isCapital(r.text[after+width]) {
		if r.elided[string(w.lower[:w.length])] && !isClitic(r.text[after+width:end]) {
			r.evidence.addAll(r.eliding, clisisWeight)
			return true
		}
	}
	if start > 0 && (r.text[start-1] == '\'' || strings.HasSuffix(r.text[:start], "’")) && isClitic(r.text[start:end]) {
		if start > 1 && !isSpace(r.text[start-2]) {
			r.evidence.english += clisisWeight
		}
		return true
	}
	return false
}

// apostrophe returns the length of the apostrophe that a text begins with, or 0.
func apostrophe(text string) int {
	switch {
	case strings.HasPrefix(text, "'"):
		return 1
	case strings.HasPrefix(text, "’"):
		return len("’")
	}
	return 0
}

// isClitic reports whether text begins with an English clitic: it's, don't, we're.
func isClitic(text string) bool {
	n := 0
	for n < len(text) && isSmall(text[n]) {
		n++
	}
	switch text[:n] {
	case "s", "t", "re", "ve", "ll", "m", "d":
		return true
	}
	return false
}

// nextIsCapital reports whether the next word after white space begins with a capital.
func (r *reader) nextIsCapital(after int) bool {
	rest := r.text[after:]
	if rest == "" || rest[0] != ' ' {
		return false
	}
	c, _ := utf8.DecodeRuneInString(rest[1:])
	if isSmall(byte(c)) && c < utf8.RuneSelf { // another particle: "de la Cruz"
		next := strings.IndexByte(rest[1:], ' ')
		return next > 0 && next <= 3 && r.nextIsCapital(after+1+next)
	}
	return unicode.IsUpper(c)
}
