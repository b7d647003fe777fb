package sqlite

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/indexer"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// writer writes the rows of entries and everything derived from them.
type writer struct {
	reader
	postings *posting.PackedWriter // flushed before the commit, like usage
	words    []sqlcommon.Query     // run last, since FTS5 would write a segment at each savepoint
	usage    sqlcommon.UsageChanges
	past     map[uuid.UUID]*pastRow // of entries that were put or trimmed; flushed before the commit
	feed     map[feedKey][]feedRecord
}

func newWriter(d *driver) *writer {
	return &writer{reader: reader{d}, postings: posting.NewPackedWriter(), usage: make(sqlcommon.UsageChanges), past: make(map[uuid.UUID]*pastRow), feed: make(map[feedKey][]feedRecord)}
}

// storedRow is the state of a row that a write replaces.
type storedRow struct {
	sqlcommon.Stored
	doc      int64
	expires  time.Time
	tagged   bool
	authored bool // has a row in author
	dated    bool // has a row in occurrence
}

func (w *writer) storedRow(ctx context.Context, id uuid.UUID) (row storedRow, found bool, err error) {
	found, err = w.one(ctx, []any{&row.doc, &row.State, &row.Store, &row.Label, &row.Writer, &row.Revision, &row.Version,
		&row.Bytes, &row.Source, scannedTime{&row.expires}, &row.Searchable, &row.InContext, &row.Namespace, &row.Key, &row.tagged, &row.authored, &row.dated, &row.Past.Versions, &row.Past.Bytes}, "entry.row", id[:])
	return row, found, err
}

// Put implements memory.EntryWriter.
func (w *writer) Put(ctx context.Context, e memory.Entry, doc lexical.Document) error {
	old, found, err := w.storedRow(ctx, e.ID)
	if err != nil {
		return err
	}
	if found && old.State == sqlcommon.Swept || e.Revision != old.Revision+1 {
		return memory.ErrStale
	}
	return w.put(ctx, &e, doc, old, found, sqlcommon.Latest(e.CreatedAt, e.UpdatedAt, e.DeletedAt))
}

// put replaces old, which is the zero row unless found, with e, and updates its tags, usage,
// postings and vectors. queuedAt is the time of the queue row.
func (w *writer) put(ctx context.Context, e *memory.Entry, words lexical.Document, old storedRow, found bool, queuedAt time.Time) error {
	store, err := w.storeNumber(ctx, e.Store)
	if err != nil {
		return err
	}
	next := storedRow{Stored: sqlcommon.Next(e, store), doc: old.doc, tagged: len(e.Tags) > 0}
	if next.State == sqlcommon.Live {
		// Checked before anything is written, so that the transaction can continue after
		// ErrExists.
		clash, err := w.one(ctx, []any{new(int)}, "entry.clash", store, e.Label, e.Namespace, e.Key, e.Owner, old.doc)
		if err != nil || clash {
			return cmp.Or(err, memory.ErrExists)
		}
	}
	var before *sqlcommon.Stored
	if found {
		before = &old.Stored
		w.usage.AddRow(before, -1)
		if err := w.untag(ctx, old); err != nil {
			return err
		}
		if e.Version > old.Version {
			if _, err := w.exec(ctx, "entry.keep", old.doc); err != nil {
				return err
			}
			w.addPast(e.ID, old, old.Bytes+old.Source)
		}
	}
	if next.doc, err = w.writeEntry(ctx, e, next, found); err != nil {
		return err
	}
	if err := w.writeAuthors(ctx, e, next.doc, old.authored); err != nil {
		return err
	}
	if err := w.writeOccurrence(ctx, e, next.doc, old.dated); err != nil {
		return err
	}
	w.announce(next.doc, sqlcommon.Announce(before, &next.Stored, queuedAt))
	w.usage.AddRow(&next.Stored, 1)
	if err := w.tag(ctx, next, e.Tags); err != nil {
		return err
	}
	if err := w.indexEntry(ctx, next, words, !found); err != nil {
		return err
	}
	if err := w.replaceForms(ctx, old, next, words.Forms); err != nil {
		return err
	}
	if found {
		if err := w.moveVectors(ctx, e.ID, old, next); err != nil {
			return err
		}
	}
	return w.enqueue(ctx, next, e.Revision, indexer.Chunks(e), queuedAt)
}

// writeEntry writes the row itself and returns its docID.
func (w *writer) writeEntry(ctx context.Context, e *memory.Entry, next storedRow, found bool) (int64, error) {
	args := encode(append([]any{e.ID, next.Store, next.Label, next.State}, sqlcommon.EntryValues(e)...))
	if found {
		_, err := w.exec(ctx, "entry.update", append(args, next.doc)...)
		return next.doc, err
	}
	result, err := w.exec(ctx, "entry.insert", args...)
	if err != nil {
		return 0, err
	}
	doc, err := result.LastInsertId()
	if err == nil {
		w.postings.Created(doc)
	}
	return doc, err
}

// indexEntry indexes a row by words, or removes it from the index if it is not searchable.
func (w *writer) indexEntry(ctx context.Context, row storedRow, words lexical.Document, isNew bool) error {
	if !row.Indexed() {
		return w.index(ctx, row.doc, isNew, nil)
	}
	return w.index(ctx, row.doc, isNew, &posting.Document{
		DocKey: posting.DocKey{Store: row.Store, Doc: row.doc}, Label: row.Label,
		Length: words.Length, Terms: posting.Packed.EncodeTerms(words.Terms),
	})
}

// tag inserts the tags of a searchable row.
func (w *writer) tag(ctx context.Context, row storedRow, tags []string) error {
	if !row.Indexed() {
		return nil
	}
	for _, tag := range tags {
		if _, err := w.exec(ctx, "tag.insert", row.Store, row.Label, tag, row.doc); err != nil {
			return err
		}
	}
	return nil
}

// untag deletes the tags of a row. It reads them from the entry, so it must run before the row
// is updated.
func (w *writer) untag(ctx context.Context, row storedRow) error {
	if !row.Indexed() || !row.tagged {
		return nil
	}
	_, err := w.exec(ctx, "tag.delete", row.Store, row.Label, row.doc)
	return err
}

// storeNumber returns the number of a store, assigning one to a new store.
func (w *writer) storeNumber(ctx context.Context, id string) (int64, error) {
	var number int64
	found, err := w.one(ctx, []any{&number}, "store.number", id)
	if err != nil || found {
		return number, err
	}
	result, err := w.exec(ctx, "store.insert", id)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}
