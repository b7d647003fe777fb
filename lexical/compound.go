package lexical

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"mneme/lexical/language"
)

// German, Dutch and the Scandinavian languages write words together:
// "Haftpflichtversicherung". Analysis has no dictionary of their parts. It compares a
// query's word with the stems of the searched entries: a stem that begins or ends with the
// word is a compound of it, and a stem that the word begins or ends with is a part of it.
//
// docs/decisions/0070-languages-of-words.md.

const (
	// minPart is the length of the shortest part of a compound, and minRest the length of
	// the shortest remainder, in letters of their stems.
	minPart, minRest = 4, 3
	// minBeginRest is minRest for what remains after a part that begins the compound. It is
	// longer, since an ending that stemming leaves is no part.
	minBeginRest = 4
	// compoundShare is the weight of a compound or a part, relative to the word itself.
	compoundShare = 0.6
)

// MayCompound reports whether a query seems to be in a language that writes words
// together.
func MayCompound(query string) bool {
	s := stemmerOf(language.Of(query).Language)
	return s >= 0 && stemmers[s].compounds
}

// Compoundable returns those stems of a query's words that may have compounds or parts,
// made by the stemmers of languages that write words together.
func Compoundable(query []QueryTerm) (stems []QueryTerm) {
	for _, t := range query {
		if t.Variant && t.Share == stemShare && t.stemmers&compoundBits != 0 && t.stemmers&nearBit == 0 && utf8.RuneCountInString(t.Text) > minPart {
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

// EndPrefix returns the prefix by which words that end with the stem t are found: the stem
// reversed, since documents also have the stems of possible compounds reversed. Words that begin
// with the stem have the prefix t.Text.
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

// Parts returns the possible parts of t: the stems that t begins with and the stems that
// it ends with, the longest first.
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

// parts returns the stems of begin, the beginning of a compound, by the stemmers of t.
func (t QueryTerm) parts(begin string) (found []QueryTerm) {
	for rest := t.stemmers & compoundBits; rest != 0; rest &= rest - 1 {
		part := t.compound(string(stemmers[bits.TrailingZeros32(rest)].appendStem(nil, begin)))
		if !slices.ContainsFunc(found, func(p QueryTerm) bool { return p.Text == part.Text }) && len(part.Text) > 1 {
			found = append(found, part)
		}
	}
	return found
}

// compound returns text, a part or a compound of the word of t, as a variant of t.
func (t QueryTerm) compound(text string) QueryTerm {
	c := t
	c.Text, c.Share = string(truncate([]byte(text))), compoundShare
	c.Weight = float64(t.Weight * compoundShare)
	return c
}

// isPart reports whether letters may be a part of a compound: they include a vowel, and there
// are no fewer than least of them.
func isPart(letters string, least int) bool {
	return utf8.RuneCountInString(letters) >= least && strings.ContainsAny(letters, "aeiouy")
}
