package sqlcommon

import (
	"context"

	"github.com/google/uuid"

	"mneme/indexer"
	"mneme/memory"
	"mneme/vector"
)

// lastChange returns the position of the last change of vectors, or 0 if there is none.
func (r Reads) lastChange(ctx context.Context) (last int64, err error) {
	_, err = One(ctx, r.r, []any{&last}, "change.last")
	return last, err
}

// Changes implements indexer.VectorReader. Positions have no gaps. So if the change at after+1
// is still recorded, all later ones are, too; else it was trimmed.
func (r Reads) Changes(ctx context.Context, after int64, limit int) (changes []indexer.Change, reset bool, err error) {
	last, err := r.lastChange(ctx)
	if err != nil || after == last {
		return nil, false, err
	}
	changes, err = List(ctx, r.r, func(row Row) (c indexer.Change, err error) {
		err = row.Scan(&c.Position, &c.Entry)
		return c, err
	}, "change.after", after, max(limit, 1))
	if err != nil {
		return nil, false, err
	}
	// A position beyond the last one is from another database, or from this one before it was
	// restored from a backup.
	if after > last || len(changes) == 0 || changes[0].Position != after+1 {
		return nil, true, nil
	}
	return changes, false, nil
}

// VectorChanges implements memory.ScoreReader.
func (r Reads) VectorChanges(ctx context.Context, after int64, limit int) (memory.VectorChanges, error) {
	last, err := r.lastChange(ctx)
	changes := memory.VectorChanges{Last: last, Partial: last-after > int64(limit)}
	if err != nil || changes.Partial || last <= after {
		return changes, err
	}
	changes.Entries, err = EntryIDs(ctx, r.r, "change.entries_after", after, limit)
	changes.Partial = int64(len(changes.Entries)) < last-after
	return changes, err
}

// scanVector reads a row with the columns ID, chunk, store, label and vector.
func scanVector(row Row) (record vector.Record, err error) {
	var data Bytes
	if err := row.Scan(&record.Entry, &record.Chunk, &record.Store, &record.Label, &data); err != nil {
		return record, err
	}
	record.Vector, err = vector.AppendHalf(nil, data)
	return record, err
}

// Vectors implements indexer.VectorReader.
func (r Reads) Vectors(ctx context.Context, fingerprint string, entries []uuid.UUID, yield func(vector.Record) error) error {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return err
	}
	return r.r.Each(ctx, yieldVector(yield), "vector.of_entries", entries, fingerprint)
}

// AllVectors implements indexer.VectorReader.
func (r Reads) AllVectors(ctx context.Context, fingerprint string, yield func(vector.Record) error) error {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return err
	}
	return r.r.Stream(ctx, yieldVector(yield), "vector.all", fingerprint)
}

// yieldVector returns a function that scans a row and yields its record.
func yieldVector(yield func(vector.Record) error) func(Row) error {
	return func(row Row) error {
		record, err := scanVector(row)
		if err != nil {
			return err
		}
		return yield(record)
	}
}

// Stores implements indexer.VectorReader.
func (r Reads) Stores(ctx context.Context) ([]int64, error) {
	return List(ctx, r.r, func(row Row) (number int64, err error) {
		err = row.Scan(&number)
		return number, err
	}, "vector.stores")
}

// StoreEntries implements indexer.VectorReader.
func (r Reads) StoreEntries(ctx context.Context, store int64) ([]uuid.UUID, error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return nil, err
	}
	return EntryIDs(ctx, r.r, "vector.store_entries", store)
}

// Model returns the number that rows of vectors have for a model's fingerprint. It assigns one
// to a new fingerprint.
func Model(ctx context.Context, w Writer, fingerprint string) (number int64, err error) {
	found, err := One(ctx, w, []any{&number}, "model.number", fingerprint)
	if err != nil || found {
		return number, err
	}
	if _, err := w.Exec(ctx, "model.insert", fingerprint); err != nil {
		return 0, err
	}
	_, err = One(ctx, w, []any{&number}, "model.number", fingerprint)
	return number, err
}

// DropVectors implements indexer.VectorWriter. It only renames the model: RemoveDropped deletes
// its rows of table vector. Until then the rows keep their number, so that a purge or a move of
// an entry still removes or moves them.
func (w Writes) DropVectors(ctx context.Context, keep []string) error {
	if keep == nil {
		keep = []string{}
	}
	_, err := w.w.Exec(ctx, "model.drop", keep)
	return err
}

// Dropped implements indexer.VectorReader.
func (r Reads) Dropped(ctx context.Context) ([]indexer.Dropped, error) {
	return List(ctx, r.r, func(row Row) (d indexer.Dropped, err error) {
		err = row.Scan(&d.Name, &d.Fingerprint, &d.Again)
		return d, err
	}, "model.dropped")
}

// RemoveDropped implements indexer.VectorWriter.
func (w Writes) RemoveDropped(ctx context.Context, dropped []string, after uuid.UUID, limit int) (last uuid.UUID, err error) {
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return uuid.Nil, err
	}
	ids, err := EntryIDs(ctx, w.w, "vector.next_entries", after, limit)
	if err != nil {
		return uuid.Nil, err
	}
	if len(ids) == 0 {
		_, err := w.w.Exec(ctx, "model.forget", dropped)
		return uuid.Nil, err
	}
	return ids[len(ids)-1], w.w.Queue(ctx, "vector.remove_dropped", ids, dropped)
}
