package search

import (
	"slices"
	"sync"

	"mneme/embed"
	"mneme/fusion"
	"mneme/lexical"
	"mneme/search/question"
)

// resolved is a wording as the legs asked it: its text and terms are with what was found
// in place of words and beside them.
type resolved struct {
	wording
	scorer *lexical.Scorer // of terms in the scope; nil: the lexical leg has not counted them
	// embeddings are of the search's models; zero: the vector leg has not made them.
	embeddings [2]embed.Query
	// corrected says that terms are looked for in place of words that no entry has: of
	// typos, if there are any.
	corrected bool
	typos     []Typo
	// joined says that compounds and parts of its words are among terms.
	joined    bool
	rewritten string // text with what was found in place of words; "": as it is

	questions [question.Count]fusion.Question // that it is to entries, by the models
	sought    func() *soughtWords             // the words that passages show
}

// unresolved returns the wordings of a question as they are before the legs are asked.
func (q *searchQuery) unresolved() []resolved {
	all := make([]resolved, len(q.wordings))
	for i, w := range q.wordings {
		all[i].wording = w
	}
	return all
}

// resolve returns wordings with what relevance and passages depend on.
func (q *searchQuery) resolve(wordings []resolved, by models) []resolved {
	all := slices.Clone(wordings)
	for i := range all {
		w := &all[i]
		w.questions = by.ask(w)
		w.sought = sync.OnceValue(func() *soughtWords { return w.seek(q.request.Filter.Match) })
	}
	return all
}

// reread returns wordings with the embeddings of others, but as those that were rewritten
// are now: models are to read these again. rewritten is false if there are none.
func reread(wordings, embedded []resolved) (again []resolved, rewritten bool) {
	again = slices.Clone(wordings)
	for i := range again {
		w := &again[i]
		if w.embeddings = embedded[i].embeddings; w.rewritten != "" {
			w.text, w.rewritten, w.embeddings, rewritten = w.rewritten, "", [2]embed.Query{}, true
		}
	}
	return again, rewritten
}
