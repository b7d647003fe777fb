package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mneme/internal/system"
	"mneme/memory"
)

// rewriteTimeout is how long a transaction waits for a process that rewrites the file before it
// fails with memory.ErrUnavailable. VACUUM takes about a minute per GB.
const rewriteTimeout = 10 * time.Minute

// rewriteLock is the file that is locked while a process rewrites the database at path. The
// lock ends with the process.
func rewriteLock(path string) string { return path + ".rewrite" }

// holdsRewriteLock is the key of a context whose caller has the lock.
type holdsRewriteLock struct{}

// othersRewrite reports whether anybody but the caller is rewriting the database at path.
func othersRewrite(ctx context.Context, path string) bool {
	if ctx.Value(holdsRewriteLock{}) != nil {
		return false
	}
	attempt, cancel := context.WithCancel(ctx)
	cancel() // one attempt
	held := false
	unlock, err := system.LockContext(attempt, rewriteLock(path), func() { held = true })
	if err == nil {
		_ = unlock() // no process is rewriting the file
	}
	return held
}

// rewrite rewrites the file so that it contains no data erased before the call. If it fails,
// the database does not change.
func (s *Storage) rewrite(ctx context.Context) error {
	memory.ReportProgress(ctx, "rewriting the database without what was erased")
	defer memory.ReportProgress(ctx, "")
	word := func(write func(*writer, context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			return s.update(ctx, func(w *writeTx) error { return write(w.writer, ctx) })
		}
	}
	for _, step := range [...]func(context.Context) error{s.requireRoom, word((*writer).mergeWords), word((*writer).rewriteWords), s.vacuum} {
		if err := step(ctx); err != nil {
			if ctx.Err() == nil {
				_ = s.truncateLog(ctx) // returns the disk space that the step used
			}
			return fmt.Errorf("rewrite the database: %w", err)
		}
	}
	return nil
}

// vacuums admits one VACUUM of the process at a time: the folder for SQLite's temporary files
// is a setting of the process.
var vacuums = make(chan struct{}, 1)

func (s *Storage) vacuum(ctx context.Context) error {
	select {
	case vacuums <- struct{}{}:
		defer func() { <-vacuums }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.ended(s.writers.with(ctx, func(c *session) error {
		c.broken = true // closing it frees its memory
		return c.vacuum(ctx, filepath.Dir(s.path))
	}))
}

// requireRoom fails if the disk has no room for two copies of the file's contents, one of them
// in the log. Otherwise VACUUM would fill the disk, and every other write would fail too.
func (s *Storage) requireRoom(ctx context.Context) error {
	var pages, unused, size uint64
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	err := s.writers.with(ctx, func(c *session) error {
		for pragma, value := range map[string]*uint64{"page_count": &pages, "freelist_count": &unused, "page_size": &size} {
			if err := c.conn.QueryRowContext(context.Background(), "PRAGMA "+pragma).Scan(value); err != nil {
				return interpret("rewrite", err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	need := 2 * (pages - unused) * size
	free, err := s.freeBytes(filepath.Dir(s.path))
	if err != nil || free >= need { // if the free space is unknown, VACUUM finds out
		return nil //nolint:nilerr // see above
	}
	return fmt.Errorf("%w: rewriting the database needs %d MB free on its disk, which has %d MB", memory.ErrUnavailable, need>>20, free>>20)
}

// vacuumCache is the page cache of a connection that runs VACUUM. The temporary file has
// another of this size, and pages in them take twice their size: 13 MB in all. VACUUM goes
// through pages in order: with 16 MiB it is no faster, and takes 80 MB.
const vacuumCache = 2 << 20

// vacuum runs VACUUM with its temporary file in folder. There the file is as protected as the
// database; the system's folder may be in memory, on another disk, or read-only. The file has
// no name, so that it ends with the process. ctx interrupts the statement.
// The session is only for this use.
func (s *session) vacuum(ctx context.Context, folder string) error {
	quoted := "'" + strings.ReplaceAll(folder, "'", "''") + "'"
	for _, pragma := range [...]string{"temp_store_directory = " + quoted, "temp_store = file", fmt.Sprintf("cache_size = -%d", vacuumCache>>10)} {
		if _, err := s.conn.ExecContext(context.Background(), "PRAGMA "+pragma); err != nil {
			return interpret("rewrite", err)
		}
	}
	return s.retry(ctx, func() error {
		_, err := s.conn.ExecContext(ctx, "VACUUM")
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return interpret("rewrite", err)
		}
		return nil
	})
}
