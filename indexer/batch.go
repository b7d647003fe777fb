package indexer

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

// job is a leased entry and what is needed to write it to the index of each model that reads
// it.
type job struct {
	lease   Lease
	entry   *memory.Entry  // nil: purged
	number  int64          // stands for the entry's store in indexes
	reading choice.Reading // of the entry's store
	reads   [2]bool        // whether each model of readers makes vectors of the entry
	saved   [2]bool        // whether each reader's vectors of this revision are saved already
	// records holds one record per chunk of the text, for each model that reads the entry.
	records [2][]vector.Record
}

// index embeds the current rows of the leased entries, saves the vectors with the rows, and
// updates the indexes.
func (ix *Indexer) index(ctx context.Context, leases []Lease) (err error) {
	ctx, span := ix.tracer.Start(ctx, "index", trace.WithAttributes(attribute.Int("mneme.entries", len(leases))))
	defer endSpan(span, &err)
	for {
		if err := ix.indexAsRead(ctx, leases); !errors.Is(err, errReadingChanged) {
			return err
		}
	}
}

// indexAsRead is index with the models that the stores' facts name now. It returns
// errReadingChanged if these facts name other models before it ends.
func (ix *Indexer) indexAsRead(ctx context.Context, leases []Lease) error {
	main := ix.models.serving()
	if main == nil {
		return errNoModel
	}
	jobs, err := ix.prepare(ctx, main.model, leases)
	if err != nil {
		return err
	}
	by, err := ix.readersOf(ctx, main, jobs)
	if err != nil {
		return err
	}
	if err := ix.markSaved(ctx, by, jobs); err != nil {
		return err
	}
	chunks, began := 0, time.Now()
	for k, now := range by {
		n, err := ix.embed(ctx, now, k, jobs)
		if err != nil {
			return err
		}
		chunks += n
	}
	trace.SpanFromContext(ctx).SetAttributes(attribute.Int("mneme.chunks", chunks))
	ix.budgets[leases[0].work()].Took(chunks, time.Since(began))
	local := by[mainModel].model.Local
	if err := ix.save(ctx, by, jobs, saving{all: true, done: local}); err != nil {
		return err
	}
	if local {
		if err := ix.syncOpened(ctx); err != nil {
			return err
		}
		ix.noteIndexedOf(ctx, jobs)
		return nil
	}
	for _, now := range by {
		if now == nil {
			continue
		}
		if err := ix.repair(ctx, now, entriesIn(jobs)); err != nil {
			return err
		}
	}
	err = ix.storage.Update(ctx, func(tx Tx) error {
		if err := finish(ctx, tx, jobs); err != nil {
			return err
		}
		return checkReadings(ctx, tx, jobs, nil)
	})
	if err == nil {
		ix.noteIndexedOf(ctx, jobs)
	}
	return err
}

// readersOf returns the main model, and the multilingual model if it serves or one of the jobs
// needs it. If it is needed and does not serve yet, readersOf makes it serve.
func (ix *Indexer) readersOf(ctx context.Context, main *serving, jobs []job) (readers, error) {
	by := readers{main}
	if main.model.EnglishOnly {
		by[multilingualModel] = ix.multilingual.serving()
	}
	needed := slices.ContainsFunc(jobs, func(j job) bool { return j.reads[multilingualModel] })
	if by[multilingualModel] != nil || !needed {
		return by, nil
	}
	if err := ix.multilingual.begin(ctx); err != nil {
		return by, err
	}
	if by[multilingualModel] = ix.multilingual.serving(); by[multilingualModel] == nil {
		return by, errNoModel
	}
	return by, nil
}

// embed makes the records of the jobs that the model at index k of readers reads. It returns
// the number of texts that it embedded.
func (ix *Indexer) embed(ctx context.Context, now *serving, k int, jobs []job) (n int, err error) {
	var texts []string
	for i := range jobs {
		if j := &jobs[i]; j.reads[k] && !j.saved[k] {
			var chunks []string
			j.records[k], chunks = now.recordsOf(j.entry, j.number)
			texts = append(texts, chunks...)
		}
	}
	if len(texts) == 0 {
		return 0, nil
	}
	ctx, span := ix.tracer.Start(ctx, "embed")
	defer endSpan(span, &err)
	passages, err := now.model.Embedder.Passages(ctx, texts)
	if err != nil {
		return 0, err
	}
	next := 0
	for i := range jobs {
		for r := range jobs[i].records[k] {
			record := &jobs[i].records[k][r]
			if record.Vector.IsMeaningless() {
				continue
			}
			record.Vector, record.Codes = vector.ToHalf(passages[next].Vector), passages[next].Codes
			next++
		}
	}
	return len(texts), nil
}

// prepare reads the rows and decides whether the main model, the multilingual one or both read
// each.
func (ix *Indexer) prepare(ctx context.Context, main Model, leases []Lease) (jobs []job, err error) {
	ctx, span := ix.tracer.Start(ctx, "rows")
	defer endSpan(span, &err)
	ids := make([]uuid.UUID, len(leases))
	for i, lease := range leases {
		ids[i] = lease.Entry
	}
	var rows []memory.Entry
	var stores map[string]acl.StoreFacts
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		if rows, err = tx.Get(ctx, ids); err != nil {
			return err
		}
		stores, err = tx.StoreFacts(ctx, storesOf(rows))
		return err
	})
	if err != nil {
		return nil, err
	}
	at := make(map[uuid.UUID]*memory.Entry, len(rows))
	for i := range rows {
		at[rows[i].ID] = &rows[i]
	}
	for _, lease := range leases {
		j := job{lease: lease, entry: at[lease.Entry]}
		if e := j.entry; e != nil {
			known := stores[e.Store]
			j.lease.Revision, j.number, j.reading = e.Revision, known.Number, choice.Of(known.Detail)
			if e.Live(ix.instant()) && e.Searchable() {
				j.reads = ix.reads(main, e, j.reading)
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// reads reports, for an entry of a store, which models make its vectors. The English model
// reads what it can, and the multilingual model reads the rest. Unless the store's owner chose
// one model, the multilingual model also reads every entry of a store that was searched in
// other languages, and in a mixed store the entries from the label choice.Reading.Mixed on.
// After the owner chooses the multilingual model, searches use the store's English vectors
// until the multilingual model has read all of it, so entries written meanwhile get English
// vectors too. The result depends only on the entry and these facts of its store, so an entry's
// vectors reveal nothing about other entries. No model reads an entry above the main model's
// MaxLabel.
//
// SECURITY: text that was sent to a third party's embedder cannot be taken back.
func (ix *Indexer) reads(main Model, e *memory.Entry, reading choice.Reading) [2]bool {
	switch {
	case main.MaxLabel != 0 && !e.Label.CanFlowTo(main.MaxLabel):
		return [2]bool{}
	case !main.EnglishOnly || len(ix.multilingual.list) == 0 || reading.Language == choice.LanguageEnglish:
		return [2]bool{mainModel: true}
	case reading.Language == choice.LanguageMultilingual && !readTwice(reading, e):
		return [2]bool{multilingualModel: true}
	}
	foreign := ix.foreign(memory.ProseOf(e))
	return [2]bool{mainModel: !foreign, multilingualModel: foreign || readTwice(reading, e) && memory.HasMeaning(e)}
}

// readTwice reports whether both models read an entry. It does not check the two exceptions: a
// foreign entry, and one without meaning.
func readTwice(reading choice.Reading, e *memory.Entry) bool {
	return reading.BothFrom().CanFlowTo(e.Label)
}

// recordsOf returns the records of an entry, still without vectors, and the texts to embed for
// them. store is the number of the entry's store. An entry without meaning has one record, with
// the vector vector.Meaningless, and no text to embed.
func (now *serving) recordsOf(e *memory.Entry, store int64) (records []vector.Record, texts []string) {
	if !memory.HasMeaning(e) {
		blank := vector.Meaningless(now.model.Embedder.Dim())
		return []vector.Record{{Entry: e.ID, Store: store, Label: e.Label, Vector: blank}}, nil
	}
	texts = now.model.Embedder.Split(memory.ChunkHeader(e), lexical.TextOf(e.Value))
	for chunk := range texts {
		records = append(records, vector.Record{Entry: e.ID, Chunk: chunk, Store: store, Label: e.Label})
	}
	return records, texts
}

// saving says what save does in addition to writing vectors.
type saving struct {
	all  bool // remove the vectors of active models that are not among the readers
	done bool // remove the queue rows
}

// save writes the vectors and codes next to their rows, in one transaction with what also asks
// for. If a row has changed since it was read, its vectors are not written; its queue row stays
// and causes another attempt. save returns errReplaced if one of the models no longer serves:
// searches would not find its vectors, so the entries must stay queued.
func (ix *Indexer) save(ctx context.Context, by readers, jobs []job, also saving) (err error) {
	ctx, span := ix.tracer.Start(ctx, "save")
	defer endSpan(span, &err)
	return ix.storage.Update(ctx, func(tx Tx) error {
		if err := tx.PrepareVectors(ctx, entriesIn(jobs), settings); err != nil {
			return err
		}
		for k, now := range by {
			if now == nil && !also.all {
				continue
			}
			active, err := tx.Meta(ctx, settings[k])
			if err != nil {
				return err
			}
			fingerprint := string(active)
			switch {
			case now == nil && (fingerprint == "" || fingerprint == by[mainModel].fingerprint):
				continue
			case now == nil: // its index is not open here, but the rows may have vectors of former texts
			case now.next:
				fingerprint = now.fingerprint
			case fingerprint != now.fingerprint:
				return errReplaced
			}
			for i := range jobs {
				if jobs[i].entry == nil || jobs[i].saved[k] {
					continue
				}
				if _, err := tx.SaveVectors(ctx, jobs[i].lease.Entry, jobs[i].lease.Revision, fingerprint, jobs[i].records[k]); err != nil {
					return err
				}
			}
		}
		if err := markMultilingual(ctx, tx, jobs); err != nil {
			return err
		}
		var mixed map[string]acl.Label
		if also.all {
			var err error
			if mixed, err = ix.markMixed(ctx, tx, by, jobs); err != nil {
				return err
			}
		}
		if also.done {
			// finish keeps the queue rows that markMixed has just queued again for both models.
			if err := finish(ctx, tx, jobs); err != nil {
				return err
			}
		}
		return checkReadings(ctx, tx, jobs, mixed)
	})
}

// errReadingChanged reports that the models that read a store have changed since its entries
// were prepared. The entries must be prepared again.
var errReadingChanged = errors.New("other models now read the store")

// checkReadings returns errReadingChanged if the models that read a job's entry have changed
// since the job was prepared. It ignores the stores that this transaction has itself found
// mixed. It is the last step of a transaction that saves or finishes jobs. A concurrent change
// that is not visible yet does no harm: it waits for the queue rows that this transaction
// removes, and then inserts them again.
func checkReadings(ctx context.Context, tx ReadTx, jobs []job, mixed map[string]acl.Label) error {
	read := make(map[string]bool)
	for _, j := range jobs {
		if j.entry != nil {
			read[j.entry.Store] = true
		}
	}
	stores, err := tx.StoreFacts(ctx, slices.Collect(maps.Keys(read)))
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.entry == nil {
			continue
		}
		was, now := j.reading, choice.Of(stores[j.entry.Store].Detail)
		if label := mixed[j.entry.Store]; label > 0 && now.Mixed == label {
			now.Mixed = was.Mixed
		}
		if now.Language != was.Language || readTwice(now, j.entry) != readTwice(was, j.entry) {
			return errReadingChanged
		}
	}
	return nil
}

// markMultilingual records which stores have entries that the multilingual model reads.
func markMultilingual(ctx context.Context, tx memory.ReadingWriter, jobs []job) error {
	lowest := make(map[string]acl.Label)
	for _, j := range jobs {
		if len(j.records[multilingualModel]) == 0 {
			continue
		}
		known := cmp.Or(lowest[j.entry.Store], j.reading.Multilingual)
		if known == 0 || j.entry.Label < known {
			lowest[j.entry.Store] = j.entry.Label
		}
	}
	for _, store := range slices.Sorted(maps.Keys(lowest)) { // in one order, so that two transactions do not deadlock
		if err := tx.PutReading(ctx, memory.ReadingChange{Store: store, Multilingual: lowest[store]}); err != nil {
			return err
		}
	}
	return nil
}

// finish removes jobs from the queue, unless their entries changed meanwhile.
func finish(ctx context.Context, queue QueueWriter, jobs []job) error {
	for _, j := range jobs {
		if err := queue.Finish(ctx, j.lease, nil); err != nil {
			return err
		}
	}
	return nil
}

func entriesIn(jobs []job) []uuid.UUID {
	ids := make([]uuid.UUID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.lease.Entry
	}
	return ids
}

func storesOf(rows []memory.Entry) []string {
	stores := make([]string, len(rows))
	for i := range rows {
		stores[i] = rows[i].Store
	}
	return stores
}
