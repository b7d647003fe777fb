package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed"
	"mneme/lexical"
	"mneme/memory"
	"mneme/search/cache"
	"mneme/vector"
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

// ErrNoVectors: the vector leg, the only one that was asked, failed.
var ErrNoVectors = errors.New("search by meaning is not available")

// errNoModel says that no vectors can answer a question.
var errNoModel = errors.New("no embedder here made the vectors of this database")

// errAboveModel says that the model is sent no questions of the session.
var errAboveModel = errors.New("the session is above the label up to which the model is asked")

// defaultVectorBudget bounds the time of the vector leg.
const defaultVectorBudget = 3 * time.Second

// budgetBytes is the length of questions for which the vector leg has its budget; for
// longer ones it has as many times as much.
const budgetBytes = 4000

// lexical asks the lexical leg for the wording's terms, and sets its scorer.
func (w *resolved) lexical(ctx context.Context, tx memory.LexicalLeg, scope acl.Scope, query memory.LexicalQuery) ([]lexical.Hit, error) {
	query.Terms = w.terms
	found, scorer, err := tx.Lexical(ctx, scope, query)
	w.scorer = scorer
	return found, err
}

// searchVectors is the vector leg. It ends within the vector budget. With a
// fetch of 0 it only embeds the wordings. by are the models that embedded them before.
func (s *Searcher) searchVectors(ctx context.Context, q *searchQuery, before []resolved, by models, fetch int) (leg legFound, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.budget*time.Duration(1+q.bytes()/budgetBytes))
	defer cancel()
	unsearched := legFound{wordings: before, models: by}
	asked, ok := modelsFor(s.indexer.Serving(), q.scope)
	if !ok {
		return unsearched, errNoModel
	}
	if !asked.read(q.caller.Taint) {
		return unsearched, errAboveModel
	}
	unsearched.models = asked
	if unsearched.wordings, err = s.embedWordings(ctx, q, before, by, asked); err != nil || fetch == 0 {
		return unsearched, err
	}
	ctx, end := s.startStep(ctx, "vector", &tookOf(ctx).Vector)
	defer end(&err)
	leg = unsearched
	leg.lists, leg.dated = make([]legList, len(q.wordings)), make([][]legHit, len(q.wordings))
	for i := range leg.wordings {
		asked := &leg.wordings[i]
		leg.lists[i], err = s.searchModels(ctx, q, leg.models, asked, q.only, fetch)
		if err == nil && len(asked.named.entries) > 0 {
			var list legList
			list, err = s.searchModels(ctx, q, leg.models, asked, asked.named.entries, datedFetch)
			leg.dated[i] = list.hits
		}
		if err != nil {
			s.indexer.SuspectIndex()
			return unsearched, err
		}
	}
	return leg, nil
}

// searchModels asks the index of each model for the entries nearest to a wording, of only
// some unless only is nil.
func (s *Searcher) searchModels(ctx context.Context, q *searchQuery, by models, asked *resolved, only []uuid.UUID, fetch int) (legList, error) {
	var of [2]legList
	for k, model := range by {
		if !model.serves() {
			continue
		}
		query := vector.Query{Vector: asked.embeddings[k].Vector, Limit: fetch, Only: only}
		scope := by.scopeOf(k, q.scope)
		found, err := withDeadline(ctx, func() (legList, error) { return askIndex(ctx, model.Index, scope, query) })
		if err != nil {
			return legList{}, err
		}
		of[k] = found
	}
	if err := s.preferOne(ctx, q, by, asked, &of); err != nil {
		return legList{}, err
	}
	return by.merge(of, asked), nil
}

// askIndex searches an index.
func askIndex(ctx context.Context, index vector.Index, scope acl.Scope, query vector.Query) (legList, error) {
	var found []vector.Hit
	var cut bool
	var err error
	if bounded, ok := index.(vector.Bounded); ok {
		found, cut, err = bounded.SearchBounded(ctx, scope, query)
	} else {
		found, err = index.Search(ctx, scope, query)
	}
	hits := make([]legHit, len(found))
	for i, hit := range found {
		hits[i] = legHit{Entry: hit.Entry, Score: hit.Score, Chunk: hit.Chunk}
	}
	list := newLegList(hits, query.Limit)
	list.more, list.full = list.more || cut, list.full && !cut
	return list, err
}

// preferOne moves hits of the other model to the list of the preferred one, with its
// cosine, where it has read the entry too: beyond what its own list reaches, the other
// model's judgement would count, on another scale.
func (s *Searcher) preferOne(ctx context.Context, q *searchQuery, by models, asked *resolved, of *[2]legList) error {
	if !by.both() || asked.prefers == eitherModel {
		return nil
	}
	preferred, other := &of[asked.prefers], &of[1-asked.prefers]
	listed := make(map[uuid.UUID]bool)
	for _, hit := range preferred.hits {
		listed[hit.Entry] = true
	}
	query := memory.EvidenceQuery{VectorsOnly: true}
	query.Fingerprints[asked.prefers] = by[asked.prefers].Fingerprint
	for _, hit := range other.hits {
		if !listed[hit.Entry] {
			query.Entries = append(query.Entries, hit.Entry)
		}
	}
	if len(query.Entries) == 0 {
		return nil
	}
	nearest := make(map[uuid.UUID]legHit)
	err := s.view(ctx, q.caller, func(tx memory.ReadTx) error {
		return tx.Evidence(ctx, q.scope, query, func(e memory.Evidence) error {
			if len(e.Vector) == 0 {
				return nil
			}
			hit := legHit{Entry: e.Entry, Score: by[asked.prefers].cosine(e.Vector, asked.embeddings[asked.prefers].Vector), Chunk: e.Chunk}
			best, ok := nearest[e.Entry]
			if !ok || hit.Score > best.Score || hit.Score == best.Score && hit.Chunk < best.Chunk {
				nearest[e.Entry] = hit
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	other.hits = slices.DeleteFunc(other.hits, func(hit legHit) bool {
		better, ok := nearest[hit.Entry]
		if ok {
			preferred.hits = append(preferred.hits, better)
		}
		return ok
	})
	return nil
}

// embedWordings returns wordings with their embeddings by models, for the vector leg and for
// the steps after it, as far as there are some if it fails. Embeddings are cached and shared
// for each cache.Reader. former are the models of those that the wordings have.
func (s *Searcher) embedWordings(ctx context.Context, q *searchQuery, before []resolved, former, by models) (wordings []resolved, err error) {
	ctx, end := s.startStep(ctx, "embed", &tookOf(ctx).Embed)
	defer end(&err)
	reader := s.readers.Of(q.caller)
	wordings = slices.Clone(before)
	for k, model := range by {
		if !model.serves() {
			continue
		}
		keyOf := func(text string) cache.QueryKey {
			return cache.QueryKey{Reader: reader, Fingerprint: model.Fingerprint, Query: text}
		}
		var missing []*resolved
		var texts []string
		for i := range wordings {
			asked := &wordings[i]
			if asked.embeddings[k].Vector != nil && former[k].Fingerprint == model.Fingerprint {
				continue // the legs were asked before
			}
			if asked.embeddings[k], _ = s.queries.Get(keyOf(asked.text)); asked.embeddings[k].Vector == nil {
				missing, texts = append(missing, asked), append(texts, asked.text)
			}
		}
		if len(missing) == 0 {
			continue
		}
		embeddings, err := embedAll(ctx, texts, func(ctx context.Context, text string) (embed.Query, error) {
			return s.queries.Embed(ctx, keyOf(text), model.Embedder)
		})
		if err != nil {
			return wordings, fmt.Errorf("embed the query: %w", err)
		}
		for i, asked := range missing {
			asked.embeddings[k] = embeddings[i]
		}
	}
	return wordings, nil
}

// withDeadline returns when f does or when ctx ends, whichever comes first, so
// that a leg keeps to its budget over a client that is slow to notice the end
// of ctx.
func withDeadline[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ch := make(chan outcome, 1)
	go func() {
		v, err := f()
		ch <- outcome{v, err}
	}()
	select {
	case o := <-ch:
		return o.value, o.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}
