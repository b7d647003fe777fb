package memory

import (
	"context"
	"time"
)

// sweepEvery is how often expired entries are swept; the rule is at most 60 s.
const sweepEvery = 20 * time.Second

// Run sweeps what has expired until ctx ends. Failures are logged and tried
// again.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.sweep(ctx, s.instant()); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "a background task failed", "task", "sweep", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// sweep removes expired entries from every index, and deletes expired facts.
func (s *Service) sweep(ctx context.Context, now time.Time) error {
	for {
		swept := 0
		err := s.storage.Update(ctx, func(tx Tx) error {
			ids, err := tx.Expired(ctx, now, 200)
			if err != nil || len(ids) == 0 {
				return err
			}
			swept = len(ids)
			return tx.Sweep(ctx, ids, now)
		})
		if err != nil {
			return err
		}
		if swept == 0 {
			break
		}
		s.indexer.Wake()
	}
	return s.storage.Update(ctx, func(tx Tx) error { return tx.SweepFacts(ctx, now) })
}
