package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mneme/internal/system"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

const (
	// truncateWait is how long one attempt to truncate the log waits for readers of an older
	// state, while writers wait for it. truncateTries is the number of attempts.
	truncateWait  = 200 * time.Millisecond
	truncateTries = 10
)

// erasure is the only row of table erasure, which counts erasures of text.
type erasure struct {
	erased, scrubbed int64
	urgent           bool
	scrubbedAt       int64 // µs since 1970, 0: never
}

// last returns when the last scrub left no erased text in the files; the zero time: there was
// none.
func (e erasure) last() time.Time {
	if e.scrubbedAt == 0 {
		return time.Time{}
	}
	return fromMicros(e.scrubbedAt)
}

func (d *driver) erasure(ctx context.Context) (e erasure, err error) {
	_, err = d.one(ctx, []any{&e.erased, &e.scrubbed, &e.urgent, &e.scrubbedAt}, "erasure.state")
	return e, err
}

// Unscrubbed implements memory.Scrubber.
func (s *Storage) Unscrubbed(ctx context.Context) (memory.Unscrubbed, error) {
	e, err := s.erasures(ctx)
	return memory.Unscrubbed{Pending: e.erased > e.scrubbed, Urgent: e.urgent, Last: e.last()}, err
}

// Scrub implements memory.Scrubber. It rewrites the index of exact words, then the file by
// VACUUM, and truncates the write-ahead log. VACUUM blocks the writers of all processes;
// readers continue.
func (s *Storage) Scrub(ctx context.Context, now func() time.Time) (time.Time, error) {
	began, err := s.erasures(ctx)
	switch {
	case err != nil:
		return time.Time{}, err
	case began.erased == 0: // nothing was ever erased
		return now(), nil
	case began.erased == began.scrubbed:
		return began.last(), nil
	}
	unlock, err := system.LockContext(ctx, rewriteLock(s.path), func() { sqlcommon.ReportWait(ctx, "is rewriting the database") })
	if err != nil {
		return time.Time{}, err
	}
	at, err := s.scrub(context.WithValue(ctx, holdsRewriteLock{}, true), now)
	return at, errors.Join(err, unlock())
}

// scrub is Scrub for a caller that holds the lock. While it waited for the lock, another process
// may have scrubbed.
func (s *Storage) scrub(ctx context.Context, now func() time.Time) (time.Time, error) {
	began, err := s.erasures(ctx)
	if err != nil || began.erased == began.scrubbed {
		return began.last(), err
	}
	if s.rewritten.Load() < began.erased {
		if err := s.rewrite(ctx); err != nil {
			return time.Time{}, err
		}
		s.rewritten.Store(began.erased)
	}
	if err := s.truncateLog(ctx); err != nil {
		return time.Time{}, err
	}
	at := now()
	return at, s.update(ctx, func(w *writeTx) error {
		_, err := w.exec(ctx, "erasure.finish", began.erased, micros(at))
		return err
	})
}

func (s *Storage) erasures(ctx context.Context) (e erasure, err error) {
	err = s.view(ctx, func(r *readTx) (err error) {
		e, err = r.erasure(ctx)
		return err
	})
	return e, err
}

// truncateLog truncates the write-ahead log. The error is memory.ErrHeld if a reader uses an
// older state.
func (s *Storage) truncateLog(ctx context.Context) error {
	for range truncateTries {
		busy := 1
		err := s.enter()
		if err != nil {
			return err
		}
		err = s.writers.with(ctx, func(c *session) error { return c.checkpoint(&busy) })
		s.gate.Leave()
		if err != nil && !errors.Is(err, errBusy) {
			return err
		}
		if err == nil && busy == 0 {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond): // writers first
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return memory.ErrHeld
}

// checkpoint moves the log into the file and truncates it, unless readers of an older state
// still need it after truncateWait.
func (s *session) checkpoint(busy *int) error {
	if _, err := s.conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA busy_timeout = %d", truncateWait.Milliseconds())); err != nil {
		return interpret("checkpoint", err)
	}
	var frames, moved int
	err := s.conn.QueryRowContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(busy, &frames, &moved)
	if _, again := s.conn.ExecContext(context.Background(), writerTimeout); err == nil {
		err = again
	}
	if err != nil {
		return interpret("checkpoint", err)
	}
	return nil
}
