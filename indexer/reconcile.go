package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"mneme/vector"
)

// errNoList reports that an index cannot be compared with the rows.
var errNoList = errors.New("this vector index cannot list its contents")

// lossDetector is a vector index that can detect that it lost its contents.
type lossDetector interface {
	// Lost reports whether a loss was detected since the last call.
	Lost() bool
}

func lost(index vector.Index) bool {
	f, ok := index.(lossDetector)
	return ok && f.Lost()
}

// Reconciled counts what a reconciliation found and repaired in the vector indexes, main and
// multilingual. An entry with vectors of both models counts twice.
type Reconciled struct {
	Rows     int64 // entries that have vectors with their rows
	Indexed  int64 // entries that were in the index
	Removed  int64 // in the index, but without a row that has vectors
	Restored int64 // missing from the index, or different there
}

// Reconcile compares the vector indexes with the rows' vectors and repairs the indexes: it
// removes vectors without a row, and writes missing or different vectors from the rows. It
// embeds nothing. It may run concurrently with reads, writes and workers: it leaves entries
// that these are changing to the queue. A local index needs no reconciliation, since it follows
// the rows. Reconcile waits up to two minutes for an index that is down or starting. If another
// model starts serving meanwhile, Reconcile compares that model's index.
func (ix *Indexer) Reconcile(ctx context.Context) (Reconciled, error) {
	for {
		report, err := ix.reconcileServing(ctx)
		if !errors.Is(err, errReplaced) {
			return report, err
		}
	}
}

// reconcileServing is Reconcile with the models that serve now. It returns errReplaced if other
// models serve before it ends.
func (ix *Indexer) reconcileServing(ctx context.Context) (Reconciled, error) {
	main, err := ix.models.await(ctx)
	if err != nil {
		return Reconciled{}, err
	}
	indexes := []*serving{main}
	if main.model.EnglishOnly {
		second, err := ix.multilingual.await(ctx)
		switch {
		case errors.Is(err, errNoModel): // no entry needed it yet, or no model here made its vectors
		case err != nil:
			return Reconciled{}, err
		case !second.model.Local:
			indexes = append(indexes, second)
		}
	}
	return ix.reconcile(ctx, indexes)
}

// reconcile is Reconcile for the given indexes. If one fails, it returns the error with what it
// repaired in the indexes before that one.
func (ix *Indexer) reconcile(ctx context.Context, indexes []*serving) (sum Reconciled, err error) {
	for _, now := range indexes {
		report, err := ix.reconcileIndex(ctx, now)
		if err != nil {
			return sum, err
		}
		ix.progress.repaired(report)
		sum.Rows += report.Rows
		sum.Indexed += report.Indexed
		sum.Removed += report.Removed
		sum.Restored += report.Restored
	}
	ix.progress.reconciled.Store(&reconciliation{ix.instant(), sum})
	return sum, nil
}

func (ix *Indexer) reconcileIndex(ctx context.Context, now *serving) (Reconciled, error) {
	lister, ok := now.index.(vector.Lister)
	if !ok {
		return Reconciled{}, errNoList
	}
	// The index is read before the rows, so that an entry written in between is found among the
	// rows and not removed.
	found := make(map[uuid.UUID]uint64)
	err := lister.List(ctx, func(e vector.IndexedEntry) error {
		found[e.Entry] = e.Digest
		return nil
	})
	if err != nil {
		return Reconciled{}, fmt.Errorf("%w: list: %w", errIndex, err)
	}
	should, err := ix.rowDigests(ctx, now)
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
		if got, ok := found[id]; !ok || got != want {
			wrong = append(wrong, id)
			report.Restored++
		}
	}
	return report, ix.repair(ctx, now, wrong)
}

// rowDigests returns, for each entry that has vectors in the rows, the
// vector.IndexedEntry.Digest that the index should list.
func (ix *Indexer) rowDigests(ctx context.Context, now *serving) (map[uuid.UUID]uint64, error) {
	should := make(map[uuid.UUID]uint64)
	err := ix.storage.View(ctx, func(tx ReadTx) error {
		if err := checkServing(ctx, tx, now); err != nil {
			return err
		}
		return tx.AllVectors(ctx, now.fingerprint, func(r vector.Record) error {
			should[r.Entry] += r.Digest()
			return nil
		})
	})
	return should, err
}

// checkServing returns errReplaced if the model now no longer serves. Its vectors are then
// dropped from the rows, and its index is about to be dropped. The caller must not empty that
// index entry by entry, nor recreate it by a late write.
func checkServing(ctx context.Context, tx ReadTx, now *serving) error {
	if now.next {
		return nil
	}
	for _, setting := range settings {
		active, err := tx.Meta(ctx, setting)
		if err != nil || string(active) == now.fingerprint {
			return err
		}
	}
	return errReplaced
}

// repair writes the current vectors of entries from their rows to a shared index. Other
// processes may do the same concurrently: each reads the rows again after its write, so that
// the last write is of the current rows.
func (ix *Indexer) repair(ctx context.Context, now *serving, ids []uuid.UUID) (err error) {
	end := ix.unsettled.begin(now.fingerprint, ids)
	defer func() { end(err) }()
	const many = sharedRows
	for batch := range slices.Chunk(ids, many) {
		// If an entry changed between the read of its vectors and the write to the index, its
		// old vectors would stay there. So the rows are read again until they no longer change.
		for before := []vector.Record(nil); ; {
			records, err := ix.vectorsNow(ctx, now, batch)
			if err != nil {
				return err
			}
			if before != nil && sameRecords(before, records) {
				break
			}
			if err := ix.models.replace(ctx, now.index, batch, records); err != nil {
				if before != nil {
					ix.unsettled.add(now.fingerprint, batch) // another worker may have removed the queue rows
				}
				return err
			}
			before = append([]vector.Record{}, records...)
		}
	}
	return nil
}

func (ix *Indexer) vectorsNow(ctx context.Context, now *serving, ids []uuid.UUID) (records []vector.Record, err error) {
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		if err := checkServing(ctx, tx, now); err != nil {
			return err
		}
		records, err = vectorsOf(ctx, tx, now.fingerprint, ids)
		return err
	})
	return records, err
}

func sameRecords(a, b []vector.Record) bool {
	return slices.EqualFunc(a, b, func(x, y vector.Record) bool {
		return x.Entry == y.Entry && x.Chunk == y.Chunk && x.Store == y.Store && x.Label == y.Label && slices.Equal(x.Vector, y.Vector)
	})
}
