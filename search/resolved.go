package search

import (
	"slices"
	"sync"

	"mneme/embed"
	"mneme/fusion"
	"mneme/lexical"
	"mneme/search/question"
)

// resolved is a wording in the form that the legs search for: its text and terms include
// corrections, compounds and parts of compounds.
type resolved struct {
	wording
	scorer *lexical.Scorer // of terms in the scope; nil: the lexical leg has not counted them
	// embeddings are the embeddings by the search's models; zero: the vector leg has not
	// computed them.
	embeddings [2]embed.Query
	// corrected says that correct has run; typos has the corrections that it found.
	corrected bool
	typos     []Typo
	// joined says that terms include compounds and parts of the wording's words.
	joined    bool
	rewritten string // text with corrected words; "": as it is

	questions [question.Count]fusion.Question // for fusion.Relevance, by model and language
	finder    func() *wordFinder              // finds the words that passages highlight
}

// unresolved returns the wordings of a question as they are before the legs are asked.
func (q *searchQuery) unresolved() []resolved {
	all := make([]resolved, len(q.wordings))
	for i, w := range q.wordings {
		all[i].wording = w
	}
	return all
}

// resolve returns wordings with their questions and finders.
func (q *searchQuery) resolve(wordings []resolved, by models) []resolved {
	all := slices.Clone(wordings)
	for i := range all {
		w := &all[i]
		w.questions = by.ask(w)
		w.finder = sync.OnceValue(func() *wordFinder { return w.newFinder(q.request.Filter.Match) })
	}
	return all
}

// reread returns wordings with the embeddings of embedded. A rewritten wording has its new text
// and no embedding: models must read it again. rewritten reports whether there are any.
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
