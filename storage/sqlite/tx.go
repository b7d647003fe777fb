package sqlite

import (
	"cmp"
	"context"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// reader has the reads that are specific to SQLite: ranking by words, finding the candidates of
// a search, reading the data for scoring them, and usage.
type reader struct{ *driver }

// readTx is a memory.ReadTx: the shared reads and SQLite's own. Both run their statements in the
// same transaction, by one driver.
type readTx struct {
	sqlcommon.Reads
	reader
}

// writeTx is a memory.Tx.
type writeTx struct {
	sqlcommon.Reads
	sqlcommon.Writes
	*writer
}

var (
	_ memory.ReadTx = (*readTx)(nil)
	_ memory.Tx     = (*writeTx)(nil)
)

func newReadTx(s *session) *readTx {
	r := reader{&driver{session: s, kept: &s.kept}}
	return &readTx{sqlcommon.NewReads(r.driver, &r, &sqlDialect), r}
}

func newWriteTx(s *session) *writeTx {
	w := newWriter(&driver{session: s})
	reads := sqlcommon.NewReads(w.driver, &w.reader, &sqlDialect)
	return &writeTx{reads, sqlcommon.NewWrites(w.driver, reads, &sqlDialect), w}
}

// run runs fn in an open transaction, and writes what fn has collected, except for the index.
func (w *writeTx) run(ctx context.Context, fn func(*writeTx) error) error {
	defer w.end()
	if err := fn(w); err != nil {
		return err
	}
	return cmp.Or(w.flushRows(ctx), w.failed)
}

// FlushIndex implements sqlcommon.Tx.
func (w *writeTx) FlushIndex(ctx context.Context) error { return w.flush(ctx) }
