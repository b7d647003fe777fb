package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"

	"mneme/lexical/language"
)

// Analysis adds the English stem of every Latin word as a term, whatever its language, so
// that a question and an entry match even if nothing guesses their language. A word of
// another language also has its stem in that language, as a variant of the word: "Häuser"
// is "hauser" and "~haus". An entry has the stems of one language, the one it seems to be
// in. A question looks for the stems of each language that it may be in. The count of a
// word in an entry is the largest count of the word and its stems. English texts have no
// variants, so that the hits of English questions do not depend on them.
//
// docs/decisions/0070-languages-of-words.md.

const (
	// stemMark begins a stem that is a variant of a word. No word has it.
	stemMark = '~'
	// endMark begins the reversed stem of a word that may be a compound: a prefix query
	// finds the end of the word.
	endMark = '<'
	// minCompound is the length of the shortest stem of a word that may be a compound, in
	// letters.
	minCompound = 8
)

// stemmer computes the stems of one language.
type stemmer struct {
	language string
	stem     func(env *snowballstem.Env) bool
	// compounds reports whether the language writes words together:
	// "Haftpflichtversicherung".
	compounds bool
	// kin are the languages for which a short text may be mistaken.
	kin string
}

// stemmers are the Snowball stemmers (snowballstem.org/algorithms) of languages in Latin
// script except English.
var stemmers = [...]stemmer{
	{language: "da", stem: danish.Stem, compounds: true, kin: "no sv"},
	{language: "de", stem: german.Stem, compounds: true},
	{language: "es", stem: spanish.Stem, kin: "pt"},
	{language: "fi", stem: finnish.Stem},
	{language: "fr", stem: french.Stem},
	{language: "hu", stem: hungarian.Stem},
	{language: "it", stem: italian.Stem},
	{language: "nl", stem: dutch.Stem, compounds: true},
	{language: "no", stem: norwegian.Stem, compounds: true, kin: "da sv"},
	{language: "pt", stem: portuguese.Stem, kin: "es"},
	{language: "ro", stem: romanian.Stem},
	{language: "sv", stem: swedish.Stem, compounds: true, kin: "da no"},
	{language: "tr", stem: turkish.Stem},
}

// stemmedAs maps languages without a stemmer to a language with similar endings.
var stemmedAs = map[string]string{"af": "nl", "ca": "es", "gl": "pt"}

// stemmerOf returns the index of a language's stemmer, or -1.
func stemmerOf(code string) int {
	if as, ok := stemmedAs[code]; ok {
		code = as
	}
	return slices.IndexFunc(stemmers[:], func(s stemmer) bool { return s.language == code })
}

// stemmersOf returns the indexes of the stemmers for the possible languages of a query:
// its own language and its kin, or all if the guess is not sure; none for English and
// other scripts.
func stemmersOf(query string) []int {
	guess := language.Of(query)
	own := stemmerOf(guess.Language)
	switch {
	case guess.Language == "en", guess.Sure && own < 0:
		return nil
	case guess.Sure:
		found := []int{own}
		for kin := range strings.FieldsSeq(stemmers[own].kin) {
			found = append(found, stemmerOf(kin))
		}
		return found
	}
	all := make([]int, len(stemmers))
	for i := range all {
		all[i] = i
	}
	return all
}

// The bits beside those of the stemmers. hebrewBit and arabicBit are for the stems of a script,
// whatever the language. nearBit is for the variants that addNear adds to a query's word.
const (
	nearBit   = 1 << 29
	hebrewBit = 30
	arabicBit = 31
)

// appendStem appends stemMark and the stem of a word, which is given as written and has no white
// space. It appends nothing if the word has no stem.
func (s *stemmer) appendStem(to []byte, written string) []byte {
	lower := plainWord(written)
	if n := utf8.RuneCountInString(lower); n <= 2 || len(lower) > MaxTermBytes {
		return to
	}
	env := snowballstem.NewEnv(lower)
	s.stem(env)
	to = append(to, stemMark)
	for _, r := range env.Current() {
		to = appendFolded(to, r)
	}
	return to
}

// plainWord returns the letters and digits of a word in lower case, without an elided
// article or a clitic.
func plainWord(written string) string {
	if i := strings.LastIndexAny(written, "'’ʼ"); i >= 0 {
		_, width := utf8.DecodeRuneInString(written[i:])
		if rest := written[i+width:]; len(rest) > 2 {
			written = rest
		} else {
			written = written[:i]
		}
	}
	return strings.Map(plainLetter, strings.ToLower(written))
}

// plainLetter drops runes that are no letter or digit, and replaces Romanian letters with
// a comma by those with a cedilla, which the stemmer expects.
func plainLetter(r rune) rune {
	switch {
	case r == 'ș':
		return 'ş'
	case r == 'ț':
		return 'ţ'
	case r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r):
		return -1
	}
	return r
}

// latinWord is a word of a text that may have a stem by a stemmer.
type latinWord struct {
	written string
	folded  []byte
	at      span
}

// addInflected adds the stem of a word by the stemmer with an index, and the reversed stem of a
// possible compound. Neither counts for a text's length.
func (a *analysis) addInflected(w latinWord, stemmer int) {
	s := &stemmers[stemmer]
	if stopWordLanguages[string(w.folded)]&stopWordBit(s.language) != 0 {
		return
	}
	a.inflected = s.appendStem(a.inflected[:0], w.written)
	a.addVariant(w.folded, a.inflected, w.at, 1<<stemmer)
	if a.asking {
		a.addNear(stemmer, w)
		return
	}
	if s.compounds && !a.visitOnly {
		a.addEnd(a.inflected)
	}
}

// addNear adds two variants of a query's word, the word as a stem and the stem of its
// stem: a stemmer may cut a singular further than the plural. The Dutch stems of "fiets"
// and "fietsen" are "fiet" and "fiets".
func (a *analysis) addNear(stemmer int, w latinWord) {
	if len(a.inflected) < 2 {
		return
	}
	again := stemmers[stemmer].appendStem(nil, string(a.inflected[1:]))
	a.addVariant(w.folded, again, w.at, 1<<stemmer|nearBit)
	a.addVariant(w.folded, append([]byte{stemMark}, w.folded...), w.at, 1<<stemmer|nearBit)
}

// addEnd adds the reversed stem of a possible compound.
func (a *analysis) addEnd(stem []byte) {
	if utf8.RuneCount(stem) <= minCompound || len(stem) > MaxTermBytes {
		return
	}
	a.count(reversed(stem))
}

// reversed returns a marked stem as a term that a prefix query finds by its end.
func reversed(stem []byte) []byte {
	letters := []rune(string(stem[1:]))
	slices.Reverse(letters)
	return append([]byte{endMark}, string(letters)...)
}

// addVariant adds a term as a variant of a word, if the query has a term of that word.
func (a *analysis) addVariant(folded, term []byte, at span, stemmers uint32) {
	if len(term) < 2 {
		return
	}
	term = truncate(term)
	if a.visit != nil {
		a.visit(term, at, sought)
	}
	if a.visitOnly {
		return
	}
	if !a.asking {
		a.count(term)
		return
	}
	if of, ok := a.index[string(truncate(a.stem(folded)))]; ok {
		a.addStem(term, of, stemmers)
	}
}

// stemVariant is a stem of a query's word.
type stemVariant struct {
	text     string
	of       int    // index of the word's term
	stemmers uint32 // bit set of the stemmers that return it
}

// addStem adds a stem as a variant of the query term with index of.
func (a *analysis) addStem(text []byte, of int, stemmers uint32) {
	for i := range a.stems {
		if s := &a.stems[i]; s.text == string(text) {
			near := s.stemmers & stemmers & nearBit
			s.stemmers = (s.stemmers|stemmers)&^nearBit | near
			return
		}
	}
	a.stems = append(a.stems, stemVariant{string(text), of, stemmers})
}

// scanField adds the terms of a field of an entry whose first field is in the language
// main. It returns the field's language, main if the field shows none.
func (a *analysis) scanField(text, main string) string {
	a.words, a.english = 0, 0
	start := a.position
	a.scan(text)
	switch {
	case a.words == 0 || main == "en" && a.words < minWords:
		return main
	case a.english*englishShare >= a.words && a.english > 0:
		return "en"
	}
	guess := language.Of(text)
	if guess.Language == "" {
		guess.Language = main
	}
	if s := stemmerOf(guess.Language); s >= 0 {
		a.inflect(text, start, s)
	}
	return guess.Language
}

// inflect adds the stems, by each of some stemmers, of a text that was scanned from a position.
func (a *analysis) inflect(text string, position int, by ...int) {
	if len(by) == 0 {
		return
	}
	end := a.position
	a.position, a.inflecting = position, true
	a.scan(text)
	a.position, a.inflecting = end, false
	for _, stemmer := range by {
		for _, w := range a.latin {
			a.addInflected(w, stemmer)
		}
	}
	clear(a.latin)
	a.latin = a.latin[:0]
}

// A text with one English function word in every englishShare words is English without
// further checks.
const englishShare = 10

// minWords is the minimum number of words of a further field that may be in another
// language than an English value.
const minWords = 4

// isEnglishGrammar reports whether a folded word is common in English and in no other
// language.
func isEnglishGrammar(folded []byte) bool {
	switch string(folded) {
	case "the", "of", "and", "with", "that", "this", "these", "they", "their", "she", "you", "your", "what", "who", "when", "how",
		"were", "been", "have", "did", "from", "which", "would", "his", "her", "him", "are", "not", "has", "it", "its", "my",
		"our", "about", "after", "because", "could", "does", "every", "into", "than", "there", "where":
		return true
	}
	return false
}

// isLatin reports whether a folded word has only Latin letters.
func isLatin(folded []byte) bool {
	for i := 0; i < len(folded); {
		r, width := rune(folded[i]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRune(folded[i:])
		}
		if r < 'a' || r > 'z' && (r < utf8.RuneSelf || !unicode.Is(unicode.Latin, r)) {
			return false
		}
		i += width
	}
	return len(folded) > 0
}

// addByScript adds the stem of a Hebrew or Arabic word as a variant.
func (a *analysis) addByScript(folded []byte, at span) {
	if len(folded) == 0 || folded[0] < utf8.RuneSelf || a.eachWord != nil {
		return
	}
	if bit := scriptBit(folded); bit > 0 {
		a.inflected = append(a.inflected[:0], stemBy(bit, folded, "")...)
		a.addVariant(folded, a.inflected, at, 1<<bit)
	}
}

// scriptBit returns the bit of the stems of a folded word's script; 0: none.
func scriptBit(folded []byte) int {
	switch first, _ := utf8.DecodeRune(folded); {
	case first >= 0x05D0 && first <= 0x05EA:
		return hebrewBit
	case first >= 0x0620 && first <= 0x06D3:
		return arabicBit
	}
	return 0
}

// stemBy returns the marked stem of a word by the stemmer of a bit; nothing if it has
// none.
func stemBy(bit int, folded []byte, written string) []byte {
	switch script := scriptBit(folded); {
	case script != 0 && script == bit:
		return append([]byte{stemMark}, bare(stem(slices.Clone(folded)), barePrefixes[bit])...)
	case script == 0 && bit < len(stemmers) && isLatin(folded):
		return stemmers[bit].appendStem(nil, written)
	}
	return nil
}

// minBare is the minimum length of the bare form of a Hebrew or Arabic word, in letters.
const minBare = 3

// barePrefixes are the letters of conjunctions, prepositions and the article that are
// written as a prefix of a word.
var barePrefixes = map[int]string{hebrewBit: "והבלמשכ", arabicBit: "وفبكلا"}

// bare returns a stem without the prefix letters that it begins with. It removes all of
// them, even those of the word itself, so that a word and the word with any prefix have
// the same bare form.
func bare(folded []byte, prefixes string) []byte {
	for n := utf8.RuneCount(folded); n > minBare; n-- {
		r, width := utf8.DecodeRune(folded)
		if !strings.ContainsRune(prefixes, r) {
			break
		}
		folded = folded[width:]
	}
	return folded
}
