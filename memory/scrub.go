package memory

import (
	"context"
	"errors"
	"time"

	"mneme/acl"
)

const (
	// scrubEvery is how long what was not purged but dropped, such as former versions,
	// stays in the files of the database at most, unless scrubbing them takes long.
	scrubEvery = 10 * time.Minute
	// scrubShare is how many times longer than a scrub took the pause after it is.
	scrubShare = 20
)

// scrubbing is when a process last scrubbed on its own, and the pause after that.
type scrubbing struct {
	last  time.Time
	pause time.Duration
}

// now reports whether what is left is to be scrubbed at a time.
func (s scrubbing) now(left Unscrubbed, at time.Time) bool {
	return left.Pending && (left.Urgent || due(s.last, s.pause, at) && due(left.Last, scrubEvery, at))
}

// due reports whether what is done every so often, and was done last, is to be done again
// at a time. If the last time lies in the future, the clock was ahead then.
func due(last time.Time, every time.Duration, at time.Time) bool {
	return at.Before(last) || !at.Before(last.Add(every))
}

// scrubWhenDue removes what was erased from the files of the database: at once what a
// purge erased, in whichever process, and other text every scrubEvery. A reader of an
// older state only delays it.
func (s *Service) scrubWhenDue(ctx context.Context, scrubs *scrubbing) error {
	now := s.Instant()
	left, err := s.storage.Unscrubbed(ctx)
	if err != nil || !scrubs.now(left, now) {
		return err
	}
	began := time.Now()
	if _, err := s.storage.Scrub(ctx, now); err != nil && !errors.Is(err, ErrHeld) {
		return err
	}
	scrubs.last, scrubs.pause = now, scrubShare*time.Since(began)
	return nil
}

// scrubPurged is Scrub after a purge. If it fails, as when a reader keeps what was erased,
// the background work of any process goes on with it, and no time is known yet.
func (a *Admin) scrubPurged(ctx context.Context) time.Time {
	at, err := a.service.storage.Scrub(ctx, a.service.Instant())
	if err == nil {
		return at
	}
	if !errors.Is(err, ErrHeld) && ctx.Err() == nil {
		a.service.log.WarnContext(ctx, "what was purged is still in the files of the database", "error", err)
	}
	return time.Time{}
}

// Scrub removes what was erased before from the files of the database and returns when
// none of them held it; the zero time where the database does that at times of its own.
// ErrHeld: a reader of an older state keeps it. It takes a platform token.
func (a *Admin) Scrub(ctx context.Context, c Caller) (time.Time, error) {
	if !c.Platform {
		return time.Time{}, acl.ErrDenied
	}
	return a.service.storage.Scrub(ctx, a.service.Instant())
}
