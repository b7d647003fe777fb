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

// Legs of a search, as an answer's Degraded names them.
const (
	LegLexical = "lexical"
	LegVector  = "vector"
)

// legHit is a lexical.Hit or a vector.Hit.
type legHit struct {
	Entry uuid.UUID
	Score float64
	Chunk int        // of the vector leg
	of    *candidate // of the visible entry; nil before the rows were read
}

// legList is what one leg found.
type legList struct {
	hits []legHit // best first, ties with the last included
	more bool     // there may be more
	full bool     // the leg returned as many as it was asked for: it may return more
	// floor is what those score at most that there are beyond hits.
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

// retrieved is what both legs found, a list for each wording; no lists of a leg
// that did not search.
type retrieved struct {
	lexical, vector []legList
	dated           []legList // of the times that the wordings name; empty lists of those that name none
	failed          []string  // the legs that failed: LegLexical, LegVector
	apart           *retrieved
	wordings        []resolved      // in the order of the question's
	models          models          // of the wordings' embeddings
	former          *formerMeanings // of a search as of a time; nil: it is none
	languages       languages       // of the entries whose texts were read to find out
	verdict         verdict         // of a Reranker
}

// unasked returns what is known of a question before the legs are asked.
func unasked(q *searchQuery) *retrieved {
	r := &retrieved{wordings: q.unresolved(), languages: make(languages)}
	if q.asOf != nil {
		r.former = &formerMeanings{of: make(map[rowVersion][]memory.Evidence)}
	}
	if q.page != nil {
		r.verdict.judgements = judgementsOf(q.page.LogOdds)
	}
	if q.apart != nil {
		r.apart = &retrieved{wordings: q.apart.unresolved(), languages: r.languages}
	}
	return r
}

// allModels returns the models of both parts of a search.
func (r *retrieved) allModels() models {
	all := r.models
	if r.apart == nil {
		return all
	}
	for k, one := range r.apart.models {
		if !all[k].serves() {
			all[k] = one
		}
	}
	return all
}

// head counts the first fusionDepth hits and those that tie with the last of
// them.
func (l legList) head() int {
	n := min(fusionDepth, len(l.hits))
	for 0 < n && n < len(l.hits) && l.hits[n].Score == l.hits[n-1].Score {
		n++
	}
	return n
}

// retrieve asks the legs, and side by side those of what is asked apart. Those that failed
// of either are named in the result. before is what is known of the question: unasked, or
// what was found with a smaller fetch.
func (s *Searcher) retrieve(ctx context.Context, q *searchQuery, before *retrieved, fetch int) (found *retrieved, err error) {
	if q.asOf != nil { // there is nothing apart: it needs level read
		if found, err = s.askLegs(ctx, q, before, fetch); err != nil {
			return nil, err
		}
		return s.findFormer(ctx, q, found)
	}
	if q.apart == nil {
		return s.askLegs(ctx, q, before, fetch)
	}
	var apart *retrieved
	var apartErr error
	var took, beside Took
	done := make(chan struct{})
	go func() {
		defer close(done)
		apart, apartErr = s.askLegs(withTook(ctx, &beside), q.apart, before.apart, fetch)
	}()
	found, err = s.askLegs(withTook(ctx, &took), q, before, fetch)
	<-done
	if err = cmp.Or(err, apartErr); err != nil {
		return nil, err
	}
	tookOf(ctx).addSlower(&took, &beside)
	for _, leg := range apart.failed {
		if !slices.Contains(found.failed, leg) {
			found.failed = append(found.failed, leg)
		}
	}
	found.apart = apart
	return found, nil
}

// askLegs asks the legs of the search's mode, side by side, for their first
// fetch hits of each wording within the scope. The other leg only prepares what
// the relevance takes of it. A leg that fails is named in the result and the
// other one answers; an error means that none is left that searches.
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
	go func() {
		defer close(done)
		meaning, vectorErr = s.searchVectors(ctx, q, before.wordings, before.models, fetchIn(mode != ModeLexical, fetch))
	}()
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

// legFound is what a leg found, a list for each wording: in the scope, and among the entries
// of the times that the wordings name. nil: it did not search.
type legFound struct {
	lists []legList
	dated [][]legHit
	// wordings are as the leg resolved them, as far as it did if it failed.
	wordings []resolved
	models   models // of the vector leg
}

// datedFetch is how many hits a leg gives among the entries of the times that a wording names.
const datedFetch = 100

// fetchIn returns how many hits a leg is asked for: 0 unless it searches.
func fetchIn(searches bool, fetch int) int {
	if !searches {
		return 0
	}
	return fetch
}

// searchLexical is the lexical leg. With a fetch of 0 it only makes the scorers.
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
			asked.terms = slices.Clip(asked.terms) // those of the question stay as they are
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
		// The terms may have become more than a scorer has counted, and of several wordings
		// none is to be judged by its words if another cannot be.
		leg.forgetScorers()
	}
	if err != nil || fetch == 0 {
		return legFound{wordings: leg.wordings}, err
	}
	return leg, nil
}

// forgetScorers leaves the wordings of the leg without scorers.
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
