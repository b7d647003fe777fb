package lexical

import (
	"slices"
	"strings"
)

// MaxQueryTerms bounds the distinct terms of a question. A question of more
// keeps those that come first.
const MaxQueryTerms = 256

// QueryTerm is a distinct token of a question.
type QueryTerm struct {
	Text   string
	Weight float64 // how often the question says it
}

// ParseQuery gives the terms of a question, sorted by Text in byte order,
// distinct, at most MaxQueryTerms; none for a question without words. Every
// term is one that Analyze gives for the same text. Nothing in a question is
// an operator: quotes, signs and brackets only separate words.
//
// Function words ("when did the …") are left out, unless there is nothing
// else.
func ParseQuery(question string) []QueryTerm {
	a := borrow()
	defer a.giveBack()
	a.pass = voting
	a.scan(question)
	a.language = a.elected()
	a.forget()
	a.pass = dropping
	a.scan(question)
	if len(a.order) == 0 {
		a.pass = voting
		a.scan(question)
	}
	kept := min(len(a.order), MaxQueryTerms)
	terms := make([]QueryTerm, 0, kept)
	for i, text := range a.order[:kept] {
		terms = append(terms, QueryTerm{Text: text, Weight: float64(a.counts[i])})
	}
	slices.SortFunc(terms, func(x, y QueryTerm) int { return strings.Compare(x.Text, y.Text) })
	return terms
}
