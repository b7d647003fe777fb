package memory

import (
	"context"
	"errors"
	"time"

	"mneme/acl"
)

// Writers wait while the files are scrubbed, about a minute per GB. So the background work
// scrubs when no caller of this process writes.
const (
	// purgeQuiet is how long nobody has written before what a purge erased is scrubbed, and
	// purgeLatest how long that is waited for: an import may take hours.
	purgeQuiet  = 2 * time.Second
	purgeLatest = 5 * time.Minute
	// scrubLook is how often is looked meanwhile whether somebody writes.
	scrubLook = time.Second
	// dropEvery is how often what was not purged but dropped, such as former versions, is
	// scrubbed at most: every write of a full history drops one. It is once nobody has
	// written for dropQuiet, after dropLatest in any case.
	dropEvery  = 24 * time.Hour
	dropQuiet  = time.Minute
	dropLatest = 48 * time.Hour
	// scrubShare is how many times longer than a scrub took the pause after it is, so that
	// writers wait for a twentieth of the time at most.
	scrubShare = 20
	// scrubRetry is the pause after a scrub that failed, as on a full disk. It doubles up to
	// scrubRetryMost. Readers of an older state end soon: after ErrHeld it does not.
	scrubRetry     = 20 * time.Second
	scrubRetryMost = time.Hour
)

// scrubbing is when a process last scrubbed on its own, and the pause after that.
type scrubbing struct {
	last   time.Time
	pause  time.Duration
	failed int // times in succession
	// urgent and pending are since when this process knows of what a purge erased, and of
	// anything; the zero time: it does not.
	urgent, pending time.Time
}

// note notes what is left at a time.
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

// now reports whether what is left is to be scrubbed at a time. quiet reports whether nobody
// has written for so long.
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

// ended notes that a scrub ended at a time, and what came of it.
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

// due reports whether what is done every so often, and was done last, is to be done again
// at a time. If the last time lies in the future, the clock was ahead then.
func due(last time.Time, every time.Duration, at time.Time) bool {
	return at.Before(last) || !at.Before(last.Add(every))
}

// scrubWhenDue removes what was erased from the files of the database, in whichever process,
// if it is time for that. again reports that it is to be called soon, since what a purge
// erased is left until nobody writes. A reader of an older state only delays it.
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

// scrubUntil scrubs what is due until the next sweep is, and reports false once ctx has
// ended. Failures are logged.
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

// scrubPurged is what follows a purge: when no file held what was erased, the zero time if
// that is not known yet. If it does not wait, or the scrub fails, as when a reader keeps
// what was erased, the background work of any process goes on with it.
func (a *Admin) scrubPurged(ctx context.Context, wait bool) time.Time {
	s := a.service
	left, err := s.storage.Unscrubbed(ctx)
	if err == nil && !left.Urgent && !left.Last.IsZero() {
		return left.Last // no purge erased anything since
	}
	if err == nil && wait {
		at, err := s.storage.Scrub(ctx, s.Instant)
		if err == nil {
			return at
		}
		if !errors.Is(err, ErrHeld) && ctx.Err() == nil {
			s.log.WarnContext(ctx, "what was purged is still in the files of the database", "error", err)
		}
	}
	s.wakeScrub()
	return time.Time{}
}

// wakeScrub has the background work look at what is left.
func (s *Service) wakeScrub() {
	select {
	case s.purged <- struct{}{}:
	default:
	}
}

// Scrub removes what was erased before from the files of the database and returns when
// none of them held it; the zero time where the database does that at times of its own.
// ErrHeld: a reader of an older state keeps it. It takes a platform token.
func (a *Admin) Scrub(ctx context.Context, c Caller) (time.Time, error) {
	if !c.Platform {
		return time.Time{}, acl.ErrDenied
	}
	return a.service.storage.Scrub(ctx, a.service.Instant)
}
