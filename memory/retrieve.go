package memory

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"mneme/embed"
	"mneme/lexical"
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
	Chunk int // of the vector leg
}

// legList is what one leg found.
type legList struct {
	hits []legHit // best first, ties with the last included
	more bool     // the leg returned as many as it was asked for: it may have more
}

// retrieved is what both legs found.
type retrieved struct {
	lexical, vector legList
	failed          []string // the legs that failed: LegLexical, LegVector
}

// entries returns the entries of both legs, each once: in head those that a
// leg has among its first fusionDepth hits or tied with the last of these,
// in rest the others.
func (r retrieved) entries() (head, rest []uuid.UUID) {
	seen := make(map[uuid.UUID]bool)
	add := func(to []uuid.UUID, hits []legHit) []uuid.UUID {
		for _, hit := range hits {
			if !seen[hit.Entry] {
				seen[hit.Entry] = true
				to = append(to, hit.Entry)
			}
		}
		return to
	}
	lexicalHead, vectorHead := r.lexical.head(), r.vector.head()
	head = add(add(nil, r.lexical.hits[:lexicalHead]), r.vector.hits[:vectorHead])
	rest = add(add(nil, r.lexical.hits[lexicalHead:]), r.vector.hits[vectorHead:])
	return head, rest
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

// retrieve asks both legs, side by side, for their first fetch hits within the
// scope. A leg that fails is named in the result and the other one answers; an
// error means that both failed.
func (s *Service) retrieve(ctx context.Context, q *searchQuery, fetch int) (retrieved, error) {
	var r retrieved
	if q.nothing {
		return r, nil
	}
	var lexicalErr, vectorErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.vector, vectorErr = s.searchVectors(ctx, q, fetch)
	}()
	r.lexical, lexicalErr = s.searchLexical(ctx, q, fetch)
	<-done
	if err := ctx.Err(); err != nil {
		return retrieved{}, err
	}
	if lexicalErr != nil && vectorErr != nil {
		return retrieved{}, fmt.Errorf("both legs of a search failed: %w", lexicalErr)
	}
	if lexicalErr != nil {
		s.log.WarnContext(ctx, "lexical leg failed", "error", lexicalErr)
		r.failed = append(r.failed, LegLexical)
	}
	if vectorErr != nil {
		s.log.WarnContext(ctx, "vector leg failed", "error", vectorErr)
		r.failed = append(r.failed, LegVector)
	}
	return r, nil
}

// searchLexical is the lexical leg.
func (s *Service) searchLexical(ctx context.Context, q *searchQuery, fetch int) (list legList, err error) {
	ctx, end := s.startStep(ctx, "lexical", &q.took.Lexical)
	defer end(&err)
	if len(q.terms) == 0 {
		return legList{}, nil
	}
	var found []lexical.Hit
	q.scorer = nil
	err = s.storage.View(ctx, func(tx ReadTx) (err error) {
		found, q.scorer, err = tx.Lexical(ctx, q.scope, LexicalQuery{Terms: q.terms, Limit: fetch, Only: q.only, Now: s.instant()})
		return err
	})
	hits := make([]legHit, len(found))
	for i, hit := range found {
		hits[i] = legHit{Entry: hit.Entry, Score: hit.Score}
	}
	return legList{hits: hits, more: len(hits) >= fetch}, err
}

// searchVectors is the vector leg. It ends within the vector budget.
func (s *Service) searchVectors(ctx context.Context, q *searchQuery, fetch int) (list legList, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.budget)
	defer cancel()
	model, ok := s.indexer.Serving()
	if !ok {
		return legList{}, errNoModel
	}
	if err := s.embedQuery(ctx, q, model); err != nil {
		return legList{}, err
	}
	ctx, end := s.startStep(ctx, "vector", &q.took.Vector)
	defer end(&err)
	query := vector.Query{Vector: q.embedding.Vector, Limit: fetch, Only: q.only}
	found, err := withDeadline(ctx, func() ([]vector.Hit, error) { return model.Index.Search(ctx, q.scope, query) })
	if err != nil {
		s.indexer.SuspectIndex()
	}
	hits := make([]legHit, len(found))
	for i, hit := range found {
		hits[i] = legHit{Entry: hit.Entry, Score: hit.Score, Chunk: hit.Chunk}
	}
	return legList{hits: hits, more: len(hits) >= fetch}, err
}

// embedQuery sets the query's embedding, for the vector leg and for the steps
// after it. Embeddings are cached for each
// agent.
func (s *Service) embedQuery(ctx context.Context, q *searchQuery, model Model) (err error) {
	if q.embedding.Vector != nil && q.fingerprint == model.Fingerprint {
		return nil // the legs were asked before
	}
	q.embedding, q.fingerprint, q.embedder = embed.Query{}, model.Fingerprint, model.Embedder
	key := queryKey{agent: q.caller.Agent, fingerprint: model.Fingerprint, query: q.request.Query}
	if embedding, ok := s.queries.Get(key); ok {
		q.embedding = embedding
		return nil
	}
	ctx, end := s.startStep(ctx, "embed", &q.took.Embed)
	defer end(&err)
	embedding, err := withDeadline(ctx, func() (embed.Query, error) { return model.Embedder.Query(ctx, q.request.Query) })
	if err != nil {
		return fmt.Errorf("embed the query: %w", err)
	}
	q.embedding = embedding
	s.queries.Put(key, embedding)
	return nil
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
