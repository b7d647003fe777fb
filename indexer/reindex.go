package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"mneme/memory"
)

// Reindex embeds every entry with the configured embedders, while the current
// vectors keep serving. When no entry lacks a new vector, it makes the new ones
// active and drops the old. It covers entries written meanwhile, and resumes
// where an interrupted run stopped. It calls progress, unless nil, with the
// number of entries embedded so far and of all that it knows of, first before it
// embeds any.
func (ix *Indexer) Reindex(ctx context.Context, progress func(done, total int64)) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	if len(ix.models.list) == 0 {
		return errNoModel
	}
	if err := ix.replaceModel(ctx, mainModel, progress); err != nil {
		return err
	}
	if ix.multilingual.active() == "" || len(ix.multilingual.list) == 0 || !ix.models.list[0].EnglishOnly {
		return nil
	}
	return ix.replaceModel(ctx, multilingualModel, progress)
}

// remake replaces vectors that an earlier form of a configured model made, while they serve.
// Several processes may do so at the same time. It begins with what is left of vectors
// that were replaced before.
func (ix *Indexer) remake(ctx context.Context) error {
	if err := ix.removeDropped(ctx); err != nil {
		return err
	}
	for k, now := range ix.serving() {
		if now == nil || !now.model.Renew {
			continue
		}
		ix.log.InfoContext(ctx, "the model has a new form: vectors are made again in the background", "serving", now.fingerprint)
		if err := ix.replaceModel(ctx, k, func(int64, int64) {}); err != nil {
			return err
		}
		ix.log.InfoContext(ctx, "vectors were made again")
	}
	return nil
}

// ofKind returns the models of a kind, and those of the other.
func (ix *Indexer) ofKind(k int) (of, other *models) {
	if k == mainModel {
		return ix.models, ix.multilingual
	}
	return ix.multilingual, ix.models
}

// replacement is the model that replaces the k-th of readers.
type replacement struct {
	k int
	*serving
}

// readsAll reports whether there is nothing for the other kind of models to read.
func (r replacement) readsAll() bool { return r.k == mainModel && !r.model.EnglishOnly }

// replaceModel is Reindex for the models of a kind.
func (ix *Indexer) replaceModel(ctx context.Context, k int, progress func(done, total int64)) (err error) {
	of, _ := ix.ofKind(k)
	model := of.list[0]
	next := replacement{k, &serving{model: model, fingerprint: model.Embedder.Fingerprint(), next: true}}
	if !model.Local {
		if next.index, err = model.Open(ctx); err != nil {
			return fmt.Errorf("%w: open: %w", errIndex, err)
		}
		defer func() { err = errors.Join(err, closeIndex(next.index)) }()
	}
	var done int64
	for {
		missing, err := ix.missing(ctx, next)
		if err != nil {
			return err
		}
		total := done + missing
		progress(done, total)
		n, err := ix.reembed(ctx, next, func(n int) {
			done += int64(n)
			progress(done, max(done, total))
		})
		if errors.Is(err, errReplaced) { // a model of the other kind
			if err := ix.sync(ctx); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		switched, err := ix.switchTo(ctx, next)
		if err != nil {
			return err
		}
		if switched {
			return errors.Join(of.sync(ctx), ix.removeDropped(ctx))
		}
	}
}

// removedEntries is the number of entries whose dropped vectors are removed at a time.
const removedEntries = 500

// removeDropped removes the vectors that were dropped, in steps: all of a large database
// would take longer than a statement may, and hold up those who write. What a killed
// process has left is removed by the next.
func (ix *Indexer) removeDropped(ctx context.Context) error {
	var dropped []string
	err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
		dropped, err = tx.Dropped(ctx)
		return err
	})
	if err != nil || len(dropped) == 0 {
		return err
	}
	for after := uuid.Nil; ; {
		var last uuid.UUID
		err := ix.storage.Update(ctx, func(tx Tx) (err error) {
			last, err = tx.RemoveDropped(ctx, dropped, after, removedEntries)
			return err
		})
		if err != nil || last == uuid.Nil {
			return err
		}
		after = last
	}
}

// without returns what lacks vectors of the next model: entries that another model alone
// reads do not.
func (ix *Indexer) without(next replacement) memory.Unembedded {
	without := memory.Unembedded{Fingerprint: next.fingerprint, Now: ix.instant()}
	if _, other := ix.ofKind(next.k); !next.readsAll() {
		without.Other = other.active()
	}
	return without
}

// missing counts the entries without vectors of the next model.
func (ix *Indexer) missing(ctx context.Context, next replacement) (n int64, err error) {
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		n, err = tx.Count(ctx, ix.without(next))
		return err
	})
	return n, err
}

// reembed embeds, in one pass, the entries without vectors of the next model and
// returns how many there were.
func (ix *Indexer) reembed(ctx context.Context, next replacement, progress func(n int)) (int, error) {
	var after uuid.UUID
	total := 0
	for {
		var rows []memory.Entry
		err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
			rows, err = tx.List(ctx, memory.SearchableQuery{After: after, Limit: localRows, Without: new(ix.without(next))})
			return err
		})
		if err != nil || len(rows) == 0 {
			return total, err
		}
		leases := make([]Lease, len(rows))
		for i := range rows {
			leases[i] = Lease{Entry: rows[i].ID, Revision: rows[i].Revision}
		}
		switch err := ix.embedBeside(ctx, next, leases); {
		case errors.Is(err, errReadingChanged):
			continue // with the same entries
		case err != nil:
			return total, err
		}
		total += len(rows)
		progress(len(rows))
		after = rows[len(rows)-1].ID
	}
}

// embedBeside saves the vectors of entries that the next model makes, and of those that it
// does not read, which no model has embedded yet, the vectors of the model that does. It
// leaves the queue alone, which belongs to the serving models.
func (ix *Indexer) embedBeside(ctx context.Context, next replacement, leases []Lease) error {
	main := ix.models.serving()
	if next.k == mainModel {
		main = next.serving
	} else if main == nil {
		return errNoModel
	}
	jobs, err := ix.prepare(ctx, main.model, leases)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return j.reads[next.k] || j.reads == [2]bool{} })
	jobs = slices.DeleteFunc(jobs, func(j job) bool { return !j.reads[next.k] })
	var by readers
	by[next.k] = next.serving
	if err := ix.saveBeside(ctx, by, jobs); err != nil || len(others) == 0 {
		return err
	}
	if by, err = ix.readersOf(ctx, main, others); err != nil {
		return err
	}
	by[next.k] = nil
	return ix.saveBeside(ctx, by, others)
}

// saveBeside embeds jobs by models, and saves the vectors.
func (ix *Indexer) saveBeside(ctx context.Context, by readers, jobs []job) error {
	for k, now := range by {
		if now == nil {
			continue
		}
		if _, err := ix.embed(ctx, now, k, jobs); err != nil {
			return err
		}
	}
	if err := ix.save(ctx, by, jobs, false); err != nil {
		return err
	}
	for _, now := range by {
		if now == nil || now.model.Local {
			continue
		}
		if err := ix.repair(ctx, now, entriesIn(jobs)); err != nil {
			return err
		}
	}
	return nil
}

// errBehind reports that some entries lack vectors of the new model.
var errBehind = errors.New("entries without vectors of the new model")

// switchTo makes the next model the active one if no entry lacks its vectors, and
// reports whether it did. It reads the settings first, so that it waits for the workers
// that save vectors of the model before, and those that come later see the next one.
func (ix *Indexer) switchTo(ctx context.Context, next replacement) (bool, error) {
	err := ix.storage.Update(ctx, func(tx Tx) error {
		var active [2][]byte
		for k, setting := range settings {
			var err error
			if active[k], err = tx.Meta(ctx, setting); err != nil {
				return err
			}
		}
		missing, err := tx.List(ctx, memory.SearchableQuery{Limit: 1, Without: new(ix.without(next))})
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return errBehind
		}
		if err := tx.SetMeta(ctx, settings[next.k], []byte(next.fingerprint)); err != nil {
			return err
		}
		keep := []string{next.fingerprint}
		if !next.readsAll() {
			keep = append(keep, string(active[1-next.k]))
		}
		return tx.DropVectors(ctx, keep)
	})
	if errors.Is(err, errBehind) {
		return false, nil
	}
	return err == nil, err
}
