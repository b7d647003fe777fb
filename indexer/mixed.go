package indexer

import (
	"context"
	"maps"
	"slices"
	"sync"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
)

const (
	// mixedShare defines a mixed store: at least one of mixedShare of its entries, up to some
	// label, is foreign, so that only the multilingual model can read it.
	mixedShare = 20
	// minForeign is the minimum number of foreign entries in a mixed store, so that a store
	// does not permanently get two sets of vectors because of its first note.
	minForeign = 10
	// smallStore is the size, in searchable entries, up to which a store's foreign entries are
	// counted after each batch that has some. Larger stores are counted less often: see
	// awaited.
	smallStore = 2000
	// maxAwaited bounds the number of large stores that are tracked.
	maxAwaited = 10_000
)

// awaited delays the count of the foreign entries of large stores, since a count reads every
// entry. For each store it holds how many more foreign entries this process must find before
// the next count: half of those that the store lacks to be mixed, because other processes find
// some too.
type awaited struct {
	mu     sync.Mutex
	stores map[string]int64
}

// due reports whether to count the foreign entries of a store after n new ones.
func (a *awaited) due(store string, n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	left, ok := a.stores[store]
	if ok && left > int64(n) {
		a.stores[store] = left - int64(n)
		return false
	}
	return true
}

// await sets the number for due: half of the foreign entries that a store lacks to be mixed.
func (a *awaited) await(store string, lacking int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stores == nil || len(a.stores) >= maxAwaited {
		a.stores = make(map[string]int64)
	}
	a.stores[store] = max(1, lacking/2)
}

// markMixed records which stores of jobs have become mixed. It returns, for each, the lowest
// label whose entries both models read from now on. It decides separately for each label, from
// the entries up to that label.
//
// SECURITY: which models read an entry must not depend on entries with higher labels. It would
// reveal them to callers that may not read them.
func (ix *Indexer) markMixed(ctx context.Context, tx Tx, by readers, jobs []job) (map[string]acl.Label, error) {
	foreign := make(map[string]int)
	readings := make(map[string]choice.Reading)
	for _, j := range jobs {
		if j.entry == nil || !j.foreign() || j.reading.Language != choice.LanguageAuto || j.reading.BothFrom() == acl.Public {
			continue
		}
		if mixed := j.reading.Mixed; mixed == 0 || j.entry.Label < mixed {
			foreign[j.entry.Store]++
			readings[j.entry.Store] = j.reading
		}
	}
	noted := make(map[string]acl.Label)
	for _, store := range slices.Sorted(maps.Keys(foreign)) { // in one order, so that two transactions do not deadlock
		label, err := ix.mixedFrom(ctx, tx, by, store, readings[store].Mixed, foreign[store])
		if err != nil {
			return nil, err
		}
		if label == 0 {
			continue
		}
		noted[store] = label
		change := memory.ReadingChange{
			Store: store, Mixed: label, QueuedAt: ix.instant(), Lacking: by[multilingualModel].fingerprint, From: label,
		}
		if err := tx.PutReading(ctx, change); err != nil {
			return nil, err
		}
	}
	return noted, nil
}

// mixedFrom returns the lowest label up to which a store is mixed, if that is below known, the
// label recorded so far; otherwise 0. n is the number of foreign entries that this batch found.
// It does not count from the first label on at which entries are still to be read again, for
// example after the store's language was multilingual: their vectors do not show yet which are
// foreign. The store is then counted again at the next foreign entry.
func (ix *Indexer) mixedFrom(ctx context.Context, tx Tx, by readers, store string, known acl.Label, n int) (acl.Label, error) {
	var searchable, foreign byLabel
	entries := int64(0)
	for label := acl.Public; label <= acl.Restricted; label++ {
		n, err := tx.CountRead(ctx, store, label, label)
		if err != nil {
			return 0, err
		}
		searchable[label] = n
		entries += n
	}
	if entries > smallStore && !ix.awaited.due(store, n) {
		return 0, nil
	}
	below := acl.Restricted + 1
	if known > 0 {
		below = known
	}
	for label := acl.Public; label < below; label++ {
		if searchable[label] == 0 {
			continue
		}
		unread, err := tx.CountUnread(ctx, store, label, label)
		if err != nil {
			return 0, err
		}
		if unread > 0 {
			below = label
			break
		}
		counted := ForeignAt{Store: store, Label: label, Main: by[mainModel].fingerprint, Multilingual: by[multilingualModel].fingerprint}
		n, err := tx.CountForeign(ctx, counted)
		if err != nil {
			return 0, err
		}
		foreign[label] = n
	}
	label, lacking := mixedFrom(searchable, foreign, below)
	if label == 0 && entries > smallStore {
		ix.awaited.await(store, lacking)
	}
	return label, nil
}

// byLabel counts entries by label.
type byLabel [acl.Restricted + 1]int64

// mixedFrom returns the lowest label, below the given one, up to which a store is mixed by
// mixedShare and minForeign. If there is none, label is 0 and lacking is the number of foreign
// entries by which the nearest label falls short.
func mixedFrom(entries, foreign byLabel, below acl.Label) (label acl.Label, lacking int64) {
	var all, some int64
	for label := acl.Public; label < below; label++ {
		all += entries[label]
		some += foreign[label]
		switch needed := max(minForeign, (all+mixedShare-1)/mixedShare); {
		case some >= needed:
			return label, 0
		case lacking == 0 || needed-some < lacking:
			lacking = max(1, needed-some)
		}
	}
	return 0, lacking
}

// foreign reports whether the multilingual model alone reads the job's entry.
func (j *job) foreign() bool { return !j.reads[mainModel] && j.reads[multilingualModel] }

// noteIndexed records, for stores that models had to read again, the lowest label at which
// entries are still unread: see choice.Reading.Whole.
func (ix *Indexer) noteIndexed(ctx context.Context) error {
	var reread Reread
	err := ix.storage.View(ctx, func(tx ReadTx) (err error) {
		reread, err = tx.Reread(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, store := range reread.Indexed {
		err := ix.storage.Update(ctx, func(tx Tx) error {
			before, err := tx.StoreFacts(ctx, []string{store})
			if err != nil {
				return err
			}
			if err := tx.PutReading(ctx, memory.ReadingChange{Store: store, Indexed: true}); err != nil {
				return err
			}
			now, err := tx.StoreFacts(ctx, []string{store})
			if err != nil || choice.Of(before[store].Detail).Whole() || !choice.Of(now[store].Detail).OnlyMultilingual() {
				return err
			}
			// Queue the entries once more, to remove their English vectors. They are not
			// embedded again: see markSaved.
			return tx.PutReading(ctx, memory.ReadingChange{Store: store, QueuedAt: ix.instant()})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// noteIndexedOf calls noteIndexed if a job's store was still to be read again. Failures are
// only logged: Run retries.
func (ix *Indexer) noteIndexedOf(ctx context.Context, jobs []job) {
	if !slices.ContainsFunc(jobs, func(j job) bool { return j.reading.Unread > 0 }) {
		return
	}
	if err := ix.noteIndexed(ctx); err != nil && ctx.Err() == nil {
		ix.log.WarnContext(ctx, "the indexing progress of a store could not be recorded", "error", err)
	}
}
