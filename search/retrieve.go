package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
)

// Names of the legs of a search in Answer.Degraded.
const (
	LegLexical = "lexical"
	LegVector  = "vector"
)

// legHit is a lexical.Hit or a vector.Hit.
type legHit struct {
	Entry uuid.UUID
	Score float64
	Chunk int        // of the vector leg
	of    *candidate // of the entry, if it is visible; nil until the rows are read
}

// legList is the result of one leg.
type legList struct {
	hits []legHit // best first, including all that tie with the last
	more bool     // there may be more
	full bool     // the leg returned as many as it was asked for: it may return more
	// floor is the highest score that hits beyond these may have.
	floor float64
}

// newLegList returns the list of a leg that was asked for fetch hits.
func newLegList(hits []legHit, fetch int) legList {
	full := len(hits) >= fetch
	list := legList{hits: hits, more: full, full: full}
	if len(hits) > 0 {
		list.floor = hits[len(hits)-1].Score
	}
	return list
}

// retrieved holds the results of the legs, a list for each wording. A leg that did not
// search has no lists.
type retrieved struct {
	lexical, vector []legList
	dated           []legList       // of the dates leg; empty for a wording that names no time
	failed          []string        // the legs that failed: LegLexical, LegVector
	searchOnly      *retrieved      // of searchQuery.searchOnly
	wordings        []resolved      // in the order of searchQuery.wordings
	models          models          // that made the wordings' embeddings
	former          *formerMeanings // of a search as of a time; nil: the search has none
	languages       languages       // of the entries whose language was detected
	verdict         verdict         // of a Reranker
}

// unasked returns the state of a question before the legs are asked.
func unasked(q *searchQuery) *retrieved {
	r := &retrieved{wordings: q.unresolved(), languages: make(languages)}
	if q.asOf != nil {
		r.former = &formerMeanings{of: make(map[rowVersion][]memory.Evidence)}
	}
	if q.page != nil {
		r.verdict.judgements = judgementsOf(q.page.LogOdds)
	}
	if q.searchOnly != nil {
		r.searchOnly = &retrieved{wordings: q.searchOnly.unresolved(), languages: r.languages}
	}
	return r
}

// allModels returns the models of both parts of a search.
func (r *retrieved) allModels() models {
	all := r.models
	if r.searchOnly == nil {
		return all
	}
	for k, one := range r.searchOnly.models {
		if !all[k].serves() {
			all[k] = one
		}
	}
	return all
}

// head returns the number of hits that the fusion may use: the first fusionDepth, and all that
// tie with the last of them.
func (l legList) head() int {
	n := min(fusionDepth, len(l.hits))
	for 0 < n && n < len(l.hits) && l.hits[n].Score == l.hits[n-1].Score {
		n++
	}
	return n
}

// retrieve asks the legs, for both parts of the question concurrently. The result names the
// legs that failed in either part. before is the result for a smaller fetch, or unasked.
func (s *Searcher) retrieve(ctx context.Context, q *searchQuery, before *retrieved, fetch int) (found *retrieved, err error) {
	if q.asOf != nil { // which needs level read: q.searchOnly is nil
		if found, err = s.askLegs(ctx, q, before, fetch); err != nil {
			return nil, err
		}
		return s.findFormer(ctx, q, found)
	}
	if q.searchOnly == nil {
		return s.askLegs(ctx, q, before, fetch)
	}
	var others *retrieved
	var othersErr error
	var took, othersTook Took
	done := make(chan struct{})
	go func() {
		defer close(done)
		others, othersErr = s.askLegs(withTook(ctx, &othersTook), q.searchOnly, before.searchOnly, fetch)
	}()
	found, err = s.askLegs(withTook(ctx, &took), q, before, fetch)
	<-done
	if err = cmp.Or(err, othersErr); err != nil {
		return nil, err
	}
	tookOf(ctx).addSlower(&took, &othersTook)
	for _, leg := range others.failed {
		if !slices.Contains(found.failed, leg) {
			found.failed = append(found.failed, leg)
		}
	}
	found.searchOnly = others
	return found, nil
}

// askLegs asks the legs of the search's mode for their first fetch hits of each wording within
// the scope: concurrently, unless the vector leg answers at once. A leg that the mode excludes
// only prepares its part of the relevance. If one leg fails, the result names it and the other
// leg answers. askLegs returns an error if no leg that searches is left.
func (s *Searcher) askLegs(ctx context.Context, q *searchQuery, before *retrieved, fetch int) (*retrieved, error) {
	r := &retrieved{models: before.models, former: before.former, languages: before.languages, verdict: before.verdict}
	if q.scope.Empty() || q.nothing && q.request.ExplainEntry == nil && q.asOf == nil {
		r.wordings = q.resolve(before.wordings, r.models)
		return r, nil
	}
	var lexicalErr, vectorErr error
	done := make(chan struct{})
	mode := q.request.Mode
	known := q.page != nil || q.nothing || q.asksForDates()
	if known {
		fetch = 0 // the candidates are known
	}
	var words, meaning legFound
	searchVectors := func() {
		defer close(done)
		meaning, vectorErr = s.searchVectors(ctx, q, before.wordings, before.models, fetchIn(mode != ModeLexical, fetch))
	}
	if s.answersAtOnce(q, before.wordings) {
		searchVectors()
	} else {
		go searchVectors()
	}
	words, lexicalErr = s.searchLexical(ctx, q, before.wordings, fetchIn(mode != ModeVector, fetch))
	<-done
	wordings, rewritten := reread(words.wordings, meaning.wordings)
	if rewritten && vectorErr == nil {
		meaning, vectorErr = s.searchVectors(ctx, q, wordings, meaning.models, fetchIn(mode != ModeLexical, fetch))
		wordings = meaning.wordings
	}
	r.models, r.wordings = meaning.models, q.resolve(wordings, meaning.models)
	r.lexical, r.vector, r.dated = words.lists, meaning.lists, q.datedLists(words.dated, meaning.dated)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if lexicalErr != nil && vectorErr != nil {
		return nil, fmt.Errorf("both legs of a search failed: %w", lexicalErr)
	}
	if lexicalErr != nil {
		s.log.WarnContext(ctx, "lexical leg failed", "error", lexicalErr)
		r.failed = append(r.failed, LegLexical)
	}
	if vectorErr != nil {
		if !errors.Is(vectorErr, errAboveModel) {
			s.log.WarnContext(ctx, "vector leg failed", "error", vectorErr)
		}
		r.failed = append(r.failed, LegVector)
	}
	switch {
	case known:
	case mode == ModeLexical && lexicalErr != nil:
		return nil, fmt.Errorf("the only leg of a search failed: %w", lexicalErr)
	case mode == ModeVector && vectorErr != nil:
		return nil, ErrNoVectors
	}
	return r, nil
}

// legFound is the result of a leg: for each wording the list of hits in the scope, and the
// hits among the entries of the times that the wording names. nil: the leg did not search.
type legFound struct {
	lists []legList
	dated [][]legHit
	// wordings are the wordings that the leg resolved; if it failed, only some may be.
	wordings []resolved
	models   models // of the vector leg
}

// datedFetch bounds the hits of a leg among the entries of the times that a wording names.
const datedFetch = 100

// fetchIn returns how many hits a leg is asked for; 0 if it does not search.
func fetchIn(searches bool, fetch int) int {
	if !searches {
		return 0
	}
	return fetch
}

// searchLexical is the lexical leg. With a fetch of 0 it only computes the scorers.
func (s *Searcher) searchLexical(ctx context.Context, q *searchQuery, before []resolved, fetch int) (leg legFound, err error) {
	ctx, end := s.startStep(ctx, "lexical", &tookOf(ctx).Lexical)
	defer end(&err)
	leg.wordings = slices.Clone(before)
	leg.forgetScorers()
	known := s.documents.Of(s.readers.Of(q.caller))
	err = s.view(ctx, q.caller, func(tx memory.ReadTx) error {
		leg.lists, leg.dated = make([]legList, len(q.wordings)), make([][]legHit, len(q.wordings))
		for i := range leg.wordings {
			asked := &leg.wordings[i]
			asked.terms = slices.Clip(asked.terms) // do not change the terms of the question
			if len(asked.terms) == 0 {
				continue
			}
			now := s.instant()
			if err := (compounding{q, tx, now}).join(ctx, asked); err != nil {
				return err
			}
			query := memory.LexicalQuery{Limit: fetch, Only: q.only, Now: now, Known: known}
			found, err := asked.lexical(ctx, tx, q.scope, query)
			if err != nil {
				return err
			}
			corrected, err := correction{q, tx, s.fitTokens, now}.correct(ctx, asked)
			if err != nil {
				return err
			}
			if corrected {
				if found, err = asked.lexical(ctx, tx, q.scope, query); err != nil {
					return err
				}
			}
			leg.lists[i] = newLegList(lexicalHits(found), fetch)
			if len(asked.named.entries) > 0 && fetch > 0 {
				query.Only, query.Limit = asked.named.entries, datedFetch
				if found, err = asked.lexical(ctx, tx, q.scope, query); err != nil {
					return err
				}
				leg.dated[i] = lexicalHits(found)
			}
		}
		return nil
	})
	if err != nil {
		// A scorer may not have counted all terms. If one wording cannot be scored by its
		// words, none is.
		leg.forgetScorers()
	}
	if err != nil || fetch == 0 {
		return legFound{wordings: leg.wordings}, err
	}
	return leg, nil
}

// forgetScorers removes the scorers of the leg's wordings.
func (leg *legFound) forgetScorers() {
	for i := range leg.wordings {
		leg.wordings[i].scorer = nil
	}
}

func lexicalHits(found []lexical.Hit) []legHit {
	hits := make([]legHit, len(found))
	for i, hit := range found {
		hits[i] = legHit{Entry: hit.Entry, Score: hit.Score}
	}
	return hits
}

// lexical asks the lexical leg for the wording's terms, and sets its scorer.
func (w *resolved) lexical(ctx context.Context, tx memory.LexicalLeg, scope acl.Scope, query memory.LexicalQuery) ([]lexical.Hit, error) {
	query.Terms = w.terms
	found, scorer, err := tx.Lexical(ctx, scope, query)
	w.scorer = scorer
	return found, err
}
