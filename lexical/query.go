package lexical

import (
	"slices"
	"strings"
)

// MaxQueryTerms is the maximum number of distinct terms in a query. The first terms of a
// longer query are used.
const MaxQueryTerms = 256

// QueryTerm is one distinct token of a query.
type QueryTerm struct {
	Text   string
	Weight float64 // number of occurrences in the query
	Role   Role
	// Part reports whether the term is one group of a number or code that is a term as
	// well.
	Part bool
	// Word is the folded word, if it may be a typing error (MayBeTypo) and is not part of
	// a compound.
	Word string
	// For is another term of the query: the one that this term replaces, because no document has
	// it and its word may be a typing error, or if Variant is set, the one that this term is a
	// variant of; "": none. This term has a share of its weight.
	For   string
	Share float64 // 0–1, for a term with For
	// Variant reports whether the term is a variant of For: a stem or a compound of its word.
	// A document may have both; the larger count of them is used.
	Variant bool

	stemmers uint32 // bit set of the stemmers that return the term, if Variant is set
}

// Instead returns a term that replaces t, whose word may be a typing error of it.
func (t QueryTerm) Instead(text string, share float64) QueryTerm {
	return QueryTerm{Text: text, Weight: float64(share * t.Weight), Role: t.Role, For: t.Text, Share: share}
}

// ParseQuery returns the distinct terms of a query, at most MaxQueryTerms, sorted by Text
// in byte order. A query without words has no terms. Every term is one that Analyze
// returns for the same text, except joined numbers and codes, whose letters may be of any
// case in a query. There are no operators: quotes, punctuation and brackets only separate
// words.
//
// Stop words ("when did the …") are left out unless the query has no other
// words.
//
// The stems of a word that is not English are variants of it (see Variant).
func ParseQuery(query string) []QueryTerm {
	a := newAnalysis()
	defer a.release()
	a.mode, a.asking, a.voting = countStopWords, true, true
	a.scan(query)
	a.language = a.detectLanguage()
	a.mode, a.voting = dropStopWords, false
	a.scan(query)
	a.inflect(query, 0, stemmersOf(query)...)
	if len(a.order) == 0 {
		a.mode = countStopWords
		a.scan(query)
	}
	kept := min(len(a.order), MaxQueryTerms)
	terms := make([]QueryTerm, 0, kept)
	for i, text := range a.order[:kept] {
		terms = append(terms, QueryTerm{Text: text, Weight: float64(a.counts[i]), Role: a.roles[i], Part: a.inPart[i], Word: a.written[i]})
	}
	for _, s := range a.stems {
		if s.of < kept && len(terms) < MaxQueryTerms {
			terms = append(terms, terms[s.of].variant(s.text, stemShare, s.stemmers))
		}
	}
	slices.SortFunc(terms, func(x, y QueryTerm) int { return strings.Compare(x.Text, y.Text) })
	return terms
}

// stemShare is the weight of a stem, relative to the word itself.
const stemShare = 1

// variant returns a variant of t that stemmers make of its word.
func (t QueryTerm) variant(text string, share float64, stemmers uint32) QueryTerm {
	t = t.Instead(text, share)
	t.Variant, t.stemmers = true, stemmers
	return t
}
