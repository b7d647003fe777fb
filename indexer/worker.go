package indexer

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

const (
	// leaseBatch is how many entries a worker takes at a time; sharedBatch
	// for an index outside the process, where a write takes as long for many
	// as for few (docs/decisions/0008-milvus.md).
	leaseBatch  = 32
	sharedBatch = 256
	// retryFirst and retryMost bound the wait after a failure: it doubles
	// with each attempt.
	retryFirst = time.Second
	retryMost  = 5 * time.Minute
)

// work takes one batch from the queue, brings the vectors of its entries into
// step with their rows, and tells how many entries it took.
func (ix *Indexer) work(ctx context.Context) (int, error) {
	now := ix.models.serving()
	if now == nil || ix.inDoubt() && !ix.answers(ctx, now) {
		return 0, nil
	}
	batch := leaseBatch
	if !now.model.Local {
		batch = sharedBatch
	}
	leases, err := ix.take(ctx, batch)
	if err != nil || len(leases) == 0 {
		return 0, err
	}
	let := ix.hold(ctx, leases)
	failed, err := ix.attempt(ctx, now, leases)
	let()
	switch {
	case err == nil:
		return len(leases), nil
	case ctx.Err() != nil:
		return 0, errors.Join(ctx.Err(), ix.release(ctx, failed))
	case ix.away.Load():
		ix.progress.failed(len(failed), err)
		return 0, ix.release(ctx, failed)
	}
	return len(leases) - len(failed), ix.retry(ctx, failed, err)
}

// attempt indexes leased entries and returns those that failed, with an error
// of theirs.
func (ix *Indexer) attempt(ctx context.Context, now *serving, leases []Lease) (failed []Lease, err error) {
	err = ix.index(ctx, now, leases)
	if err == nil {
		ix.progress.indexed.Add(int64(len(leases)))
		return nil, nil
	}
	if ctx.Err() != nil || errors.Is(err, errIndex) && !ix.answers(ctx, now) {
		return leases, err
	}
	ix.log.WarnContext(ctx, "indexing failed", "entries", len(leases), "error", err)
	if len(leases) == 1 {
		return leases, err
	}
	return ix.indexEach(ctx, now, leases)
}

// giveUp is how many entries in a row must fail, one by one, for the rest of
// their batch not to be tried: the embedder or the index is away.
const giveUp = 3

// indexEach indexes entries one by one after they failed together, so that
// one that cannot be embedded does not hold back the others.
func (ix *Indexer) indexEach(ctx context.Context, now *serving, leases []Lease) (failed []Lease, last error) {
	for i := range leases {
		err := ix.index(ctx, now, leases[i:i+1])
		if err == nil {
			ix.progress.indexed.Add(1)
			continue
		}
		failed, last = append(failed, leases[i]), err
		if len(failed) == giveUp && i == giveUp-1 {
			return leases, last
		}
	}
	return failed, last
}

// retry gives leases back, to be taken again after a wait.
func (ix *Indexer) retry(ctx context.Context, leases []Lease, cause error) error {
	reason := ix.progress.failed(len(leases), cause)
	return ix.storage.Update(ctx, func(tx Tx) error {
		for _, lease := range leases {
			if err := tx.Retry(ctx, lease, ix.instant().Add(backoff(lease.Attempts)), reason); err != nil {
				return err
			}
		}
		return nil
	})
}

// backoff is the wait before the next attempt, with a jitter of a fifth so
// that workers spread.
func backoff(attempts int) time.Duration {
	wait := retryMost
	if attempts < 9 {
		wait = min(retryMost, retryFirst<<attempts)
	}
	return wait - time.Duration(rand.Int64N(int64(wait/5))) //nolint:gosec // jitter, no secret
}

// job is one leased entry on its way to the index.
type job struct {
	lease   Lease
	entry   *memory.Entry // nil: purged
	pieces  int           // of its text, among the batch's
	records []vector.Record
}

// index embeds the entries of leases as their rows are now, saves the
// vectors with the rows, and brings a shared index into step.
func (ix *Indexer) index(ctx context.Context, now *serving, leases []Lease) (err error) {
	ctx, span := ix.tracer.Start(ctx, "index", trace.WithAttributes(attribute.Int("mneme.entries", len(leases))))
	defer endSpan(span, &err)
	jobs, texts, err := ix.prepare(ctx, now, leases)
	if err != nil {
		return err
	}
	span.SetAttributes(attribute.Int("mneme.chunks", len(texts)))
	vectors, err := ix.embed(ctx, now, texts)
	if err != nil {
		return err
	}
	if err := ix.save(ctx, now, jobs, vectors); err != nil {
		return err
	}
	if now.model.Local {
		return ix.models.sync(ctx)
	}
	if err := ix.mend(ctx, now, entriesIn(jobs)); err != nil {
		return err
	}
	return ix.storage.Update(ctx, func(tx Tx) error { return finish(ctx, tx, jobs) })
}

// embed returns the vectors of texts, in their order.
func (ix *Indexer) embed(ctx context.Context, now *serving, texts []string) (_ [][]float32, err error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ctx, span := ix.tracer.Start(ctx, "embed")
	defer endSpan(span, &err)
	return now.model.Embedder.Passages(ctx, texts)
}

// prepare reads the rows and cuts their texts into pieces for the embedder.
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
				pieces := now.model.Embedder.Split(header(e), lexical.TextOf(e.Value))
				texts = append(texts, pieces...)
				j.pieces = len(pieces)
				for chunk := range pieces {
					j.records = append(j.records, vector.Record{Entry: e.ID, Chunk: chunk, Store: numbers[e.Store], Label: e.Label})
				}
			}
		}
		jobs = append(jobs, j)
	}
	return jobs, texts, nil
}

// save writes the vectors beside their rows. Rows that changed meanwhile
// refuse them; their queue rows stay and bring them back. With a local index
// the work is then done, in the same transaction.
func (ix *Indexer) save(ctx context.Context, now *serving, jobs []job, vectors [][]float32) (err error) {
	ctx, span := ix.tracer.Start(ctx, "save")
	defer endSpan(span, &err)
	next := 0
	for i := range jobs {
		for r := range jobs[i].records {
			jobs[i].records[r].Vector = vector.ToHalf(vectors[next])
			next++
		}
	}
	return ix.storage.Update(ctx, func(tx Tx) error {
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

// finish takes jobs off the queue, unless their entries changed meanwhile.
func finish(ctx context.Context, tx Tx, jobs []job) error {
	for _, j := range jobs {
		if err := tx.Done(ctx, j.lease); err != nil {
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

// header is what stands before every piece of an entry's text when it is
// embedded: its key if that is made of words, its description and its tags.
func header(e *memory.Entry) string {
	var lines []string
	if words := lexical.KeyWords(e.Key); wordy(words) {
		lines = append(lines, words)
	}
	if e.Description != "" {
		lines = append(lines, e.Description)
	}
	if len(e.Tags) > 0 {
		lines = append(lines, strings.Join(e.Tags, ", "))
	}
	return strings.Join(lines, "\n")
}

// wordy tells whether at least half of a key's parts are letters alone. Other
// keys (numbers, identifiers, hashes) say nothing of what the entry means and
// would only blur its vector.
func wordy(words string) bool {
	parts := strings.Fields(words)
	plain := 0
	for _, part := range parts {
		if !strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			plain++
		}
	}
	return plain > 0 && 2*plain >= len(parts)
}
