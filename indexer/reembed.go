package indexer

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/google/uuid"

	"mneme/embed/choice"
	"mneme/memory"
)

// without selects the entries that may lack vectors of the next model. An entry with vectors of
// the other model counts only if it also has vectors of the replaced one: rows do not say which
// model is to read them.
func (ix *Indexer) without(next *replacement) Unembedded {
	without := Unembedded{Fingerprint: next.fingerprint, Ceiling: next.model.MaxLabel, Now: ix.instant()}
	if _, other := ix.ofKind(next.k); !next.readsAll() {
		without.Other, without.Replaced = other.active(), next.replaced
	}
	return without
}

// missing counts the entries that may lack vectors of the next model.
func (ix *Indexer) missing(ctx context.Context, next *replacement) (n int64, err error) {
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		n, err = tx.CountUnembedded(ctx, ix.without(next))
		return err
	})
	return n, err
}

// reembed embeds, in one pass, the entries that lack vectors and those that changed during the
// pass. It calls progress with the number of entries embedded.
func (ix *Indexer) reembed(ctx context.Context, next *replacement, progress func(n int)) error {
	if next.replaced != "" && !next.readsAll() {
		// These entries have vectors of the next model, but may have changed while no reindex
		// ran.
		former := func() Unembedded {
			without := ix.without(next)
			without.Replaced = next.fingerprint
			return without
		}
		if err := ix.reembedEach(ctx, next, former, true, progress); err != nil {
			return err
		}
	}
	lacking := func() Unembedded {
		without := ix.without(next)
		if next.k == multilingualModel && next.replaced != "" {
			without.Other = "" // a main model for every language may have embedded foreign entries
		}
		return without
	}
	return ix.reembedEach(ctx, next, lacking, false, progress)
}

// reembedEach is reembed for the entries that without selects. without is called again for each
// page. changed is the parameter of embedNext.
func (ix *Indexer) reembedEach(ctx context.Context, next *replacement, without func() Unembedded, changed bool, progress func(n int)) error {
	for after := uuid.Nil; ; {
		without := without()
		var rows []memory.Entry
		err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
			rows, err = tx.Unembedded(ctx, without, after, localRows)
			return err
		})
		if err != nil {
			return err
		}
		ids := make([]uuid.UUID, len(rows))
		for i := range rows {
			ids[i] = rows[i].ID
		}
		if err := ix.embedNext(ctx, next, ids, changed, progress); err != nil {
			return err
		}
		// Done after each page, because changes are recorded only for keepChanges, and so that
		// few are left for switchTo.
		if err := ix.embedChanged(ctx, next, progress); err != nil || len(rows) == 0 {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// errChangesLost reports that the record of which entries changed is no longer complete.
var errChangesLost = errors.New("the changes of vectors are no longer recorded")

// embedChanged embeds the changed entries that lack vectors of the next model. Workers have
// embedded them only with the serving models, and have removed them from the queue.
func (ix *Indexer) embedChanged(ctx context.Context, next *replacement, progress func(n int)) error {
	for {
		var changes []Change
		var lost bool
		err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
			changes, lost, err = tx.Changes(ctx, next.checked, localRows)
			return err
		})
		if err != nil {
			return err
		}
		if lost {
			return errChangesLost
		}
		if len(changes) == 0 {
			return nil
		}
		if err := ix.embedNext(ctx, next, changedEntries(changes), true, progress); err != nil {
			return err
		}
		next.checked = changes[len(changes)-1].Position
	}
}

func changedEntries(changes []Change) []uuid.UUID {
	changed := make(map[uuid.UUID]bool, len(changes))
	for _, c := range changes {
		changed[c.Entry] = true
	}
	return slices.Collect(maps.Keys(changed))
}

// embedNext makes the vectors that entries lack: those of the next model, and those of the
// serving model of the other kind. If changed is set, the entries may also have vectors of the
// next model from a former text that it could read, although it cannot read the current one;
// embedNext removes these. It does not touch the queue, which belongs to the serving models. If
// it embeds any entries, it calls progress with their number.
func (ix *Indexer) embedNext(ctx context.Context, next *replacement, ids []uuid.UUID, changed bool, progress func(n int)) error {
	for len(ids) > 0 {
		n, err := ix.embedNextAsRead(ctx, next, ids, changed)
		if errors.Is(err, errReadingChanged) {
			continue
		}
		if n > 0 {
			progress(n)
		}
		return err
	}
	return nil
}

// embedNextAsRead is embedNext with the models that the stores' facts name now. It returns
// errReadingChanged if these facts name other models before it ends.
func (ix *Indexer) embedNextAsRead(ctx context.Context, next *replacement, ids []uuid.UUID, changed bool) (int, error) {
	main, err := ix.mainWith(next)
	if err != nil {
		return 0, err
	}
	leases := make([]Lease, len(ids))
	for i, id := range ids {
		leases[i].Entry = id
	}
	jobs, err := ix.prepare(ctx, main.model, leases)
	if err != nil {
		return 0, err
	}
	by, err := ix.readersWith(ctx, next, main, jobs)
	if err != nil {
		return 0, err
	}
	embedded := make(map[uuid.UUID]bool)
	// The next model's vectors are saved last: if the process ends in between, the entry still
	// lacks them and is found again.
	for _, k := range [2]int{1 - next.k, next.k} {
		lacking, err := ix.lacking(ctx, by[k], k, jobs)
		if err != nil {
			return 0, err
		}
		saved := lacking
		if changed && k == next.k {
			saved = append(saved, unread(jobs, k)...)
		}
		if len(saved) == 0 {
			continue
		}
		var one readers
		one[k] = by[k]
		if err := ix.embedAndSave(ctx, one, saved); err != nil {
			return 0, err
		}
		for _, j := range lacking {
			embedded[j.lease.Entry] = true
		}
	}
	return len(embedded), nil
}

// mainWith returns the main model to use beside the next model: the next model itself if it is
// a main model, and else the serving one.
func (ix *Indexer) mainWith(next *replacement) (*serving, error) {
	if next.k == mainModel {
		return next.serving, nil
	}
	if main := ix.models.serving(); main != nil {
		return main, nil
	}
	return nil, errNoModel
}

// readersWith returns the next model and the model of the other kind. The latter may be nil if
// it does not serve and no job depends on it alone.
func (ix *Indexer) readersWith(ctx context.Context, next *replacement, main *serving, jobs []job) (readers, error) {
	if next.k == multilingualModel {
		return readers{main, next.serving}, nil
	}
	by, err := ix.readersOf(ctx, main, jobs)
	alone := func(j job) bool { return j.reads == [2]bool{multilingualModel: true} }
	if errors.Is(err, errNoModel) && !slices.ContainsFunc(jobs, alone) {
		return by, nil
	}
	return by, err
}

// unread returns the jobs whose entries the model at index k of readers does not read.
func unread(jobs []job, k int) []job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return j.entry == nil || j.reads[k] })
}

// lacking returns the jobs that by, the model at index k of readers, reads but has not embedded
// in their current revision.
func (ix *Indexer) lacking(ctx context.Context, by *serving, k int, jobs []job) ([]job, error) {
	jobs = slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return !j.reads[k] })
	if by == nil || len(jobs) == 0 {
		return nil, nil
	}
	lacking := make(map[uuid.UUID]bool)
	err := ix.storage.View(ctx, func(tx ReadTx) error {
		without := Unembedded{Fingerprint: by.fingerprint, Now: ix.instant()}
		rows, err := tx.UnembeddedAmong(ctx, without, entriesIn(jobs))
		for i := range rows {
			lacking[rows[i].ID] = true
		}
		return err
	})
	return slices.DeleteFunc(jobs, func(j job) bool { return !lacking[j.lease.Entry] }), err
}

// embedAndSave embeds jobs with the models and saves the vectors.
func (ix *Indexer) embedAndSave(ctx context.Context, by readers, jobs []job) error {
	for k, now := range by {
		if now == nil {
			continue
		}
		if _, err := ix.embed(ctx, now, k, jobs); err != nil {
			return err
		}
	}
	if err := ix.save(ctx, by, jobs, saving{}); err != nil {
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

// markSaved sets saved for vectors that exist already, in stores whose owner chose a language.
// The choice queues all entries of a store, and most of them have the vectors of one model
// already: they need not be embedded again.
func (ix *Indexer) markSaved(ctx context.Context, by readers, jobs []job) error {
	var chosen []job
	for _, j := range jobs {
		if j.entry != nil && j.reading.Language != choice.LanguageAuto {
			chosen = append(chosen, j)
		}
	}
	if len(chosen) == 0 {
		return nil
	}
	for k, now := range by {
		if now == nil {
			continue
		}
		lacking, err := ix.lacking(ctx, now, k, chosen)
		if err != nil {
			return err
		}
		lacks := make(map[uuid.UUID]bool, len(lacking))
		for _, j := range lacking {
			lacks[j.lease.Entry] = true
		}
		for i := range jobs {
			j := &jobs[i]
			j.saved[k] = j.entry != nil && j.reading.Language != choice.LanguageAuto && j.reads[k] && !lacks[j.lease.Entry]
		}
	}
	return nil
}
