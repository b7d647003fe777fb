package indexer

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// queuedEntries is the number of entries of a large store to queue in one step.
const queuedEntries = 500

// queueRest queues the entries of large stores that a memory.ReadingChange left to be queued,
// in steps: queuing all entries of a large store at once would exceed the statement timeout and
// delay writers. If a process is killed meanwhile, the next one queues the rest. more reports
// whether anything was left.
func (ix *Indexer) queueRest(ctx context.Context) (more bool, err error) {
	var left Reread
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		left, err = tx.Reread(ctx)
		return err
	})
	for _, of := range left.Unqueued {
		err = errors.Join(err, ix.queueRestOf(ctx, of))
	}
	return len(left.Unqueued) > 0, err
}

// queueRestOf is queueRest for one store. It lists the store's entries once: one that is
// written later is queued by its write. queueRestOf ends early if another process queues the
// entries, or if another ReadingChange of the store starts over.
func (ix *Indexer) queueRestOf(ctx context.Context, of Unqueued) error {
	var ids []uuid.UUID
	err := ix.storage.View(ctx, func(tx ReadTx) error {
		stores, err := tx.StoreFacts(ctx, []string{of.Store})
		if err != nil {
			return err
		}
		ids, err = tx.StoreEntries(ctx, stores[of.Store].Number)
		return err
	})
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id uuid.UUID) bool { return bytes.Compare(id[:], of.After[:]) <= 0 })
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	for {
		step := ids[:min(queuedEntries, len(ids))]
		queued := false
		err := ix.storage.Update(ctx, func(tx Tx) (err error) {
			queued, err = tx.QueueRest(ctx, of, step)
			return err
		})
		if err != nil || !queued || len(step) == 0 {
			return err
		}
		ix.Wake()
		of.After, ids = step[len(step)-1], ids[len(step):]
	}
}
