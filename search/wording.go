package search

import (
	"context"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"mneme/embed"
	"mneme/internal/passage"
	"mneme/lexical"
)

// wording is one way in which a search asks: its query, one of its queries, or a part of a
// long one. It is part of the question, and no step writes to it.
type wording struct {
	text   string
	number int // of the query that it is, or is a part of
	terms  []lexical.QueryTerm
	// language is the code of ISO 639-1 that its words suggest; "": none.
	language string
	// prefers is the model by which an entry is judged that both have read, or eitherModel.
	prefers int
	chatter bool         // it asks for nothing
	past    lexical.Past // whether it asks for what was so earlier
	named   named        // the time that it names
}

// wordings returns the texts that a request asks.
func (r *Request) wordings() []string {
	if r.Queries != nil {
		return r.Queries
	}
	return []string{r.Query}
}

// bytes returns the length of the query, or of the queries.
func (q *searchQuery) bytes() (n int) {
	for _, text := range q.request.wordings() {
		n += len(text)
	}
	return n
}

// asks reports whether a wording has words. Punctuation alone asks for nothing.
func (q *searchQuery) asks() bool {
	return slices.ContainsFunc(q.wordings, func(w wording) bool { return len(w.terms) > 0 })
}

// newWordings returns what some texts ask, each with the model that reads it. Those without
// words, or such parts of a long one, are left out unless all are: by punctuation alone,
// every entry would be a little relevant.
func (s *Searcher) newWordings(texts []string) []wording {
	wordings := make([]wording, 0, len(texts))
	total := 0
	for _, text := range texts {
		total += len(text)
	}
	for i, text := range texts {
		for _, read := range readings(text, total) {
			language, prefers := s.reader(read)
			wordings = append(wordings, wording{
				text: read, number: i, terms: lexical.ParseQuery(read), language: language, prefers: prefers,
				chatter: lexical.IsChatter(read), past: lexical.PastOf(read),
			})
		}
	}
	worded := slices.DeleteFunc(slices.Clone(wordings), func(w wording) bool { return len(w.terms) == 0 })
	if len(worded) == 0 {
		return wordings
	}
	return worded
}

// eitherModel is preferred by words that are not surely in one language, such as a few
// nouns, a name or a number: an entry that both models have read is judged by the one to
// which it is more relevant.
const eitherModel = 2

// english is the language that the main model reads if there is a multilingual one.
const english = "en"

// reader returns the language that a question seems to be in and the model that it prefers.
func (s *Searcher) reader(text string) (code string, prefers int) {
	switch guess := s.language(text); {
	case !guess.Sure:
		return guess.Language, eitherModel
	case guess.Language != english:
		return guess.Language, multilingualModel
	default:
		return guess.Language, mainModel
	}
}

// A question of more than longQuestion bytes is read in parts, at most about maxParts in
// all, of partBytes bytes at least: what it asks may be in any of its sentences, the
// last as well as the first. Up to wholeQuestion bytes, which the window of
// a model has room for, it is read as a whole, too. docs/decisions/0059-whole.md.
const (
	longQuestion  = 400
	wholeQuestion = 2000
	partBytes     = 200
	maxParts      = 32
)

// IsReadInParts reports whether a question is so long that its parts are wordings of their
// own: hits of it may be found by different ones.
func IsReadInParts(question string) bool { return len(question) > longQuestion }

// readings returns a question, or a long one's parts, runs of sentences. total is the
// length of all questions of the search.
func readings(question string, total int) (read []string) {
	if len(question) <= wholeQuestion {
		read = append(read, question)
	}
	if !IsReadInParts(question) {
		return read
	}
	size := max(partBytes, (total+maxParts-1)/maxParts)
	segments := passage.Split(question)
	for len(segments) > 0 {
		n := 1
		for n < len(segments) && segments[n].End-segments[0].Start <= size {
			n++
		}
		read = append(read, question[segments[0].Start:segments[n-1].End])
		segments = segments[n:]
	}
	return read
}

// familiarity returns the share of the wording's letters in words of two letters or more
// which the k-th model has as one token; 1 if that is not known.
func (w *resolved) familiarity(k int) float64 {
	embedding := w.embeddings[k]
	if embedding.Tokens == nil || embedding.Multilingual {
		return 1
	}
	pieces := make(map[[2]int]int) // tokens of each word
	for _, t := range embedding.Tokens {
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

// asksForNothing reports whether the wording, which assess has read, is chatter or letters
// without sense.
func (w *resolved) asksForNothing() bool { return w.questions[mainModel].Chatter }

// sensibleLetters is how many letters a token of a word has, more than which the word is one
// of some language: those of "qwertz" and "flurb" have two at most, on average.
const sensibleLetters = 2.2

// isSenseless reports whether the wording says nothing to words and models: no entry of the
// scope has any of its words, and either no model has a piece of them, as in a script that
// none was trained on, or no language is known by them and the models have them in pieces
// of two letters.
func (w *resolved) isSenseless() bool {
	switch {
	case w.scorer == nil || !w.scorer.HasNone():
		return false
	case w.isUnread():
		return true
	case w.language != "":
		return false
	}
	tokens := w.embeddings[multilingualModel].Tokens
	if tokens == nil {
		tokens = w.embeddings[mainModel].Tokens
	}
	pieces := make(map[[2]int]int) // tokens of each word
	for _, t := range tokens {
		pieces[[2]int{t.Start, t.End}]++
	}
	words := 0
	for word, n := range pieces {
		letters := countLetters(w.text[word[0]:word[1]])
		if letters < 2 {
			continue
		}
		if words++; float64(letters) > float64(sensibleLetters*float64(n)) {
			return false
		}
	}
	return words > 0
}

// isUnread reports whether models were asked, and none has a piece of any of its words.
func (w *resolved) isUnread() bool {
	asked := false
	for k := range w.embeddings {
		switch e := &w.embeddings[k]; {
		case e.Vector == nil:
		case e.Tokens == nil || len(e.Tokens) > 0:
			return false
		default:
			asked = true
		}
	}
	return asked
}

// embedded reports whether a model has read the wording.
func (w *resolved) embedded() bool {
	return w.embeddings[mainModel].Vector != nil || w.embeddings[multilingualModel].Vector != nil
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
