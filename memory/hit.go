package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
)

// loadValues reads the whole entries of the candidates and returns their hits
// in the same order.
func loadValues(ctx context.Context, tx EntryReader, q *searchQuery, candidates []*candidate) ([]Hit, error) {
	ids := make([]uuid.UUID, len(candidates))
	index := make(map[uuid.UUID]int, len(candidates))
	for i, c := range candidates {
		ids[i], index[c.entry.ID] = c.entry.ID, i
	}
	entries, err := tx.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(candidates))
	for _, e := range entries {
		i := index[e.ID]
		hits[i] = newHit(candidates[i], e, q.request.Explain)
	}
	return hits, nil
}

// newHit shows of an entry what the caller's level on its store allows.
func newHit(c *candidate, e Entry, explain bool) Hit {
	if c.access.Level < acl.Read {
		bare := Entry{Path: Path{Store: e.Store, Key: e.Key}, Label: e.Label, Value: e.Value}
		return Hit{Entry: bare, Score: c.score, Level: c.access.Level}
	}
	e.Source = nil // its ids are not checked against what the caller may read: see Get
	hit := Hit{Entry: e, Score: c.score, Level: c.access.Level}
	if explain {
		hit.Explain = &Explain{Lexical: c.lexical, Vector: c.vector, Fused: c.fused, Via: c.access.Via, Label: e.Label}
	}
	return hit
}
