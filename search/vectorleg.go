package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed"
	"mneme/memory"
	"mneme/search/cache"
	"mneme/vector"
)

// ErrNoVectors is returned if the vector leg failed and was the only one that searched.
var ErrNoVectors = errors.New("search by meaning is not available")

// errNoModel is returned if no serving model can embed a question.
var errNoModel = errors.New("no embedder here made the vectors of this database")

// errAboveModel is returned if questions of the session may not be sent to the model.
var errAboveModel = errors.New("the session is above the label up to which the model is asked")

// defaultVectorBudget bounds the time of the vector leg.
const defaultVectorBudget = 3 * time.Second

// budgetBytes is the length of question text, in bytes, for which the vector leg has its budget
// of time once. Each further budgetBytes add the budget once more.
const budgetBytes = 4000

// fewChunks is a number of chunks that are compared, for all wordings together, in less time
// than another thread takes to wake up: some 60 µs of 384 elements.
const fewChunks = 2048

// answersAtOnce reports whether the vector leg has little to do: the wordings' embeddings are
// cached, and few chunks are compared in this process.
func (s *Searcher) answersAtOnce(q *searchQuery, wordings []resolved) bool {
	asked, _ := modelsFor(s.indexer.Serving(), q.scope)
	for _, model := range asked {
		if !model.serves() {
			continue
		}
		local, ok := model.Index.(vector.Local)
		if !ok || !local.AtMost(q.scope, fewChunks/max(1, len(wordings))) {
			return false
		}
		for i := range wordings {
			if _, cached := s.queries.Get(s.queryKey(q, model, wordings[i].text)); !cached {
				return false
			}
		}
	}
	return true
}

// queryKey returns the key of a wording's cached embedding.
func (s *Searcher) queryKey(q *searchQuery, by model, text string) cache.QueryKey {
	return cache.QueryKey{Reader: s.readers.Of(q.caller), Fingerprint: by.Fingerprint, Query: text}
}

// searchVectors is the vector leg. It ends within the vector budget. With a fetch of 0 it only
// embeds the wordings. by are the models that made the embeddings in before.
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

// searchModels asks the index of each model for the entries nearest to a wording. Unless
// only is nil, it searches only these entries.
func (s *Searcher) searchModels(ctx context.Context, q *searchQuery, by models, asked *resolved, only []uuid.UUID, fetch int) (legList, error) {
	var of [2]legList
	for k, model := range by {
		if !model.serves() {
			continue
		}
		query := vector.Query{Vector: asked.embeddings[k].Vector, Limit: fetch, Only: only}
		scope := by.scopeOf(k, q.scope)
		found, err := askIndex(ctx, model.Index, scope, query)
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

// askIndex searches an index. It returns when ctx ends, even if the index is slow to notice.
func askIndex(ctx context.Context, index vector.Index, scope acl.Scope, query vector.Query) (legList, error) {
	if _, soon := index.(vector.Local); soon {
		return searchIndex(ctx, index, scope, query)
	}
	return withDeadline(ctx, func() (legList, error) { return searchIndex(ctx, index, scope, query) })
}

func searchIndex(ctx context.Context, index vector.Index, scope acl.Scope, query vector.Query) (legList, error) {
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

// preferOne moves hits of the other model to the list of the preferred model, with the
// preferred model's cosine, if that model has read the entry too. Otherwise entries beyond the
// end of its list would have the other model's cosine, which has another scale.
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

// embedWordings returns wordings with their embeddings by each model, for the vector leg and
// later steps. If it fails, it returns the wordings with the embeddings that it has. Embeddings
// are cached: the searches of one cache.Reader share them. former are the models that made the
// embeddings in before.
func (s *Searcher) embedWordings(ctx context.Context, q *searchQuery, before []resolved, former, by models) (wordings []resolved, err error) {
	ctx, end := s.startStep(ctx, "embed", &tookOf(ctx).Embed)
	defer end(&err)
	wordings = slices.Clone(before)
	for k, model := range by {
		if !model.serves() {
			continue
		}
		var missing []*resolved
		var texts []string
		for i := range wordings {
			asked := &wordings[i]
			if asked.embeddings[k].Vector != nil && former[k].Fingerprint == model.Fingerprint {
				continue // the legs were asked before
			}
			if asked.embeddings[k], _ = s.queries.Get(s.queryKey(q, model, asked.text)); asked.embeddings[k].Vector == nil {
				missing, texts = append(missing, asked), append(texts, asked.text)
			}
		}
		if len(missing) == 0 {
			continue
		}
		embeddings, err := embedAll(ctx, texts, func(ctx context.Context, text string) (embed.Query, error) {
			return s.queries.Embed(ctx, s.queryKey(q, model, text), model.Embedder)
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

// withDeadline returns when f returns or ctx ends, whichever comes first. It keeps a
// leg within its budget even if a client is slow to notice the end of ctx.
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
