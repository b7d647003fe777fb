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

// without returns what may lack vectors of the next model. What the other model has
// embedded may do so if the replaced one has, too: which of them read it, the rows do not
// tell.
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

// reembed embeds, in one pass, the entries that lack vectors, and those that changed
// meanwhile. It calls progress with how many it embedded.
func (ix *Indexer) reembed(ctx context.Context, next *replacement, progress func(n int)) error {
	if next.replaced != "" && !next.readsAll() {
		// What has vectors of the next model may have changed unseen, since a run that ended.
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
			without.Other = "" // an English model that read everything may have embedded what is foreign to it
		}
		return without
	}
	return ix.reembedEach(ctx, next, lacking, false, progress)
}

// reembedEach is reembed for the entries that what without returns selects; changed is as
// for embedBeside.
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
		if err := ix.embedBeside(ctx, next, ids, changed, progress); err != nil {
			return err
		}
		// With each page, so that the changes are still known, and few at the end.
		if err := ix.embedChanged(ctx, next, progress); err != nil || len(rows) == 0 {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// errChangesLost reports that it is no longer known which entries changed.
var errChangesLost = errors.New("changes of vectors are no longer known")

// embedChanged embeds what lacks vectors among the entries whose vectors changed: workers
// have embedded them by the models that serve, and no longer queue them.
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
		if err := ix.embedBeside(ctx, next, changedEntries(changes), true, progress); err != nil {
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

// embedBeside saves the vectors that entries lack: those of the next model, and of what
// the other kind of models reads those of the one that serves. Entries that changed may have
// vectors of the next model though it no longer reads them: these it removes. It leaves the
// queue alone, which belongs to the serving models. It calls progress with how many it
// embedded, if any.
func (ix *Indexer) embedBeside(ctx context.Context, next *replacement, ids []uuid.UUID, changed bool, progress func(n int)) error {
	for len(ids) > 0 {
		n, err := ix.embedBesideAsRead(ctx, next, ids, changed)
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

// embedBesideAsRead is embedBeside by the models that read the stores now;
// errReadingChanged if others do before it ends.
func (ix *Indexer) embedBesideAsRead(ctx context.Context, next *replacement, ids []uuid.UUID, changed bool) (int, error) {
	main, err := ix.mainBeside(next)
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
	by, err := ix.readersBeside(ctx, next, main, jobs)
	if err != nil {
		return 0, err
	}
	embedded := make(map[uuid.UUID]bool)
	// The next model's come last: an entry without them is found again if this ends between.
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
		if err := ix.saveBeside(ctx, one, saved); err != nil {
			return 0, err
		}
		for _, j := range lacking {
			embedded[j.lease.Entry] = true
		}
	}
	return len(embedded), nil
}

// mainBeside returns the main model, beside which a next multilingual one reads.
func (ix *Indexer) mainBeside(next *replacement) (*serving, error) {
	if next.k == mainModel {
		return next.serving, nil
	}
	if main := ix.models.serving(); main != nil {
		return main, nil
	}
	return nil, errNoModel
}

// readersBeside returns the next model and one of the other kind, which is nil if none
// serves and each job has another model that reads it.
func (ix *Indexer) readersBeside(ctx context.Context, next *replacement, main *serving, jobs []job) (readers, error) {
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

// unread returns the jobs whose entries the k-th model does not read.
func unread(jobs []job, k int) []job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j job) bool { return j.entry == nil || j.reads[k] })
}

// lacking returns the jobs that the k-th model reads and whose revision has no vectors of
// it.
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

// markKept notes, in stores of which a language was chosen, which vectors of the entries
// are there already: a choice queues all entries, and most keep those of one model.
func (ix *Indexer) markKept(ctx context.Context, by readers, jobs []job) error {
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
			j.kept[k] = j.entry != nil && j.reading.Language != choice.LanguageAuto && j.reads[k] && !lacks[j.lease.Entry]
		}
	}
	return nil
}
