package memory

import (
	"context"
	"time"
)

// ScrubDue reports whether a process that has not scrubbed yet does so.
func ScrubDue(left Unscrubbed, at time.Time) bool { return scrubbing{}.now(left, at) }

// Sweep does at once what Run does from time to time.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.trimFeeds(ctx, s.Instant()); err != nil {
		return err
	}
	return s.sweep(ctx, s.Instant())
}

// Candidates returns the rows of all candidates in a store within the caller's scope, in
// one snapshot: by way of the cache, and as the storage has them.
func (s *Service) Candidates(ctx context.Context, c Caller, store string) (cached, rows []Entry, err error) {
	err = s.storage.View(ctx, func(tx ReadTx) error {
		scope, err := s.searchScope(ctx, tx, c, SearchRequest{Stores: []string{store}})
		if err != nil {
			return err
		}
		a, _ := scope.Access(store)
		scanned, err := tx.Scan(ctx, ScanQuery{Store: store, Ceiling: a.Ceiling, Limit: 1000})
		if err != nil {
			return err
		}
		if cached, err = s.candidates.Siblings(ctx, tx, viewerOf(c), scope, idsOf(scanned)); err != nil {
			return err
		}
		rows, err = tx.Siblings(ctx, scope, idsOf(scanned))
		return err
	})
	return cached, rows, err
}
