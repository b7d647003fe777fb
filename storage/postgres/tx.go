package postgres

import (
	"context"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// reader has the reads that are specific to PostgreSQL: ranking by words, finding the candidates
// of a search, reading the data for scoring them, and usage.
type reader struct{ *driver }

// readTx is a memory.ReadTx: the shared reads and PostgreSQL's own. Both run their statements in
// the same transaction, by one driver.
type readTx struct {
	sqlcommon.Reads
	reader
}

// writeTx is a memory.Tx. Its methods that replace shared ones take locks, or answer from
// prefetched rows.
type writeTx struct {
	sqlcommon.Reads
	sqlcommon.Writes
	*writer
}

var (
	_ memory.ReadTx = (*readTx)(nil)
	_ memory.Tx     = (*writeTx)(nil)
)

func newReadTx(tx connection) *readTx {
	r := reader{&driver{tx: tx, begun: true, rls: allRows}}
	return &readTx{sqlcommon.NewReads(r.driver, &r, &sqlDialect), r}
}

func newWriteTx(tx connection) *writeTx {
	w := newWriter(&driver{tx: tx, rls: allRows, heldLocks: make(map[int64]bool)})
	reads := sqlcommon.NewReads(w.driver, &w.reader, &sqlDialect)
	return &writeTx{reads, sqlcommon.NewWrites(w.driver, reads, &sqlDialect), w}
}

// FlushIndex implements sqlcommon.Tx.
func (w *writeTx) FlushIndex(ctx context.Context) error { return w.flushIndex(ctx) }
