package lexical

import (
	"slices"
	"strings"
)

// MaxQueryTerms is the largest number of distinct terms in a query. Of a longer
// query, those that occur first are kept.
const MaxQueryTerms = 256

// QueryTerm is one distinct token of a query.
type QueryTerm struct {
	Text   string
	Weight float64 // number of occurrences in the query
	Role   Role
	// Part says that it is one of the groups of a number or code, which is a term as well.
	Part bool
	// Word is the word, folded, if it may be a typing error (MayBeTypo) and is not part of
	// a compound.
	Word string
	// For is the term of the query in place of which this one is looked for with a share
	// of its weight: no document has it, since its word may be a typing error; "": none.
	For   string
	Share float64 // 0–1, of a term with For
	// Beside says that a document may have the term of For as well, of which this is a
	// stem or a compound: what counts is whichever it has most.
	Beside bool

	stemmers uint32 // that make it of a word, of a term with Beside: bits
}

// Instead returns a term in place of t, whose word may be a typing error of it.
func (t QueryTerm) Instead(text string, share float64) QueryTerm {
	return QueryTerm{Text: text, Weight: float64(share * t.Weight), Role: t.Role, For: t.Text, Share: share}
}

// ParseQuery returns the distinct terms of a query, at most MaxQueryTerms,
// sorted by Text in byte order. A query without words has none. Every term is
// one that Analyze returns for the same text, but for numbers and codes in one piece, of
// which a query's letters may be of any case. There are no operators: quotes,
// punctuation and brackets only separate words.
//
// Stop words ("when did the …") are left out unless the query has no other
// words.
//
// A word that is not English has its stems as further terms (Beside).
func ParseQuery(query string) []QueryTerm {
	a := newAnalysis()
	defer a.release()
	a.mode, a.asking, a.voting = countStopWords, true, true
	a.scan(query)
	a.language = a.detectLanguage()
	a.mode, a.voting = dropStopWords, false
	a.scan(query)
	for _, s := range stemmersOf(query) {
		a.inflect(query, 0, s)
	}
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
			terms = append(terms, terms[s.of].beside(s.text, stemShare, s.stemmers))
		}
	}
	slices.SortFunc(terms, func(x, y QueryTerm) int { return strings.Compare(x.Text, y.Text) })
	return terms
}

// stemShare is what a stem counts, compared with the word itself.
const stemShare = 1

// beside returns a term beside t, which stemmers make of its word.
func (t QueryTerm) beside(text string, share float64, stemmers uint32) QueryTerm {
	t = t.Instead(text, share)
	t.Beside, t.stemmers = true, stemmers
	return t
}
