package search

import (
	"context"

	"mneme/memory"
)

// Candidates returns the rows of all candidates in a store within the caller's scope, in
// one snapshot: by way of the cache, and as the storage has them.
func (s *Searcher) Candidates(ctx context.Context, c memory.Caller, store string) (cached, rows []memory.Entry, err error) {
	err = s.storage.View(ctx, func(tx memory.ReadTx) error {
		scope, err := s.searchScope(ctx, tx, c, Request{Stores: []string{store}})
		if err != nil {
			return err
		}
		a, _ := scope.Access(store)
		scanned, err := tx.List(ctx, memory.ScanQuery{Store: store, Ceiling: a.Ceiling, Limit: 1000})
		if err != nil {
			return err
		}
		siblings, err := s.candidates.Siblings(ctx, tx, viewerOf(c), scope, idsOf(scanned))
		if err != nil {
			return err
		}
		for _, e := range siblings {
			cached = append(cached, *e)
		}
		rows, err = tx.At(ctx, memory.Siblings{Scope: scope, IDs: idsOf(scanned)})
		return err
	})
	return cached, rows, err
}
