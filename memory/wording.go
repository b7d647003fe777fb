package memory

import (
	"context"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"mneme/embed"
	"mneme/fusion"
	"mneme/lexical"
)

// wording is one way in which a search asks: its query, or one of its queries.
type wording struct {
	text   string
	terms  []lexical.QueryTerm
	scorer *lexical.Scorer // of terms in the scope; nil until the lexical leg has counted them
	// embedding is of the model of the search's fingerprint; zero until the
	// vector leg has made it.
	embedding embed.Query
	question  fusion.Question // set by assess
	// sought is set by seek.
	sought *soughtWords
}

// wordings returns the texts that a request asks.
func (r *SearchRequest) wordings() []string {
	if r.Queries != nil {
		return r.Queries
	}
	return []string{r.Query}
}

// asks reports whether a wording has words. Punctuation alone asks for nothing.
func (q *searchQuery) asks() bool {
	return slices.ContainsFunc(q.wordings, func(w *wording) bool { return len(w.terms) > 0 })
}

func newWordings(texts []string) []*wording {
	wordings := make([]*wording, len(texts))
	for i, text := range texts {
		wordings[i] = &wording{text: text, terms: lexical.ParseQuery(text)}
	}
	return wordings
}

// familiarity returns the share of the wording's letters that stand in words of
// two letters or more which the encoder has as one token; 1 if that is not
// known.
func (w *wording) familiarity() float64 {
	if w.embedding.Tokens == nil {
		return 1
	}
	pieces := make(map[[2]int]int) // tokens of each word
	for _, t := range w.embedding.Tokens {
		pieces[[2]int{t.Start, t.End}]++
	}
	known := 0
	for word, n := range pieces {
		if letters := countLetters(w.text[word[0]:word[1]]); n == 1 && letters > 1 {
			known += letters
		}
	}
	return min(1, float64(known)/float64(max(1, countLetters(w.text))))
}

func countLetters(text string) (n int) {
	for len(text) > 0 {
		r, width := utf8.DecodeRuneInString(text)
		if unicode.IsLetter(r) {
			n++
		}
		text = text[width:]
	}
	return n
}

// embedAll embeds texts side by side, at most MaxWordings, by the function for one.
func embedAll(ctx context.Context, texts []string, embedOne func(ctx context.Context, text string) (embed.Query, error)) ([]embed.Query, error) {
	if len(texts) == 1 {
		embedding, err := embedOne(ctx, texts[0])
		return []embed.Query{embedding}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	embeddings := make([]embed.Query, len(texts))
	var running sync.WaitGroup
	for i, text := range texts {
		running.Go(func() {
			var err error
			if embeddings[i], err = embedOne(ctx, text); err != nil {
				cancel(err) // the first error counts
			}
		})
	}
	running.Wait()
	return embeddings, context.Cause(ctx)
}
