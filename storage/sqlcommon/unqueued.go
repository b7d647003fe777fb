package sqlcommon

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"mneme/indexer"
)

// queuedAtOnce is the maximum number of live entries of a store that the transaction of a
// memory.ReadingChange queues itself. More would delay writers, and might exceed the statement
// timeout: then a row of table meta records the rest for QueueRest.
const queuedAtOnce = 1000

func unqueuedName(store string) string { return "unqueued " + store }

// queueStore queues the entries of a store, or if there are too many, records them for
// QueueRest. Both include the entries that an earlier change has left to QueueRest.
func (w Writes) queueStore(ctx context.Context, of indexer.Unqueued) error {
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return err
	}
	left, err := w.reads.Meta(ctx, unqueuedName(of.Store))
	if err != nil {
		return err
	}
	if left != nil {
		var before indexer.Unqueued
		if err := json.Unmarshal(left, &before); err != nil {
			return err
		}
		if before.Lacking != of.Lacking {
			of.Lacking = ""
		}
		of.From = min(of.From, before.From)
	}
	ids, err := EntryIDs(ctx, w.w, "reading.live", of.Store, queuedAtOnce+1)
	if err != nil {
		return err
	}
	if len(ids) > queuedAtOnce {
		return w.setUnqueued(ctx, of)
	}
	if left != nil {
		if _, err := w.w.Exec(ctx, "meta.delete", unqueuedName(of.Store)); err != nil {
			return err
		}
	}
	return w.queueEntries(ctx, of, ids)
}

func (w Writes) setUnqueued(ctx context.Context, of indexer.Unqueued) error {
	value, err := json.Marshal(of)
	if err != nil {
		return err
	}
	_, err = w.w.Exec(ctx, "meta.put", unqueuedName(of.Store), value)
	return err
}

func (w Writes) queueEntries(ctx context.Context, of indexer.Unqueued, ids []uuid.UUID) error {
	_, err := w.w.Exec(ctx, "queue.put_lacking", of.Store, of.QueuedAt, of.Lacking, ids, of.From)
	return err
}

// Reread implements indexer.QueueReader.
func (r Reads) Reread(ctx context.Context) (reread indexer.Reread, err error) {
	reread.Unqueued, err = List(ctx, r.r, func(row Row) (of indexer.Unqueued, err error) {
		var value []byte
		if err := row.Scan(&value); err != nil {
			return of, err
		}
		err = json.Unmarshal(value, &of)
		return of, err
	}, "reading.unqueued")
	if err != nil {
		return indexer.Reread{}, err
	}
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return indexer.Reread{}, err
	}
	reread.Indexed, err = List(ctx, r.r, func(row Row) (store string, err error) {
		err = row.Scan(&store)
		return store, err
	}, "reading.indexed")
	return reread, err
}

// QueueRest implements indexer.QueueWriter.
func (w Writes) QueueRest(ctx context.Context, of indexer.Unqueued, ids []uuid.UUID) (bool, error) {
	if err := w.w.InStore(ctx, of.Store); err != nil { // takes the store's lock, as PutReading does
		return false, err
	}
	if err := w.w.OfEntries(ctx, nil); err != nil {
		return false, err
	}
	is, err := json.Marshal(of)
	if err != nil {
		return false, err
	}
	left, err := w.reads.Meta(ctx, unqueuedName(of.Store))
	if err != nil || !bytes.Equal(left, is) {
		return false, err
	}
	if len(ids) == 0 {
		_, err := w.w.Exec(ctx, "meta.delete", unqueuedName(of.Store))
		return err == nil, err
	}
	if err := w.queueEntries(ctx, of, ids); err != nil {
		return false, err
	}
	of.After = ids[len(ids)-1]
	err = w.setUnqueued(ctx, of)
	return err == nil, err
}
