package indexer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/embed/choice"
)

// Reindex embeds every entry with the configured embedders, while the current vectors keep
// serving. When every entry has its new vectors, Reindex makes them active and drops the old
// ones. It covers entries written meanwhile, then works the queue. It resumes an interrupted
// run. Unless progress is nil, Reindex calls it with the number of entries embedded so far and
// the number of entries known, the first time before it embeds any.
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
	if ix.multilingual.active() != "" && len(ix.multilingual.list) > 0 && ix.models.list[0].EnglishOnly {
		if err := ix.replaceModel(ctx, multilingualModel, progress); err != nil {
			return err
		}
	}
	return ix.CatchUp(ctx, time.Time{})
}

// remake recomputes the serving vectors if an earlier form of a configured model made them (see
// Model.Renew). They serve until the new ones are complete. Several processes may run remake
// concurrently. It first removes what is left of vectors that were dropped before.
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

// ofKind returns the models of a kind, mainModel or multilingualModel, and those of the other
// kind.
func (ix *Indexer) ofKind(k int) (of, other *models) {
	if k == mainModel {
		return ix.models, ix.multilingual
	}
	return ix.multilingual, ix.models
}

// replacement is the model that replaces the model at index k of readers.
type replacement struct {
	k int
	*serving
	// replaced is the fingerprint of the previous model. It is "" once every entry that already
	// had vectors of the new model has been checked.
	replaced string
	// checked is a position in the change sequence. Changes up to it have been checked.
	checked int64
}

// readsAll reports whether the new model leaves nothing for the other kind of models to read.
func (r *replacement) readsAll() bool { return r.k == mainModel && !r.model.EnglishOnly }

// replaceModel is Reindex for one kind of models, mainModel or multilingualModel.
func (ix *Indexer) replaceModel(ctx context.Context, k int, progress func(done, total int64)) (err error) {
	of, _ := ix.ofKind(k)
	model := of.list[0]
	next := &replacement{k: k, serving: &serving{model: model, fingerprint: model.Embedder.Fingerprint(), next: true}}
	if !model.Local {
		if next.index, err = model.Open(ctx); err != nil {
			return fmt.Errorf("%w: open: %w", errIndex, err)
		}
		defer func() { err = errors.Join(err, closeIndex(next.index)) }()
	}
	if err := ix.checkAll(ctx, next); err != nil {
		return err
	}
	total, err := ix.missing(ctx, next)
	if err != nil {
		return err
	}
	var done int64
	progress(0, total)
	for {
		err := ix.reembed(ctx, next, func(n int) {
			done += int64(n)
			progress(done, max(done, total))
		})
		switch {
		case errors.Is(err, errReplaced): // the model of the other kind was replaced
			err = errors.Join(ix.syncOpened(ctx), ix.checkAll(ctx, next))
		case errors.Is(err, errChangesLost):
			err = ix.checkAll(ctx, next)
		case err == nil:
			next.replaced = ""
			var switched bool
			if switched, err = ix.switchTo(ctx, next); switched {
				progress(done, done)
				return errors.Join(of.sync(ctx), ix.removeDropped(ctx))
			}
		}
		if err != nil {
			return err
		}
	}
}

// checkAll makes the next pass check the entries that the model to be replaced has embedded,
// and the later passes only the entries that change from now on.
func (ix *Indexer) checkAll(ctx context.Context, next *replacement) error {
	of, _ := ix.ofKind(next.k)
	next.replaced = of.active()
	return ix.storage.View(ctx, func(tx ReadTx) (err error) {
		next.checked, err = lastChange(ctx, tx)
		return err
	})
}

// removedEntries is the number of entries whose dropped vectors are removed in one step.
const removedEntries = 500

// defaultDropPause is the delay between a switch and the removal of the previous model's shared
// index. Processes follow the switch within followEvery, and most searches have ended by then.
const defaultDropPause = 5 * time.Second

// removeDropped removes dropped vectors in steps: removing all vectors of a large database at
// once would exceed the statement timeout and delay writers. If a process is killed meanwhile,
// the next one removes the rest. If a shared index cannot be dropped, remake retries that
// later.
func (ix *Indexer) removeDropped(ctx context.Context) error {
	all, err := ix.dropped(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	names, err := ix.dropIndexes(ctx, all)
	if err != nil || len(names) == 0 {
		return err
	}
	for after := uuid.Nil; ; {
		var last uuid.UUID
		err := ix.storage.Update(ctx, func(tx Tx) (err error) {
			last, err = tx.RemoveDropped(ctx, names, after, removedEntries)
			return err
		})
		if err != nil || last == uuid.Nil {
			return err
		}
		after = last
	}
}

func (ix *Indexer) dropped(ctx context.Context) (all []Dropped, err error) {
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		all, err = tx.Dropped(ctx)
		return err
	})
	return all, err
}

// dropIndexes drops the shared indexes of dropped fingerprints, unless new vectors are being
// made under them. It returns the Dropped.Name of each fingerprint whose index is dropped or
// needed again. Another process may start to fill an index just as it is dropped: the index is
// then filled again from the rows as soon as it serves.
func (ix *Indexer) dropIndexes(ctx context.Context, all []Dropped) (names []string, err error) {
	drop := func(context.Context, string) error { return nil }
	if len(ix.models.list) > 0 && ix.models.list[0].Drop != nil {
		drop = ix.models.list[0].Drop
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(ix.dropPause):
		}
		if all, err = ix.dropped(ctx); err != nil {
			return nil, err
		}
	}
	for _, one := range all {
		if !one.Again {
			if err := drop(ctx, one.Fingerprint); err != nil {
				ix.log.WarnContext(ctx, "the vector index of a replaced model cannot be dropped yet", "fingerprint", one.Fingerprint, "error", err)
				continue
			}
		}
		names = append(names, one.Name)
	}
	return names, ctx.Err()
}

// errBehind reports that some entries lack vectors of the new model.
var errBehind = errors.New("entries without vectors of the new model")

// switchedChanges limits the changes that switchTo checks: its transaction blocks workers.
const switchedChanges = 500

// switchTo makes the next model active if no entry lacks its vectors, and reports whether it
// did. The transaction reads the settings first. It so waits for the workers that are saving
// vectors of the previous model, and workers that begin later find the next model in the
// settings.
func (ix *Indexer) switchTo(ctx context.Context, next *replacement) (bool, error) {
	var unread []uuid.UUID
	err := ix.storage.Update(ctx, func(tx Tx) (err error) {
		var active [2][]byte
		for k, setting := range settings {
			if active[k], err = tx.Meta(ctx, setting); err != nil {
				return err
			}
		}
		if unread, err = ix.checkSwitch(ctx, tx, next); err != nil {
			return err
		}
		if err := tx.SetMeta(ctx, settings[next.k], []byte(next.fingerprint)); err != nil {
			return err
		}
		if next.readsAll() {
			if err := tx.SetMeta(ctx, multilingualMeta, nil); err != nil {
				return err
			}
			return tx.DropVectors(ctx, []string{next.fingerprint})
		}
		return tx.DropVectors(ctx, []string{next.fingerprint, string(active[1-next.k])})
	})
	if errors.Is(err, errBehind) {
		return false, nil
	}
	if err == nil && len(unread) > 0 && !next.model.Local {
		if err := ix.repair(ctx, next.serving, unread); err != nil {
			ix.log.WarnContext(ctx, "vectors of former texts stay in the index until it is reconciled", "entries", len(unread), "error", err)
		}
	}
	return err == nil, err
}

// checkSwitch returns errBehind if an entry lacks vectors of the next model, or if too many
// entries have changed since the last check. Entries with vectors of the other kind of model
// were checked before the transaction, so it checks only those of them that changed since. If
// the next model no longer reads a changed entry, checkSwitch removes the vectors of its former
// text and adds the entry to unread.
func (ix *Indexer) checkSwitch(ctx context.Context, tx Tx, next *replacement) (unread []uuid.UUID, err error) {
	without := ix.without(next)
	missing, err := tx.Unembedded(ctx, without, uuid.Nil, 1)
	if err != nil {
		return nil, err
	}
	changes, lost, err := tx.Changes(ctx, next.checked, switchedChanges)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 || lost || len(changes) == switchedChanges {
		return nil, errBehind
	}
	if len(changes) == 0 {
		return nil, nil
	}
	without.Other = ""
	changed, err := tx.UnembeddedAmong(ctx, without, changedEntries(changes))
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	main, err := ix.mainWith(next)
	if err != nil {
		return nil, err
	}
	stores, err := tx.StoreFacts(ctx, storesOf(changed))
	if err != nil {
		return nil, err
	}
	for i := range changed {
		e := &changed[i]
		if ix.reads(main.model, e, choice.Of(stores[e.Store].Detail))[next.k] {
			return nil, errBehind
		}
		if _, err := tx.SaveVectors(ctx, e.ID, e.Revision, next.fingerprint, nil); err != nil {
			return nil, err
		}
		unread = append(unread, e.ID)
	}
	return unread, nil
}
