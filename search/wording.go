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

// wording is one text that a search asks: its query, one of its queries, or a part of a
// long one. It belongs to the question, and no step writes to it.
type wording struct {
	text   string
	number int // index of its query
	terms  []lexical.QueryTerm
	// language is guessed from the words, a code of ISO 639-1; "": unknown.
	language string
	// prefers is the model that judges an entry which both have read, or eitherModel.
	prefers int
	chatter bool         // it asks for nothing, as a greeting does
	past    lexical.Past // whether it asks for an earlier state
	named   named        // the times that it names
}

// wordings returns the query, or the queries, of a request.
func (r *Request) wordings() []string {
	if r.Queries != nil {
		return r.Queries
	}
	return []string{r.Query}
}

// bytes returns the total length of the query, or of the queries.
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

// newWordings returns the wordings of some texts and of the parts of long ones, each with its
// preferred model. It leaves out those without words, unless none has words: every entry would
// be a little relevant to mere punctuation.
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

// eitherModel means no preferred model: the language is uncertain, as of a few nouns, a name
// or a number. If both models have read an entry, the one by which it is more relevant judges
// it.
const eitherModel = 2

// english is the language of the main model if there is a multilingual one.
const english = "en"

// reader returns the probable language of a question and its preferred model.
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

// A search splits questions of more than longQuestion bytes into parts, about maxParts in all
// at most, of at least partBytes bytes: any sentence may have the actual question, the last as
// well as the first. It also reads a question of up to wholeQuestion bytes, which fits the
// window of a model, as a whole. docs/decisions/0059-whole.md.
const (
	longQuestion  = 400
	wholeQuestion = 2000
	partBytes     = 200
	maxParts      = 32
)

// IsReadInParts reports whether a question is so long that a search splits it into parts, so
// that different parts may find its hits.
func IsReadInParts(question string) bool { return len(question) > longQuestion }

// readings returns the texts of the wordings of a question: the question itself, and the parts
// of a long one, which are runs of sentences. total is the length of all questions of the
// search.
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

// familiarity returns the share of the wording's letters that are in words of two letters or
// more that are single tokens of the k-th model; 1 if the tokens are unknown.
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

// asksForNothing reports whether the wording is chatter or gibberish. resolve must have set
// its questions.
func (w *resolved) asksForNothing() bool { return w.questions[mainModel].Chatter }

// gibberishLetters is the largest average number of letters in a token of gibberish: tokens of
// "qwertz" and "flurb" have at most two letters on average, words of a language have more.
const gibberishLetters = 2.2

// isGibberish reports whether neither words nor models can make sense of the wording. No entry
// of the scope has any of its words. And either no model has tokens for them, as in a script
// that none was trained on, or their language is unknown and their tokens have at most
// gibberishLetters letters on average.
func (w *resolved) isGibberish() bool {
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
		if words++; float64(letters) > float64(gibberishLetters*float64(n)) {
			return false
		}
	}
	return words > 0
}

// isUnread reports whether models embedded the wording, but none has a token for its words.
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

// embedded reports whether a model has embedded the wording.
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

// embedAll embeds texts concurrently by embedOne.
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
