package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"mneme/lexical"
	"mneme/memory"
)

// In languages that write words together, a word of the question finds its compounds, and a
// compound finds its parts. The search looks them up among the stems of the searched entries.
// These constants bound the cost. docs/decisions/0070-languages-of-words.md.
const (
	// maxCompoundStems is how many stems of a wording are looked up. maxCompounds is how
	// many compounds are added for each stem that begins a word, and for each that ends one.
	maxCompoundStems, maxCompounds = 12, 16
	// maxCompoundTerms bounds the terms that begin or end with a stem. A stem with more is
	// not a part of a compound.
	maxCompoundTerms = 500
)

// compounding finds the compounds and parts of a wording's words.
type compounding struct {
	q   *searchQuery
	tx  memory.LexicalLeg
	now time.Time
}

// join adds the compounds and parts of a wording's words that occur in entries. It does so
// once for each wording.
func (c compounding) join(ctx context.Context, asked *resolved) error {
	if asked.joined || !lexical.MayCompound(asked.text) {
		return nil
	}
	asked.joined = true
	stems := lexical.Compoundable(asked.terms)
	stems = stems[:min(len(stems), maxCompoundStems)]
	for _, stem := range stems {
		found, err := c.compounds(ctx, stem)
		if err != nil {
			return err
		}
		asked.addTerms(found)
	}
	parts, err := c.parts(ctx, stems)
	if err != nil {
		return err
	}
	asked.addTerms(parts)
	return nil
}

// compounds returns the terms of words that begin or end with a stem.
func (c compounding) compounds(ctx context.Context, stem lexical.QueryTerm) (found []lexical.QueryTerm, err error) {
	for _, side := range [...]struct {
		prefix string
		of     func(terms []string) []lexical.QueryTerm
	}{{stem.EndPrefix(), stem.EndingWith}, {stem.Text, stem.BeginningWith}} {
		terms, more, err := c.tx.Terms(ctx, c.q.scope, memory.TermQuery{Prefix: side.prefix, Now: c.now, Limit: maxCompoundTerms})
		if err != nil {
			return nil, err
		}
		if more {
			continue
		}
		compounds := side.of(terms)
		found = append(found, compounds[:min(len(compounds), maxCompounds)]...)
	}
	return found, nil
}

// parts returns, for each stem, the longest indexed term that it begins with and the longest
// that it ends with.
func (c compounding) parts(ctx context.Context, stems []lexical.QueryTerm) (found []lexical.QueryTerm, err error) {
	var sides [][]lexical.QueryTerm
	var all []lexical.QueryTerm
	for _, stem := range stems {
		begins, ends := stem.Parts()
		sides = append(sides, begins, ends)
		all = slices.Concat(all, begins, ends)
	}
	if len(all) == 0 {
		return nil, nil
	}
	slices.SortFunc(all, func(a, b lexical.QueryTerm) int { return strings.Compare(a.Text, b.Text) })
	all = slices.CompactFunc(all, func(a, b lexical.QueryTerm) bool { return a.Text == b.Text })
	query := make([]lexical.QueryTerm, len(all))
	for i, term := range all {
		query[i] = lexical.QueryTerm{Text: term.Text, Weight: 1}
	}
	_, scorer, err := c.tx.Lexical(ctx, c.q.scope, memory.LexicalQuery{Terms: query, Now: c.now})
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for i, term := range query {
		known[term.Text] = scorer.Known(i)
	}
	for _, side := range sides {
		if i := slices.IndexFunc(side, func(t lexical.QueryTerm) bool { return known[t.Text] }); i >= 0 {
			found = append(found, side[i])
		}
	}
	return found, nil
}

// addTerms adds the terms that the wording lacks, up to lexical.MaxQueryTerms in all.
func (w *resolved) addTerms(terms []lexical.QueryTerm) {
	for _, term := range terms {
		i, exists := slices.BinarySearchFunc(w.terms, term.Text, func(t lexical.QueryTerm, text string) int { return strings.Compare(t.Text, text) })
		if !exists && len(w.terms) < lexical.MaxQueryTerms {
			w.terms = slices.Insert(w.terms, i, term)
		}
	}
}
