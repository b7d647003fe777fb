package memory

import (
	"context"
	"time"
)

// ScrubDue reports whether a process that has not scrubbed yet does so.
func ScrubDue(left Unscrubbed, at time.Time) bool { return scrubbing{}.now(left, at) }

// Sweep does at once what Run does from time to time.
func Sweep(ctx context.Context, s *Service) error {
	if err := s.trimFeeds(ctx, s.Instant()); err != nil {
		return err
	}
	return s.sweep(ctx, s.Instant())
}
