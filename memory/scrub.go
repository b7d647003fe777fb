package memory

import (
	"context"
	"errors"
	"time"

	"mneme/acl"
)

// Writers wait while the files are scrubbed, about a minute per GB. So the background work
// scrubs while no caller of this process writes.
const (
	// purgeQuiet is how long no caller must have written before purged entries are scrubbed. An
	// import may write for hours: after purgeLatest they are scrubbed in any case.
	purgeQuiet  = 2 * time.Second
	purgeLatest = 5 * time.Minute
	// scrubLook is the interval between checks whether callers still write.
	scrubLook = time.Second
	// dropEvery is the minimum interval between scrubs of data that was dropped but not purged.
	// Such data arises often: each write of an entry with a full history drops a former
	// version. The scrub starts when no caller has written for dropQuiet, and after dropLatest
	// in any case.
	dropEvery  = 24 * time.Hour
	dropQuiet  = time.Minute
	dropLatest = 48 * time.Hour
	// scrubShare is the ratio of the pause after a scrub to the scrub's duration. Writers so
	// wait for at most about a twentieth of the time.
	scrubShare = 20
	// scrubRetry is the pause after a failed scrub, for example on a full disk. It doubles with
	// each failure, up to scrubRetryMost. It does not double after ErrHeld, because readers of
	// an older state end soon.
	scrubRetry     = 20 * time.Second
	scrubRetryMost = time.Hour
)

// scrubbing records this process's last scrub in the background, and the pause that must follow
// it.
type scrubbing struct {
	last   time.Time
	pause  time.Duration
	failed int // consecutive failures
	// urgent is when this process first learned of the purged data that is left in the files,
	// and pending is the same for any erased data. The zero time means that there is none.
	urgent, pending time.Time
}

// note records which erased data is left in the files at a time.
func (s *scrubbing) note(left Unscrubbed, at time.Time) {
	since := func(t *time.Time, holds bool) {
		switch {
		case !holds:
			*t = time.Time{}
		case t.IsZero():
			*t = at
		}
	}
	since(&s.urgent, left.Pending && left.Urgent)
	since(&s.pending, left.Pending)
}

// now reports whether to scrub at a time, given what is left. quiet reports whether no caller
// has written for a duration.
func (s *scrubbing) now(left Unscrubbed, at time.Time, quiet func(time.Duration) bool) bool {
	switch {
	case !left.Pending || !due(s.last, s.pause, at):
		return false
	case left.Urgent:
		return quiet(purgeQuiet) || due(s.urgent, purgeLatest, at)
	}
	since := left.Last
	if since.IsZero() {
		since = s.pending
	}
	return due(left.Last, dropEvery, at) && (quiet(dropQuiet) || due(since, dropLatest, at))
}

// ended records the end and result of a scrub.
func (s *scrubbing) ended(at time.Time, took time.Duration, err error) {
	s.last, s.pause = at, scrubShare*took
	switch {
	case err == nil:
		s.failed = 0
	case errors.Is(err, ErrHeld):
		s.pause = max(s.pause, scrubRetry)
	default:
		s.pause = max(s.pause, min(scrubRetry<<min(s.failed, 10), scrubRetryMost))
		s.failed++
	}
}

// due reports whether a task that was last done at a time must be done again, after an
// interval. A last time in the future was taken while the clock was ahead: the task is then
// due.
func due(last time.Time, every time.Duration, at time.Time) bool {
	return at.Before(last) || !at.Before(last.Add(every))
}

// scrubWhenDue scrubs the database's files if that is due; the data may have been erased by any
// process. again reports whether to call it again soon: purged data is left, but the scrub
// waits until no caller writes. ErrHeld is not an error here, since the scrub is retried.
func (s *Service) scrubWhenDue(ctx context.Context, scrubs *scrubbing) (again bool, err error) {
	at := s.Instant()
	left, err := s.storage.Unscrubbed(ctx)
	if err != nil {
		return false, err
	}
	scrubs.note(left, at)
	if !scrubs.now(left, at, s.writers.quiet) {
		return left.Pending && left.Urgent && due(scrubs.last, scrubs.pause, at), nil
	}
	began := time.Now()
	_, err = s.storage.Scrub(ctx, s.Instant)
	scrubs.ended(s.Instant(), time.Since(began), err)
	if errors.Is(err, ErrHeld) {
		err = nil
	}
	return false, err
}

// scrubUntil performs due scrubs until the next sweep, and returns false once ctx has ended.
// Failures are logged.
func (s *Service) scrubUntil(ctx context.Context, sweep <-chan time.Time, scrubs *scrubbing) bool {
	for {
		again, err := s.scrubWhenDue(ctx, scrubs)
		if err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "a background task failed", "task", "scrub", "error", err)
		}
		var soon <-chan time.Time
		if again {
			soon = time.After(scrubLook)
		}
		select {
		case <-ctx.Done():
			return false
		case <-sweep:
			return true
		case <-soon:
		case <-s.purged:
		}
	}
}

// scrubPurged scrubs the files after a purge. It returns the time from which no file contains
// the erased data, or the zero time if that is not known yet. If wait is false or the scrub
// fails, for example because a reader still uses the data, the background work of any process
// scrubs later.
func (a *Admin) scrubPurged(ctx context.Context, wait bool) time.Time {
	s := a.service
	left, err := s.storage.Unscrubbed(ctx)
	if err == nil && !left.Urgent && !left.Last.IsZero() {
		return left.Last // no purge has erased anything since
	}
	if err == nil && wait {
		at, err := s.storage.Scrub(ctx, s.Instant)
		if err == nil {
			return at
		}
		if !errors.Is(err, ErrHeld) && ctx.Err() == nil {
			s.log.WarnContext(ctx, "purged data is still in the files of the database", "error", err)
		}
	}
	s.wakeScrub()
	return time.Time{}
}

// wakeScrub makes this process's background work check whether a scrub is due.
func (s *Service) wakeScrub() {
	select {
	case s.purged <- struct{}{}:
	default:
	}
}

// Scrub removes data erased before the call from the files of the database. It returns the time
// from which no file contains the data, or the zero time if the database removes it by itself
// at its own times. The error is ErrHeld if a reader uses an older state. It takes a platform
// token.
func (a *Admin) Scrub(ctx context.Context, c Caller) (time.Time, error) {
	if !c.Platform {
		return time.Time{}, acl.ErrDenied
	}
	return a.service.storage.Scrub(ctx, a.service.Instant)
}
