package memory

import (
	"context"
	"time"
)

// ScrubDue reports whether a process does so that scrubbed at a time of its own, with a
// pause of a minute after it.
func ScrubDue(own time.Time, left Unscrubbed, at time.Time) bool {
	return scrubbing{own, time.Minute}.now(left, at)
}

// Sweep does at once what Run does from time to time.
func Sweep(ctx context.Context, s *Service) error {
	if err := s.trimFeeds(ctx, s.Instant()); err != nil {
		return err
	}
	return s.sweep(ctx, s.Instant())
}
