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

// A word of a question that no entry of the scope has may be a misspelling of a word that
// some have. These constants bound the cost of correction. docs/decisions/0062-typos.md.
const (
	// maxTypoWords bounds the words of a wording that are corrected, and maxCorrections the
	// terms that replace each of them.
	maxTypoWords, maxCorrections = 4, 6
	// maxProbes bounds the lookups for a wording: its possible terms times the stores.
	maxProbes = 50_000
	// maxVocabulary bounds the terms that are read to correct a word with two wrong letters:
	// those with the same prefix. If there are more, longer prefixes are tried, of up to
	// maxPrefix letters.
	maxVocabulary, maxPrefix = 3000, 4
	// typoShare and twoTyposShare are the weights of terms with one and two wrong letters,
	// relative to the word itself.
	typoShare, twoTyposShare = 0.8, 0.6
)

// Typo is a word of a question that no entry has, with the terms that replaced it in the
// search.
type Typo struct {
	Word  string // folded
	Found []string
}

// correction finds corrections of a wording's words.
type correction struct {
	q   *searchQuery
	tx  memory.LexicalLeg
	fit FitTokens
	now time.Time
}

// correct adds corrections of a wording's unknown words, once for each wording, and reports
// whether there are any.
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

// unknown returns the terms of words that no entry has and that may be typing errors. A word
// of one token is in the model's dictionary and is not considered an error, unless it is the
// whole question. Nor is a dictionary word with an English ending.
func (c correction) unknown(w *resolved) (terms []lexical.QueryTerm) {
	if w.chatter {
		return nil
	}
	alone := len(slices.DeleteFunc(slices.Clone(w.terms), func(t lexical.QueryTerm) bool { return t.Variant })) == 1
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

// inflections are English endings that may follow a dictionary word.
var inflections = []string{"s", "es", "ed", "er", "est", "ing", "ly"}

// minInflected is the length of the shortest word without its ending.
const minInflected = 3

// isInflected reports whether a word is a dictionary word with an English ending, such as
// "specks" and "fatter".
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

// add adds the corrections near of a term to the wording, each with a share of the term's
// weight, and records the typo.
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

// rewrite replaces a word in the text to embed if it has exactly one correction, which is in
// the model's dictionary and is not another form of the same word.
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

// otherEnding reports whether two words differ in their last letter, like forms of one word.
func otherEnding(a, b string) bool { return a[len(a)-1] != b[len(b)-1] }

// oneTypo returns, for each unknown word, the known terms of words with one typing error, most
// frequent first. Errors in the first letter are rare, except for swapping it with the second.
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

// best returns the corrections of a word whose terms occur in entries, which gives them a
// weight, and which may be meant; at most maxCorrections. Of the corrections with one term, it
// returns the one whose word has the fewest tokens.
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

// mayBeMeant reports whether a word of a wording may be a misspelling of another word: both
// have the same first letter, or the first two are swapped, and if the wording is not in
// English, the other is not an English word.
func (c correction) mayBeMeant(asked *resolved, word, other string) bool {
	if first, _ := utf8.DecodeRuneInString(word); !strings.HasPrefix(other, string(first)) {
		second, _ := utf8.DecodeRuneInString(word[utf8.RuneLen(first):])
		if !strings.HasPrefix(other, string(second)+string(first)) {
			return false
		}
	}
	return asked.language == "" || asked.language == english || !c.isWord(other)
}

// twoTypos returns the known terms that have at most two typing errors and a common prefix
// with a word, the nearest first.
func (c correction) twoTypos(ctx context.Context, asked *resolved, of lexical.QueryTerm) (near []lexical.Correction, err error) {
	letters := []rune(of.Word)
	for n := 1; n <= maxPrefix; n++ {
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

// maxVocabularies bounds the stores whose terms twoTyposOfEach reads, one by one.
const maxVocabularies = 16

// twoTyposOfEach is twoTypos store by store, if all stores together have too many terms. It
// skips stores that have too many by themselves, so that no store prevents corrections from
// others.
func (c correction) twoTyposOfEach(ctx context.Context, of lexical.QueryTerm) (near []lexical.Correction, err error) {
	stores := c.q.scope.Indexed()
	// Stores that others granted come last.
	slices.SortStableFunc(stores, func(a, b acl.Access) int { return cmp.Compare(rankOf(a.Via), rankOf(b.Via)) })
	prefix := string([]rune(of.Word)[:maxPrefix])
	for _, a := range stores[:min(len(stores), maxVocabularies)] {
		terms, more, err := c.tx.Terms(ctx, ofStore(c.q.scope, a.Store), memory.TermQuery{Prefix: prefix, Now: c.now, Limit: maxVocabulary})
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

// rankOf returns 1 for stores that the caller has by a grant, and 0 for others.
func rankOf(via acl.Via) int {
	if via == acl.ViaGrant {
		return 1
	}
	return 0
}
