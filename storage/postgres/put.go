package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// writer writes the rows of entries and everything derived from them. It reads from a store
// under the store's lock (lock.go).
type writer struct {
	reader
	stores     map[string]*storeRow    // rows read so far
	models     map[string]int64        // model numbers by fingerprint
	locked     map[uuid.UUID]lockedRow // rows locked until the commit, for SaveVectors
	metas      map[string][]byte       // read by PrepareVectors, under a shared lock
	postings   *posting.AlignedWriter  // flushed before the commit, like usage
	usage      sqlcommon.UsageChanges
	changes    []uuid.UUID // entries whose vectors changed
	feed       feedRecords
	past       map[uuid.UUID]pastRow   // of entries put by the transaction
	settings   map[string]acl.Settings // read so far
	prefetched prefetched
	written    *atomic.Int64 // entries put by this process, including those rolled back
	careful    bool          // the transaction runs again: look for rows of new entries and blocks
	unchecked  bool          // a new row was inserted without a lookup
}

func newWriter(d *driver) *writer {
	return &writer{reader: reader{d}, stores: make(map[string]*storeRow),
		models: make(map[string]int64), postings: posting.NewAlignedWriter(), usage: make(sqlcommon.UsageChanges),
		past: make(map[uuid.UUID]pastRow), settings: make(map[string]acl.Settings), locked: make(map[uuid.UUID]lockedRow), metas: make(map[string][]byte)}
}

// storeRow is a row of table store.
type storeRow struct {
	number   int64
	nextDoc  int64 // the docID of the next entry
	freshDoc int64 // no block has postings of this docID or a later one
	dirty    bool  // nextDoc has changed
	reading  choice.Reading
}

// columns returns the scan destinations of reading.locked.
func (s *storeRow) columns() []any {
	r := &s.reading
	return []any{&s.number, &s.nextDoc, (*uint8)(&r.Language), &r.Asked, (*uint8)(&r.Multilingual), (*uint8)(&r.Mixed), (*uint8)(&r.Unread)}
}

// store returns the row of a store, inserting it for a new store. The caller holds the store's
// lock.
func (w *writer) store(ctx context.Context, id string) (*storeRow, error) {
	if row := w.stores[id]; row != nil {
		return row, nil
	}
	row := &storeRow{}
	found, err := w.one(ctx, row.columns(), "reading.locked", id)
	if err == nil && !found {
		_, err = w.one(ctx, []any{&row.number}, "store.insert", id)
	}
	if err != nil {
		return nil, err
	}
	row.freshDoc = row.nextDoc
	w.stores[id] = row
	return row, nil
}

// storedRow is the state of a row that a write replaces.
type storedRow struct {
	sqlcommon.Stored
	docID    int64
	expires  time.Time
	tags     []string
	document *posting.Document // nil: not indexed
}

// storedRow is anyRow for an entry that is expected in the given store. It first looks only
// there, which reads one partition.
func (w *writer) storedRow(ctx context.Context, id uuid.UUID, number int64, at memory.Entry) (*storedRow, bool, error) {
	row, clash, err := w.readRow(ctx, "entry.row_in", id, number, at)
	if row != nil || err != nil {
		return row, clash, err
	}
	return w.anyRow(ctx, id, number, at)
}

// anyRow reads a row under the lock of its store. It returns nil if there is none. clash
// reports whether another live entry has the path, owner and label of at, whose store has the
// given number.
func (w *writer) anyRow(ctx context.Context, id uuid.UUID, number int64, at memory.Entry) (*storedRow, bool, error) {
	return w.readRow(ctx, "entry.row", id, number, at)
}

// readRow is anyRow with one of two queries: entry.row, or entry.row_in, which finds an entry
// only in the given store.
func (w *writer) readRow(ctx context.Context, query string, id uuid.UUID, number int64, at memory.Entry) (row *storedRow, clash bool, err error) {
	w.setRLSAll()
	for {
		var s storedRow
		var store, writer *string
		var storeNumber, docID, revision *int64
		var state, label *int16
		var version, length *int
		var searchable, inContext *bool
		var namespace, path *string
		var expires *time.Time
		var terms []byte
		_, err := w.one(ctx, []any{&clash, &store, &storeNumber, &docID, &state, &label, &writer, &revision, &version, &s.Bytes, &s.Source, &expires,
			&searchable, &inContext, &namespace, &path, &s.tags, &length, &terms, &s.Past.Versions, &s.Past.Bytes}, query, [16]byte(id), number, int16(at.Label), at.Namespace, at.Key, at.Owner)
		if err != nil || store == nil {
			return nil, clash, err
		}
		if key := storeKey(*store); !w.exclusive && !w.heldLocks[key] {
			if err := w.lock(ctx, key); err != nil {
				return nil, false, err
			}
			continue // the row may have changed before the lock was acquired
		}
		s.Store, s.docID, s.State, s.Label = *storeNumber, *docID, int(*state), acl.Label(*label)
		s.InContext, s.Namespace, s.Key = *inContext, *namespace, *path
		s.Writer, s.Revision, s.Version, s.Searchable, s.expires = *writer, *revision, *version, *searchable, timeOrZero(expires)
		if length != nil {
			s.document = &posting.Document{DocKey: posting.DocKey{Store: s.Store, Doc: s.docID}, Label: s.Label, Length: *length, Terms: terms}
		}
		return &s, clash, nil
	}
}

// Put implements memory.EntryWriter.
func (w *writer) Put(ctx context.Context, e memory.Entry, doc lexical.Document) error {
	if err := w.lock(ctx, storeKey(e.Store)); err != nil {
		return err
	}
	store, err := w.store(ctx, e.Store)
	if err != nil {
		return err
	}
	var old *storedRow
	clash, known := w.prefetched.clashes(&e)
	if e.Revision == 1 && known && !w.careful {
		// The ID should be new. If not, the insertion fails, and Update runs again.
		w.unchecked = true
	} else if e.Revision == 1 {
		old, clash, err = w.anyRow(ctx, e.ID, store.number, e)
	} else {
		old, clash, err = w.storedRow(ctx, e.ID, store.number, e)
	}
	switch {
	case err != nil:
		return err
	case old == nil && e.Revision != 1, old != nil && (old.State == sqlcommon.Swept || e.Revision != old.Revision+1):
		return memory.ErrStale
	case clash && e.DeletedAt.IsZero():
		return memory.ErrExists
	}
	return w.put(ctx, &e, doc, store, old, sqlcommon.Latest(e.CreatedAt, e.UpdatedAt, e.DeletedAt))
}

// put replaces old, which is nil for a new entry, with e, and updates its tags, usage, postings
// and vectors. queuedAt is the time of the queue row.
func (w *writer) put(ctx context.Context, e *memory.Entry, words lexical.Document, store *storeRow, old *storedRow, queuedAt time.Time) error {
	next := &storedRow{Stored: sqlcommon.Next(e, store.number), tags: e.Tags}
	var before *sqlcommon.Stored
	if old != nil {
		before = &old.Stored
	}
	if old != nil && old.Store == next.Store {
		next.docID = old.docID
	} else {
		next.docID = store.nextDoc
		store.nextDoc, store.dirty = store.nextDoc+1, true
	}
	if next.Indexed() {
		next.document = &posting.Document{
			DocKey: posting.DocKey{Store: next.Store, Doc: next.docID}, Label: next.Label,
			Length: words.Length, Terms: posting.Aligned.EncodeTerms(words.Terms),
		}
	}
	if old != nil && old.Store != next.Store {
		w.queueStatement("history.move_past", [16]byte(e.ID), old.Store, next.Store)
	}
	if old != nil && e.Version > old.Version {
		w.queueStatement("entry.keep", [16]byte(e.ID), old.Store)
		w.addPast(e.ID, next.Store, old.Past, old.Bytes+old.Source)
	}
	w.replan(w.written.Add(1))
	w.prefetched.forget(e, old, next)
	delete(w.locked, e.ID)
	w.announce(e.ID, sqlcommon.Announce(before, &next.Stored, queuedAt))
	w.setRLSAll()
	w.removeTagsAndUsage(e.ID, old)
	w.writeEntry(e, next, old)
	w.usage.AddRow(&next.Stored, 1)
	w.tag(e.ID, next)
	w.replaceForms(e.ID, old, next, words.Forms)
	var indexed *posting.Document
	if old != nil {
		indexed = old.document
		if err := w.moveVectors(ctx, e.ID, old, next); err != nil {
			return err
		}
	}
	if _, err := w.postings.Replace(indexed, next.document); err != nil {
		return err
	}
	w.enqueue(e.ID, next, e.Revision, indexer.Chunks(e), queuedAt)
	if len(w.feed.stores) >= maxFeed {
		w.flushFeed()
	}
	if w.bulk.full() {
		if err := w.flushBatch(ctx); err != nil {
			return err
		}
	}
	if w.postings.Size() > maxPostings {
		if err := w.flushIndex(ctx); err != nil {
			return err
		}
	}
	if w.pendingBatch != nil && w.pendingBatch.Len() > maxPending {
		return w.flushBatch(ctx)
	}
	return nil
}

// writeEntry writes the row itself. old is nil for a new one.
func (w *writer) writeEntry(e *memory.Entry, next, old *storedRow) {
	var length, terms any
	if next.document != nil {
		length, terms = next.document.Length, next.document.Terms
	}
	args := append([]any{[16]byte(e.ID), next.Store, next.docID, int16(next.Label), int16(next.State), length, terms}, entryValues(e)...)
	if old != nil {
		w.queueStatement("entry.update", append(args, old.Store)...)
		return
	}
	if len(e.Tags) > 0 {
		args[tagsArg] = w.arrayText(e.Tags)
	}
	w.bulk.add(bulkEntry, args...)
	w.bulk.bytes += len(e.Value)
}

// tagsArg is the index of the tags in the arguments of an entry.
const tagsArg = 12

// arrayText returns a text[] as text, in PostgreSQL's format.
func (w *writer) arrayText(list []string) string {
	text, _ := w.tx.TypeMap().Encode(pgtype.TextArrayOID, pgtype.TextFormatCode, list, nil) // strings always encode
	return string(text)
}

// removeTagsAndUsage deletes a row's tags and subtracts its usage. old may be nil.
func (w *writer) removeTagsAndUsage(id uuid.UUID, old *storedRow) {
	if old == nil {
		return
	}
	w.usage.AddRow(&old.Stored, -1)
	if old.Indexed() && len(old.tags) > 0 {
		w.queueStatement("tag.delete",
			old.Store, int16(old.Label), [16]byte(id), old.tags)
	}
}

// tag inserts the tags of a searchable row.
func (w *writer) tag(id uuid.UUID, row *storedRow) {
	if row.Indexed() {
		for _, tag := range row.tags {
			w.bulk.add(bulkTag, row.Store, int16(row.Label), [16]byte(id), tag)
		}
	}
}

// flush writes or queues everything that was collected. Changes of vectors come last: they lock
// the row that assigns positions, for which other transactions then wait until the commit.
func (w *writer) flush(ctx context.Context) error {
	if err := w.flushIndex(ctx); err != nil {
		return err
	}
	for _, row := range w.stores {
		if row.dirty {
			w.queueStatement("store.set_next", row.number, row.nextDoc)
			row.dirty = false
		}
	}
	w.flushFeed()
	w.flushChanges()
	w.queueBulk()
	return w.ready(ctx)
}
