package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// errNoList says that an index cannot be compared with the rows.
var errNoList = errors.New("this vector index cannot tell what it holds")

// forgetful is a vector index that can find out that it lost what it held.
type forgetful interface {
	// Lost tells whether that was found since the last call.
	Lost() bool
}

func lost(index vector.Index) bool {
	f, ok := index.(forgetful)
	return ok && f.Lost()
}

// Reconciled is what a reconciliation found and mended.
type Reconciled struct {
	Rows     int64 // entries that have vectors with their rows
	Indexed  int64 // entries that the index held
	Removed  int64 // held by the index, without a row that has vectors
	Restored int64 // missing from the index, or held differently there
}

// held is what the index should hold of an entry.
type held struct {
	chunks int
	store  int64
	label  acl.Label
}

// Reconcile compares the vector index with the rows' vectors and mends the
// index: what has no row goes, what is missing or differs is written from the
// rows, without embedding anything again. It runs beside reads, writes and
// workers; what those are about is left to the queue. A local index needs
// none: it follows the rows.
func (ix *Indexer) Reconcile(ctx context.Context) (Reconciled, error) {
	if err := ix.models.sync(ctx); err != nil {
		return Reconciled{}, err
	}
	now := ix.models.serving()
	if now == nil {
		return Reconciled{}, errNoModel
	}
	lister, ok := now.index.(vector.Lister)
	if !ok {
		return Reconciled{}, errNoList
	}
	// The index is read before the rows: an entry that is written in between
	// is then among the rows, and not taken for one that has none.
	found := make(map[uuid.UUID]held)
	err := lister.List(ctx, func(h vector.IndexedEntry) error {
		one := held{chunks: h.Chunks, store: h.Store, label: h.Label}
		if h.Inconsistent {
			one.chunks = 0
		}
		found[h.Entry] = one
		return nil
	})
	if err != nil {
		return Reconciled{}, fmt.Errorf("%w: list: %w", errIndex, err)
	}
	should, err := ix.rowVectors(ctx, now.fingerprint)
	if err != nil {
		return Reconciled{}, err
	}
	report := Reconciled{Rows: int64(len(should)), Indexed: int64(len(found))}
	var wrong []uuid.UUID
	for id := range found {
		if _, ok := should[id]; !ok {
			wrong = append(wrong, id)
		}
	}
	report.Removed = int64(len(wrong))
	for id, want := range should {
		if found[id] != want {
			wrong = append(wrong, id)
			report.Restored++
		}
	}
	if err := ix.mend(ctx, now, wrong); err != nil {
		return report, err
	}
	ix.progress.mended(report, ix.instant())
	return report, nil
}

// rowVectors is what the index should hold, by the rows.
func (ix *Indexer) rowVectors(ctx context.Context, fingerprint string) (map[uuid.UUID]held, error) {
	should := make(map[uuid.UUID]held)
	err := ix.storage.View(ctx, func(tx ReadTx) error {
		return tx.AllVectors(ctx, fingerprint, func(r vector.Record) error {
			one := should[r.Entry]
			should[r.Entry] = held{chunks: one.chunks + 1, store: r.Store, label: r.Label}
			return nil
		})
	})
	return should, err
}

// mend makes a shared index hold of each entry what the rows have now. Others
// may do the same for the same entries: whoever writes last looks at the rows
// after it.
func (ix *Indexer) mend(ctx context.Context, now *serving, ids []uuid.UUID) error {
	const many = 500
	for batch := range slices.Chunk(ids, many) {
		// An entry deleted or edited between the reading of its vectors and
		// the writing of the index would be left there as it was, so the rows
		// are read again until they stay the same.
		for before := []vector.Record(nil); ; {
			records, err := ix.vectorsNow(ctx, now.fingerprint, batch)
			if err != nil {
				return err
			}
			if before != nil && sameRecords(before, records) {
				break
			}
			if err := ix.models.take(ctx, now.index, batch, records); err != nil {
				return err
			}
			before = append([]vector.Record{}, records...)
		}
	}
	return nil
}

func (ix *Indexer) vectorsNow(ctx context.Context, fingerprint string, ids []uuid.UUID) (records []vector.Record, err error) {
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		records, err = tx.Vectors(ctx, fingerprint, ids)
		return err
	})
	return records, err
}

func sameRecords(a, b []vector.Record) bool {
	return slices.EqualFunc(a, b, func(x, y vector.Record) bool {
		return x.Entry == y.Entry && x.Chunk == y.Chunk && x.Store == y.Store && x.Label == y.Label && slices.Equal(x.Vector, y.Vector)
	})
}
