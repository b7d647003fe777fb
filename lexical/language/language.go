// Package language guesses the language of a text, and says whether it is surely not
// English, so that a model or a dictionary of English cannot read it.
//
// # How
//
// Scripts come first: a text most of whose letters are not Latin has the language of its
// script, told apart by the letters that only one of them has (kana, ї, ے). A Latin text is
// judged by its words. Each language has some two hundred: those that carry its grammar,
// and those of everyday notes. A word of a language counts for it, an accented letter or
// an ending that it uses counts a little, and the words of English count against all.
//
// What is likely a name or code is left out: words beside digits, underscores, slashes
// and the like, words in camelCase, and particles between capitalized words ("Rio de
// Janeiro"). So a text needs words of another language to be foreign: that nobody knows
// its words says nothing.
//
// The rules, weights and bounds are our own, and were measured on the texts that
// docs/decisions/0070-languages-of-words.md names.
package language

import "math/bits"

// How much of a text is read, in bytes: for a guess, which more would not change, and to be
// sure of English, of which some forty words tell.
const (
	maxRead     = 8192
	englishRead = 256
)

const (
	// sureScore is the least evidence of a language that is sure.
	sureScore = 1.5
	// loneScore is enough in a text of at least loneWords words, none of them English.
	loneScore = 1
	loneWords = 3
	// codeWeight is how much more evidence each piece of code asks for: its names are
	// short, and some are words somewhere; and how much at most.
	codeWeight = 0.2
	maxCode    = 2
	// likelyScore is the least evidence of a language that is guessed: an ending.
	likelyScore = 0.4
	// sureRatio is how much more evidence a language must have than English.
	sureRatio = 1.5
)

// Guess is what the words of a text say about its language.
type Guess struct {
	// Language is the code of ISO 639-1 (of Filipino "tl"), "" if the text has no word
	// that says anything.
	Language string
	// Sure reports whether there is enough evidence against English, or for it.
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
// clearly more words of another language than of English. An English text with a
// quotation is not foreign, a text in another language with English terms or code is. Of
// a note of one or two Latin words, and of names and code, nothing is sure: false.
func Foreign(text string) bool {
	e := read(text)
	if _, ok := e.byScript(); ok {
		return true
	}
	_, score := e.bestLatin()
	return e.isForeign(score)
}

// English reports whether a text is surely English, by the words of its first 256 bytes. Of
// one that is neither English nor Foreign, such as names, numbers and code, nothing is sure.
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

// evidence is what was read of a text.
type evidence struct {
	scripts [scriptCount]int // letters, weighted, by script
	hints   hint             // letters that tell languages of a script apart
	latin   [len(latin)]float32
	english float32
	words   int // Latin words, without code
	code    int // pieces of code
}

// addAll adds evidence for a set of languages, as bits of latin.
func (e *evidence) addAll(languages uint64, weight float32) {
	for ; languages != 0; languages &= languages - 1 {
		e.latin[bits.TrailingZeros64(languages)] += weight
	}
}
