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

// Versions returns the page that EachVersion yields.
func (s *Service) Versions(ctx context.Context, c Caller, path Path, limit int, cursor string) (page Page, err error) {
	page.Next, err = s.EachVersion(ctx, c, path, limit, cursor, page.add)
	return page, err
}
