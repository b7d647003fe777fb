package indexer

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
)

// queuedEntries is the number of entries of a large store that are queued at a time.
const queuedEntries = 500

// queueRest queues what facts left, in steps: all of a large store would take longer than
// a statement may, and hold up those who write. What a killed process has left is queued
// by the next. more reports whether anything was left.
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

// queueRestOf is queueRest of a store. An entry that is written after its entries were
// listed is queued as it is written. It ends if another process queues them, or another
// fact begins again.
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
