// Package sqlite is the embedded storage. One SQLite file holds rows, history, grants, queue,
// vectors and the inverted index of package posting. docs/decisions/0003-sqlite-postings.md
// explains why the index is not FTS5.
//
// Several processes may use a file concurrently. Each has one writing connection and several
// reading ones. A read sees the last commit before it began and never waits for a writer.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"mneme/internal/system"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// lockTimeout is how long a transaction waits for another process before it fails with
// memory.ErrUnavailable.
const lockTimeout = 30 * time.Second

// Storage is a memory.Storage in one SQLite file.
type Storage struct {
	path    string
	file    fs.FileInfo // when it was opened
	past    sqlcommon.Continuity
	readers *pool
	writers *pool // of one connection
	batches batchQueue
	gate    sqlcommon.Gate
	damaged atomic.Bool // a transaction has found the file damaged
	// rewritten is the number of erasures that the last rewrite of the file covered.
	rewritten atomic.Int64
	freeBytes func(folder string) (uint64, error) // on the folder's disk
	log       *time.Timer                         // calls moveLog
}

var _ memory.Storage = (*Storage)(nil)

// Open opens the file at path and migrates its schema. It creates the file and its folder if
// they do not exist, accessible only to their owner. The error is ErrNewer or ErrOlder if a
// newer or too old version of mneme wrote the file.
func Open(ctx context.Context, path string) (*Storage, error) {
	path, err := prepareFile(path)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", advise(ctx, path, err))
	}
	if err := migrate(ctx, path); err != nil {
		return nil, fmt.Errorf("open the database: %w", advise(ctx, path, err))
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", advise(ctx, path, err))
	}
	s := &Storage{
		path:    path,
		file:    file,
		readers: newPool(path, reading, max(4, 2*runtime.GOMAXPROCS(0))),
		writers: newPool(path, writing, 1),
		batches: batchQueue{bound: batchTime},

		freeBytes: system.FreeBytes,
	}
	s.log = time.AfterFunc(logRest, s.moveLog)
	return s, nil
}

// Readers implements memory.Storage.
func (s *Storage) Readers() int { return cap(s.readers.tokens) }

// Writers implements memory.Storage. There is one writing connection. Small writes that wait for
// it share a transaction (batch.go). A large write is admitted once the remaining work of those
// before it is at most as large as its own.
func (s *Storage) Writers() memory.WriterLimits {
	return memory.WriterLimits{Running: maxBatch, RunningEach: maxBatch / 2, UnitBytes: 4096}
}

// View implements memory.Storage. The snapshot is the last commit before fn reads for the first
// time.
func (s *Storage) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return s.view(ctx, func(r *readTx) error { return fn(r) })
}

func (s *Storage) view(ctx context.Context, fn func(*readTx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.ended(s.readers.with(ctx, func(c *session) error {
		if err := c.control(ctx, "BEGIN"); err != nil {
			return err
		}
		defer c.rollback()
		r := newReadTx(c)
		defer r.end()
		return fn(r)
	}))
}

// Update implements memory.Storage. The transaction holds the write lock from its start, so
// that what it reads does not change before it commits.
func (s *Storage) Update(ctx context.Context, fn func(memory.Tx) error) error {
	return s.update(ctx, func(w *writeTx) error { return fn(w) })
}

func (s *Storage) update(ctx context.Context, fn func(*writeTx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.committed(s.ended(s.writers.with(ctx, func(c *session) error { return runUpdate(ctx, c, fn) })))
}

// runUpdate runs one writing transaction.
func runUpdate(ctx context.Context, c *session, fn func(*writeTx) error) error {
	if err := c.controlWithRetry(ctx, beginWriting); err != nil {
		return err
	}
	defer c.rollback() // no-op after the commit
	w := newWriteTx(c)
	if err := w.run(ctx, fn); err != nil {
		return err
	}
	return c.commit(ctx, w.writer)
}

const beginWriting = "BEGIN IMMEDIATE"

// Close implements memory.Storage.
func (s *Storage) Close() error {
	s.log.Stop()
	return s.gate.Shut(func() error { return errors.Join(s.readers.close(), s.writers.close()) })
}

// enter registers a transaction, for which Close waits: the caller must leave the gate when it
// ends. It fails if the storage is closed, damaged or replaced.
func (s *Storage) enter() error {
	if err := s.gate.Enter(); err != nil {
		return err
	}
	err := s.inPlace()
	if s.damaged.Load() {
		err = ErrDamaged
	}
	if err != nil {
		s.gate.Leave()
	}
	return err
}
