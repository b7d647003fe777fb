package indexer

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"mneme/embed"
	"mneme/memory"
	"mneme/vector"
)

// Reindex embeds every entry with the configured embedder, while the current
// vectors keep serving. When no entry lacks a new vector, it makes the new ones
// active and drops the old. It covers entries written meanwhile, and resumes
// where an interrupted run stopped. It calls progress, unless nil, with the
// number of entries embedded so far and of all that it knows of, first before it
// embeds any.
func (ix *Indexer) Reindex(ctx context.Context, progress func(done, total int64)) (err error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	if len(ix.models.list) == 0 {
		return errNoModel
	}
	model := ix.models.list[0]
	fingerprint := model.Embedder.Fingerprint()
	var index vector.Index
	if !model.Local {
		if index, err = model.Open(ctx); err != nil {
			return fmt.Errorf("%w: open: %w", errIndex, err)
		}
		defer func() { err = errors.Join(err, closeIndex(index)) }()
	}
	next := &serving{model: model, fingerprint: fingerprint, index: index}
	var done int64
	for {
		missing, err := ix.missing(ctx, fingerprint)
		if err != nil {
			return err
		}
		total := done + missing
		progress(done, total)
		n, err := ix.reembed(ctx, next, func(n int) {
			done += int64(n)
			progress(done, max(done, total))
		})
		if err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		switched, err := ix.switchTo(ctx, fingerprint)
		if err != nil {
			return err
		}
		if switched {
			return ix.models.sync(ctx)
		}
	}
}

// missing counts the entries without vectors under a fingerprint.
func (ix *Indexer) missing(ctx context.Context, fingerprint string) (n int64, err error) {
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		n, err = tx.Count(ctx, memory.Unembedded{Fingerprint: fingerprint, Now: ix.instant()})
		return err
	})
	return n, err
}

// reembed embeds, in one pass, the entries without vectors of the next model and
// returns how many there were.
func (ix *Indexer) reembed(ctx context.Context, next *serving, progress func(n int)) (int, error) {
	var after uuid.UUID
	total := 0
	for {
		var rows []memory.Entry
		err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
			without := &memory.Unembedded{Fingerprint: next.fingerprint, Now: ix.instant()}
			rows, err = tx.List(ctx, memory.SearchableQuery{After: after, Limit: localRows, Without: without})
			return err
		})
		if err != nil || len(rows) == 0 {
			return total, err
		}
		leases := make([]Lease, len(rows))
		for i := range rows {
			leases[i] = Lease{Entry: rows[i].ID, Revision: rows[i].Revision}
		}
		jobs, texts, err := ix.prepare(ctx, next, leases)
		if err != nil {
			return total, err
		}
		passages, err := next.model.Embedder.Passages(ctx, texts)
		if err != nil {
			return total, err
		}
		if err := ix.saveBeside(ctx, next, jobs, passages); err != nil {
			return total, err
		}
		total += len(rows)
		progress(len(rows))
		after = rows[len(rows)-1].ID
	}
}

// saveBeside writes vectors of the next model without touching the queue, which
// belongs to the serving one.
func (ix *Indexer) saveBeside(ctx context.Context, next *serving, jobs []job, passages []embed.Passage) error {
	beside := *next
	beside.model.Local = false
	if err := ix.save(ctx, &beside, jobs, passages); err != nil {
		return err
	}
	if next.model.Local {
		return nil
	}
	return ix.repair(ctx, next, entriesIn(jobs))
}

// errBehind reports that some entries lack vectors of the new model.
var errBehind = errors.New("entries without vectors of the new model")

// switchTo makes a fingerprint the active one if no entry lacks its vectors, and
// reports whether it did.
func (ix *Indexer) switchTo(ctx context.Context, fingerprint string) (bool, error) {
	err := ix.storage.Update(ctx, func(tx Tx) error {
		without := &memory.Unembedded{Fingerprint: fingerprint, Now: ix.instant()}
		missing, err := tx.List(ctx, memory.SearchableQuery{Limit: 1, Without: without})
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return errBehind
		}
		if err := tx.SetMeta(ctx, fingerprintMeta, []byte(fingerprint)); err != nil {
			return err
		}
		return tx.DropVectors(ctx, []string{fingerprint})
	})
	if errors.Is(err, errBehind) {
		return false, nil
	}
	return err == nil, err
}
