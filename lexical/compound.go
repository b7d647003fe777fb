package lexical

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"mneme/lexical/language"
)

// German, Dutch and the Scandinavian languages write words together:
// "Haftpflichtversicherung". There is no dictionary of their parts. A word of a question
// is compared with the stems that the searched entries have: those that begin or end with
// it are compounds of it, and what it begins or ends with itself are its parts.
//
// docs/decisions/0070-languages-of-words.md.

const (
	// minPart is the length of the shortest part of a compound, and minRest that of what
	// is beside it, in letters of their stems.
	minPart, minRest = 4, 3
	// minBeginRest is minRest of what follows a part: endings that stemming leaves are
	// no part.
	minBeginRest = 4
	// compoundShare is what a compound or a part counts, compared with the word itself.
	compoundShare = 0.6
)

// MayCompound reports whether a query seems to be in a language that writes words
// together.
func MayCompound(query string) bool {
	s := stemmerOf(language.Of(query).Language)
	return s >= 0 && stemmers[s].compounds
}

// Compoundable returns the stems of a query's words, by the stemmers of languages that
// write words together, of words that may be or have parts.
func Compoundable(query []QueryTerm) (stems []QueryTerm) {
	for _, t := range query {
		if t.Beside && t.Share == stemShare && t.stemmers&compoundBits != 0 && t.stemmers&nearBit == 0 && utf8.RuneCountInString(t.Text) > minPart {
			stems = append(stems, t)
		}
	}
	return stems
}

// compoundBits are the bits of stemmers of languages that write words together.
var compoundBits = func() (set uint32) {
	for i, s := range stemmers {
		if s.compounds {
			set |= 1 << i
		}
	}
	return set
}()

// EndPrefix returns the prefix of the terms, from their end, of words that end with the
// stem t. Those that begin with it have the prefix t.Text.
func (t QueryTerm) EndPrefix() string { return string(reversed([]byte(t.Text))) }

// BeginningWith returns the compounds of t among terms with the prefix t.Text.
func (t QueryTerm) BeginningWith(terms []string) (found []QueryTerm) {
	for _, text := range terms {
		if isPart(text[len(t.Text):], minBeginRest) {
			found = append(found, t.compound(text))
		}
	}
	return found
}

// EndingWith returns the compounds of t among terms with the prefix EndPrefix.
func (t QueryTerm) EndingWith(terms []string) (found []QueryTerm) {
	for _, text := range terms {
		whole := reversed([]byte(text))
		whole[0] = stemMark
		if isPart(string(whole[1:len(whole)-len(t.Text)+1]), minRest) {
			found = append(found, t.compound(string(whole)))
		}
	}
	return found
}

// Parts returns what t may be made of: the stems of what it begins with, and of what it
// ends with, the longest first.
func (t QueryTerm) Parts() (begins, ends []QueryTerm) {
	stem := t.Text[1:]
	for i := range stem {
		before, after := stem[:i], stem[i:]
		if isPart(before, minPart) && isPart(after, minRest) {
			begins = append(begins, t.parts(before)...)
		}
		if isPart(after, minPart) && isPart(before, minRest) {
			ends = append(ends, t.compound(string(stemMark)+after))
		}
	}
	slices.Reverse(begins)
	return begins, ends
}

// parts returns the stems of what a compound begins with.
func (t QueryTerm) parts(begin string) (found []QueryTerm) {
	for rest := t.stemmers & compoundBits; rest != 0; rest &= rest - 1 {
		part := t.compound(string(stemmers[bits.TrailingZeros32(rest)].appendStem(nil, begin)))
		if !slices.ContainsFunc(found, func(p QueryTerm) bool { return p.Text == part.Text }) && len(part.Text) > 1 {
			found = append(found, part)
		}
	}
	return found
}

// compound returns a term beside the word of t, of which that is a part or which is a
// part of it.
func (t QueryTerm) compound(text string) QueryTerm {
	c := t
	c.Text, c.Share = string(truncate([]byte(text))), compoundShare
	c.Weight = float64(t.Weight * compoundShare)
	return c
}

// isPart reports whether letters may be a part of a compound: so many at least, with a
// vowel.
func isPart(letters string, least int) bool {
	return utf8.RuneCountInString(letters) >= least && strings.ContainsAny(letters, "aeiouy")
}
