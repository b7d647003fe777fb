package memory

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"mneme/lexical"
	"mneme/vector"
)

// Legs of a search, as an answer's Degraded names them.
const (
	LegLexical = "lexical"
	LegVector  = "vector"
)

// legHit is an entry with its score in one leg: a lexical.Hit or a vector.Hit.
type legHit struct {
	Entry uuid.UUID
	Score float64
}

// legList is what one leg found.
type legList struct {
	hits []legHit // best first, ties with the last included
	more bool     // the leg was filled to what it was asked for: it may have more
}

// legLists is what both legs found, and which of them failed.
type legLists struct {
	lexical, vector legList
	failed          []string
}

// ids are the entries that any leg named, each once: first those among the
// first legDepth of a leg, or that tie with the last of them; spare the others.
func (l legLists) ids() (first, spare []uuid.UUID) {
	named := make(map[uuid.UUID]bool)
	add := func(to []uuid.UUID, hits []legHit) []uuid.UUID {
		for _, hit := range hits {
			if !named[hit.Entry] {
				named[hit.Entry] = true
				to = append(to, hit.Entry)
			}
		}
		return to
	}
	lexicalEnd, vectorEnd := l.lexical.end(), l.vector.end()
	first = add(add(nil, l.lexical.hits[:lexicalEnd]), l.vector.hits[:vectorEnd])
	spare = add(add(nil, l.lexical.hits[lexicalEnd:]), l.vector.hits[vectorEnd:])
	return first, spare
}

// end is behind the first legDepth hits and those that tie with the last of
// them.
func (l legList) end() int {
	n := min(legDepth, len(l.hits))
	for 0 < n && n < len(l.hits) && l.hits[n].Score == l.hits[n-1].Score {
		n++
	}
	return n
}

// runLegs runs both legs side by side. One that fails is named in the result
// and the other answers; it is an error only if both fail.
func (s *Service) runLegs(ctx context.Context, c Caller, p *plan, fetch int) (legLists, error) {
	var lists legLists
	if p.nothing {
		return lists, nil
	}
	var lexicalErr, vectorErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		lists.vector, vectorErr = s.vectorLeg(ctx, c, p, fetch)
	}()
	lists.lexical, lexicalErr = s.lexicalLeg(ctx, p, fetch)
	<-done
	if err := ctx.Err(); err != nil {
		return legLists{}, err
	}
	if lexicalErr != nil && vectorErr != nil {
		return legLists{}, fmt.Errorf("both legs of a search failed: %w", lexicalErr)
	}
	if lexicalErr != nil {
		s.log.WarnContext(ctx, "lexical leg failed", "error", lexicalErr)
		lists.failed = append(lists.failed, LegLexical)
	}
	if vectorErr != nil {
		s.log.WarnContext(ctx, "vector leg failed", "error", vectorErr)
		lists.failed = append(lists.failed, LegVector)
	}
	return lists, nil
}

func (s *Service) lexicalLeg(ctx context.Context, p *plan, fetch int) (legList, error) {
	defer timed(&p.took.Lexical)()
	if len(p.terms) == 0 {
		return legList{}, nil
	}
	var found []lexical.Hit
	err := s.storage.View(ctx, func(tx ReadTx) (err error) {
		found, err = tx.Lexical(ctx, p.scope, LexicalQuery{Terms: p.terms, Limit: fetch, Only: p.only, Now: s.instant()})
		return err
	})
	hits := make([]legHit, len(found))
	for i, hit := range found {
		hits[i] = legHit(hit)
	}
	return legList{hits: hits, more: len(hits) >= fetch}, err
}

func (s *Service) vectorLeg(ctx context.Context, c Caller, p *plan, fetch int) (legList, error) {
	ctx, cancel := context.WithTimeout(ctx, s.budget)
	defer cancel()
	model, ok := s.indexer.Serving()
	if !ok {
		return legList{}, errNoModel
	}
	query, err := s.embedQuery(ctx, c, p, model)
	if err != nil {
		return legList{}, err
	}
	defer timed(&p.took.Vector)()
	found, err := withDeadline(ctx, func() ([]vector.Hit, error) {
		return model.Index.Search(ctx, p.scope, vector.Query{Vector: query, Limit: fetch, Only: p.only})
	})
	if err != nil {
		s.indexer.SuspectIndex()
	}
	hits := make([]legHit, len(found))
	for i, hit := range found {
		hits[i] = legHit(hit)
	}
	return legList{hits: hits, more: len(hits) >= fetch}, err
}

// embedQuery embeds the question once, and remembers it for this agent.
func (s *Service) embedQuery(ctx context.Context, c Caller, p *plan, model Model) ([]float32, error) {
	key := queryKey{agent: c.Agent, fingerprint: model.Fingerprint, query: p.request.Query}
	if v, ok := s.queries.get(key); ok {
		return v, nil
	}
	defer timed(&p.took.Embed)()
	v, err := withDeadline(ctx, func() ([]float32, error) { return model.Embedder.Query(ctx, p.request.Query) })
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	s.queries.put(key, v)
	return v, nil
}

// withDeadline returns when f does or the context ends, whichever is first,
// so that a leg's budget holds even over a client that is slow to notice.
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
