package indexer

import (
	"context"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"mneme/embed"
	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

// job is a leased entry on its way to the index.
type job struct {
	lease   Lease
	entry   *memory.Entry   // nil: purged
	records []vector.Record // one a chunk of its text
}

// index embeds the leased entries as their rows are now, saves the vectors with
// the rows, and updates the index.
func (ix *Indexer) index(ctx context.Context, now *serving, leases []Lease) (err error) {
	ctx, span := ix.tracer.Start(ctx, "index", trace.WithAttributes(attribute.Int("mneme.entries", len(leases))))
	defer endSpan(span, &err)
	jobs, texts, err := ix.prepare(ctx, now, leases)
	if err != nil {
		return err
	}
	span.SetAttributes(attribute.Int("mneme.chunks", len(texts)))
	began := time.Now()
	passages, err := ix.embed(ctx, now, texts)
	if err != nil {
		return err
	}
	ix.budgets[leases[0].work()].took(len(texts), time.Since(began))
	if err := ix.save(ctx, now, jobs, passages); err != nil {
		return err
	}
	if now.model.Local {
		return ix.models.sync(ctx)
	}
	if err := ix.repair(ctx, now, entriesIn(jobs)); err != nil {
		return err
	}
	return ix.storage.Update(ctx, func(tx Tx) error { return finish(ctx, tx, jobs) })
}

// embed embeds texts, in their order.
func (ix *Indexer) embed(ctx context.Context, now *serving, texts []string) (_ []embed.Passage, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ctx, span := ix.tracer.Start(ctx, "embed")
	defer endSpan(span, &err)
	return now.model.Embedder.Passages(ctx, texts)
}

// prepare reads the rows and splits their texts into chunks for the embedder.
func (ix *Indexer) prepare(ctx context.Context, now *serving, leases []Lease) (jobs []job, texts []string, err error) {
	ctx, span := ix.tracer.Start(ctx, "rows")
	defer endSpan(span, &err)
	ids := make([]uuid.UUID, len(leases))
	for i, lease := range leases {
		ids[i] = lease.Entry
	}
	var rows []memory.Entry
	var numbers map[string]int64
	err = ix.storage.View(ctx, func(tx ReadTx) (err error) {
		if rows, err = tx.Get(ctx, ids); err != nil {
			return err
		}
		numbers, err = tx.StoreNumbers(ctx, storesOf(rows))
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	at := make(map[uuid.UUID]*memory.Entry, len(rows))
	for i := range rows {
		at[rows[i].ID] = &rows[i]
	}
	for _, lease := range leases {
		j := job{lease: lease, entry: at[lease.Entry]}
		if e := j.entry; e != nil {
			j.lease.Revision = e.Revision
			if e.Live(ix.instant()) && e.Searchable() {
				var chunks []string
				j.records, chunks = now.recordsOf(e, numbers[e.Store])
				texts = append(texts, chunks...)
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, texts, nil
}

// recordsOf returns the records of an entry in the store of a number, without vectors,
// and the texts that they are made of; of an entry without meaning its one record as it
// is, and no text.
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

// save writes the vectors and codes beside their rows. A row that changed meanwhile
// refuses them; its queue row stays and brings it back. With a local index the
// queue rows are removed in the same transaction.
func (ix *Indexer) save(ctx context.Context, now *serving, jobs []job, passages []embed.Passage) (err error) {
	ctx, span := ix.tracer.Start(ctx, "save")
	defer endSpan(span, &err)
	next := 0
	for i := range jobs {
		for r := range jobs[i].records {
			if jobs[i].records[r].Vector.IsMeaningless() {
				continue
			}
			jobs[i].records[r].Vector, jobs[i].records[r].Codes = vector.ToHalf(passages[next].Vector), passages[next].Codes
			next++
		}
	}
	return ix.storage.Update(ctx, func(tx Tx) error {
		if err := tx.Prepare(ctx, memory.VectorPlan{Entries: entriesIn(jobs)}); err != nil {
			return err
		}
		for i := range jobs {
			if jobs[i].entry == nil {
				continue
			}
			if _, err := tx.SaveVectors(ctx, jobs[i].lease.Entry, jobs[i].lease.Revision, now.fingerprint, jobs[i].records); err != nil {
				return err
			}
		}
		if now.model.Local {
			return finish(ctx, tx, jobs)
		}
		return nil
	})
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
