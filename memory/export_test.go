package memory

import "context"

// Sweep does at once what Run does from time to time.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.trimFeeds(ctx, s.instant()); err != nil {
		return err
	}
	return s.sweep(ctx, s.instant())
}
