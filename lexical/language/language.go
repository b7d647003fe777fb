// Package language guesses the language of a text, and reports whether the text is surely
// not English, so that an English model or dictionary cannot read it.
//
// # How
//
// Scripts come first: if most letters of a text are not Latin, its script gives the
// language; languages that share a script differ by letters that only one of them has
// (kana, ї, ے). For a Latin text the words decide. The package lists some two hundred
// words of each language: function words and words of everyday notes. A word of a language
// counts for it, an accented letter or a typical ending counts a little, and English words
// count against all.
//
// Likely names and code do not count: words next to digits, underscores or slashes,
// camelCase words, and particles between capitalized words ("Rio de Janeiro"). A text is
// foreign only if it has words of another language: unknown words are no evidence.
//
// The rules, weights and bounds are our own. docs/decisions/0070-languages-of-words.md
// names the texts on which they were measured.
package language

import "math/bits"

// How much of a text is read, in bytes: for a guess, which more text would not change, and
// for a sure result of English, which needs some forty words.
const (
	maxRead     = 8192
	englishRead = 256
)

const (
	// sureScore is the minimum evidence for a sure language.
	sureScore = 1.5
	// loneScore is enough in a text of at least loneWords words, none of them English.
	loneScore = 1
	loneWords = 3
	// codeWeight is how much more evidence each code-like word requires, since names in code are
	// short and some are words of a language; maxCode bounds this additional evidence.
	codeWeight = 0.2
	maxCode    = 2
	// likelyScore is the minimum evidence for a guess: one ending.
	likelyScore = 0.4
	// sureRatio is the minimum ratio of a language's evidence to that of English.
	sureRatio = 1.5
)

// Guess is the result of reading the words of a text.
type Guess struct {
	// Language is the code of ISO 639-1 (of Filipino "tl"), "" if no word is evidence of a
	// language.
	Language string
	// Sure reports whether there is enough evidence that the text is not English or, if Language
	// is "en", that it is.
	Sure bool
}

// Of guesses the language of a text. It reads the first 8 KiB.
func Of(text string) Guess {
	e := read(text)
	if code, ok := e.byScript(); ok {
		return Guess{code, true}
	}
	best, score := e.bestLatin()
	switch {
	case e.isForeign(score):
		return Guess{latin[best].code, true}
	case score > e.english && score >= likelyScore:
		return Guess{latin[best].code, false}
	case e.english > 0:
		return Guess{"en", e.english >= sureScore}
	}
	return Guess{}
}

// Foreign reports whether a text is surely not English: it is in another script, or has
// clearly more words of another language than of English. An English text with a quotation
// is not foreign; a text in another language with English terms or code is. Notes of one
// or two Latin words, names and code are never sure: false.
func Foreign(text string) bool {
	e := read(text)
	if _, ok := e.byScript(); ok {
		return true
	}
	_, score := e.bestLatin()
	return e.isForeign(score)
}

// English reports whether a text is surely English, by the words of its first 256 bytes. A
// text that is neither English nor Foreign, such as names, numbers and code, is not.
func English(text string) bool {
	guess := Of(cut(text, englishRead))
	return guess.Language == "en" && guess.Sure
}

// bestLatin returns the language in Latin script with the most evidence.
func (e *evidence) bestLatin() (best int, score float32) {
	for i, s := range e.latin[:len(latin)] {
		if s > score {
			best, score = i, s
		}
	}
	return best, score
}

func (e *evidence) isForeign(score float32) bool {
	against := min(codeWeight*float32(e.code), maxCode)
	if e.english == 0 && e.words >= loneWords {
		return score >= loneScore+against
	}
	return score >= sureScore+against && score > sureRatio*e.english
}

// evidence is the result of reading a text.
type evidence struct {
	scripts [scriptCount]int // letters, weighted, by script
	hints   hint             // letters that distinguish languages of a script
	latin   [len(latin)]float32
	english float32
	words   int // number of Latin words, without code
	code    int // number of code-like words
}

// addAll adds evidence for a set of languages, as bits of latin.
func (e *evidence) addAll(languages uint64, weight float32) {
	for ; languages != 0; languages &= languages - 1 {
		e.latin[bits.TrailingZeros64(languages)] += weight
	}
}
