package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// A word of a question that no entry of the scope has may be a typing error of one that
// they have. What it costs is bounded by these. docs/decisions/0062-typos.md.
const (
	// maxTypoWords is how many words of a wording are corrected, and maxCorrections how
	// many terms are looked for in place of each.
	maxTypoWords, maxCorrections = 4, 6
	// maxProbes is how many terms are looked up for a wording, each in every store.
	maxProbes = 50_000
	// maxVocabulary is how many terms are read for a word with two wrong letters: those
	// that begin as it does. Where there are more, longer beginnings are tried, of up to
	// maxBeginning letters.
	maxVocabulary, maxBeginning = 3000, 4
	// typoShare and twoTyposShare are what a term with one or two other letters counts,
	// compared with the word itself.
	typoShare, twoTyposShare = 0.8, 0.6
)

// Typo is a word of a question that no entry has, and the terms that were looked for in
// its place.
type Typo struct {
	Word  string // folded
	Found []string
}

// correction finds the terms in place of a wording's words.
type correction struct {
	q   *searchQuery
	tx  memory.LexicalLeg
	fit FitTokens
	now time.Time
}

// correct adds to a wording, once, the terms that entries have in place of its words that
// none has, and reports whether there are any.
func (c correction) correct(ctx context.Context, asked *resolved) (bool, error) {
	if asked.corrected || c.q.request.NoTypos {
		return false, nil
	}
	asked.corrected = true
	unknown := c.unknown(asked)
	if len(unknown) == 0 {
		return false, nil
	}
	near, err := c.oneTypo(ctx, asked, unknown)
	if err != nil {
		return false, err
	}
	for i, term := range unknown {
		share := typoShare
		if len(near[i]) == 0 && lexical.MaxTypos(term.Word) > 1 {
			share = twoTyposShare
			if near[i], err = c.twoTypos(ctx, asked, term); err != nil {
				return false, err
			}
		}
		if len(near[i]) > 0 {
			asked.add(term, near[i], share)
			c.rewrite(asked, term, near[i])
		}
	}
	return len(asked.typos) > 0, nil
}

// unknown returns the terms of words that no entry has and that may be typing errors. A
// word of one token is in the dictionary of the model, and none, unless it is all of the
// question; nor is one that is such a word but for an English ending.
func (c correction) unknown(w *resolved) (terms []lexical.QueryTerm) {
	if w.chatter {
		return nil
	}
	alone := len(slices.DeleteFunc(slices.Clone(w.terms), func(t lexical.QueryTerm) bool { return t.Beside })) == 1
	for i, term := range w.terms {
		if term.Word == "" || w.scorer.Known(i) || len(terms) == maxTypoWords {
			continue
		}
		switch isWord := c.isWord(term.Word); {
		case isWord && (!alone || term.Role == lexical.Name):
		case !isWord && c.isInflected(term.Word):
		default:
			terms = append(terms, term)
		}
	}
	return terms
}

// isWord reports whether the model's dictionary has a word.
func (c correction) isWord(word string) bool {
	tokens, _ := c.fit(word, len(word))
	return tokens == 1
}

// inflections are the English endings of words that are in the dictionary without them.
var inflections = []string{"s", "es", "ed", "er", "est", "ing", "ly"}

// minInflected is the length of the shortest word that is looked for without its ending.
const minInflected = 3

// isInflected reports whether a word is one of the dictionary with an English ending, as
// specks and fatter are.
func (c correction) isInflected(word string) bool {
	for _, ending := range inflections {
		base, ok := strings.CutSuffix(word, ending)
		n := len(base)
		if !ok || n < minInflected {
			continue
		}
		if c.isWord(base) || c.isWord(base+"e") || n > minInflected && base[n-1] == base[n-2] && c.isWord(base[:n-1]) {
			return true
		}
	}
	return false
}

// add adds terms in place of another.
func (w *resolved) add(of lexical.QueryTerm, near []lexical.Correction, share float64) {
	typo := Typo{Word: of.Word}
	for _, c := range near {
		typo.Found = append(typo.Found, c.Term)
		i, exists := slices.BinarySearchFunc(w.terms, c.Term, func(t lexical.QueryTerm, text string) int { return strings.Compare(t.Text, text) })
		if !exists {
			w.terms = slices.Insert(w.terms, i, of.Instead(c.Term, share))
		}
	}
	w.typos = append(w.typos, typo)
}

// rewrite replaces a word in what the wording is embedded as, if there is one correction
// of it alone, which is in the model's dictionary and no other ending of the same word.
func (c correction) rewrite(w *resolved, of lexical.QueryTerm, near []lexical.Correction) {
	word := near[0].Word
	if tokens, _ := c.fit(word, len(word)); len(near) > 1 || tokens > 1 || otherEnding(of.Word, word) {
		return
	}
	text := cmp.Or(w.rewritten, w.text)
	var rewritten strings.Builder
	end := 0
	lexical.NewFinder([]lexical.QueryTerm{of}).Find(text, func(_, start, stop int) {
		if start >= end {
			rewritten.WriteString(text[end:start] + word)
			end = stop
		}
	})
	w.rewritten = rewritten.String() + text[end:]
}

// otherEnding reports whether two words differ in their last letter, as the forms of one
// word do.
func otherEnding(a, b string) bool { return a[len(a)-1] != b[len(b)-1] }

// oneTypo returns, for each word of a wording, the terms that entries have of words with one
// other letter, the commonest first. Hardly anybody errs in the first letter but by
// exchanging it with the next.
func (c correction) oneTypo(ctx context.Context, asked *resolved, unknown []lexical.QueryTerm) ([][]lexical.Correction, error) {
	of := make([][]lexical.Correction, len(unknown))
	var all []string
	for i, term := range unknown {
		of[i] = lexical.Corrections(term.Word)
		if (len(all)+len(of[i]))*c.q.scope.Len() > maxProbes {
			of[i] = nil
		}
		for _, correction := range of[i] {
			all = append(all, correction.Term)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	query := make([]lexical.QueryTerm, len(all))
	for i, text := range all {
		query[i] = lexical.QueryTerm{Text: text, Weight: 1}
	}
	_, scorer, err := c.tx.Lexical(ctx, c.q.scope, memory.LexicalQuery{Terms: query, Now: c.now})
	if err != nil {
		return nil, err
	}
	weight := make(map[string]float64)
	for i, text := range all {
		if scorer.Known(i) {
			weight[text] = scorer.Weight(i)
		}
	}
	near := make([][]lexical.Correction, len(unknown))
	for i, term := range unknown {
		near[i] = c.best(asked, term.Word, of[i], weight)
	}
	return near, nil
}

// best returns the corrections whose terms have a weight, one for each term: that of which
// the model knows most.
func (c correction) best(asked *resolved, word string, all []lexical.Correction, weight map[string]float64) []lexical.Correction {
	tokens := func(x lexical.Correction) int {
		n, _ := c.fit(x.Word, len(x.Word))
		return n
	}
	known := slices.DeleteFunc(all, func(x lexical.Correction) bool {
		return weight[x.Term] == 0 || !c.mayBeMeant(asked, word, x.Word)
	})
	slices.SortFunc(known, func(a, b lexical.Correction) int {
		return cmp.Or(cmp.Compare(weight[a.Term], weight[b.Term]),
			strings.Compare(a.Term, b.Term), cmp.Compare(tokens(a), tokens(b)), strings.Compare(a.Word, b.Word))
	})
	known = slices.CompactFunc(known, func(a, b lexical.Correction) bool { return a.Term == b.Term })
	return known[:min(len(known), maxCorrections)]
}

// mayBeMeant reports whether a word of a wording may be a typing error of another: both
// begin alike, but for two letters in the wrong order, and the other is no English word
// where the wording is in another language.
func (c correction) mayBeMeant(asked *resolved, word, other string) bool {
	if first, _ := utf8.DecodeRuneInString(word); !strings.HasPrefix(other, string(first)) {
		second, _ := utf8.DecodeRuneInString(word[utf8.RuneLen(first):])
		if !strings.HasPrefix(other, string(second)+string(first)) {
			return false
		}
	}
	return asked.language == "" || asked.language == english || !c.isWord(other)
}

// twoTypos returns the terms that entries have of words which begin as a word does and
// have two other letters at most, the nearest first.
func (c correction) twoTypos(ctx context.Context, asked *resolved, of lexical.QueryTerm) (near []lexical.Correction, err error) {
	letters := []rune(of.Word)
	for n := 1; n <= maxBeginning; n++ {
		terms, more, err := c.tx.Terms(ctx, c.q.scope, memory.TermQuery{Prefix: string(letters[:n]), Now: c.now, Limit: maxVocabulary})
		if err != nil {
			return nil, err
		}
		if more {
			continue
		}
		for _, text := range terms {
			if lexical.Typos(of.Word, text, 2) <= 2 && c.mayBeMeant(asked, of.Word, text) {
				near = append(near, lexical.Correction{Term: text, Word: text})
			}
		}
		slices.SortStableFunc(near, func(a, b lexical.Correction) int {
			return cmp.Compare(lexical.Typos(of.Word, a.Term, 2), lexical.Typos(of.Word, b.Term, 2))
		})
		return near[:min(len(near), maxCorrections)], nil
	}
	return c.twoTyposOfEach(ctx, of)
}

// maxVocabularies is how many stores twoTyposOfEach reads the terms of, one by one.
const maxVocabularies = 16

// twoTyposOfEach is twoTypos where the stores together have too many terms: without those
// that have too many by themselves, so that no store keeps the words of others from being
// corrected.
func (c correction) twoTyposOfEach(ctx context.Context, of lexical.QueryTerm) (near []lexical.Correction, err error) {
	stores := c.q.scope.Indexed()
	// What others gave is read last.
	slices.SortStableFunc(stores, func(a, b acl.Access) int { return cmp.Compare(rankOf(a.Via), rankOf(b.Via)) })
	beginning := string([]rune(of.Word)[:maxBeginning])
	for _, a := range stores[:min(len(stores), maxVocabularies)] {
		terms, more, err := c.tx.Terms(ctx, ofStore(c.q.scope, a.Store), memory.TermQuery{Prefix: beginning, Now: c.now, Limit: maxVocabulary})
		if err != nil {
			return nil, err
		}
		for _, text := range terms {
			if !more && lexical.Typos(of.Word, text, 2) <= 2 {
				near = append(near, lexical.Correction{Term: text, Word: text})
			}
		}
	}
	slices.SortFunc(near, func(a, b lexical.Correction) int {
		return cmp.Or(cmp.Compare(lexical.Typos(of.Word, a.Term, 2), lexical.Typos(of.Word, b.Term, 2)), strings.Compare(a.Term, b.Term))
	})
	near = slices.CompactFunc(near, func(a, b lexical.Correction) bool { return a.Term == b.Term })
	return near[:min(len(near), maxCorrections)], nil
}

// rankOf is less for stores that the caller has by itself.
func rankOf(via acl.Via) int {
	if via == acl.ViaGrant {
		return 1
	}
	return 0
}
