package sqlcommon

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// Expiring implements memory.ExpiryReader.
func (r Reads) Expiring(ctx context.Context, q memory.ExpiryQuery) ([]memory.Expiry, error) {
	scan := func(row Row) (e memory.Expiry, err error) {
		err = row.Scan(&e.Entry, &e.At, &e.Size)
		return e, err
	}
	if q.Store == "" {
		if err := r.r.OfEntries(ctx, nil); err != nil {
			return nil, err
		}
		return List(ctx, r.r, scan, "expiry.due", q.Until, q.Limit)
	}
	if err := r.r.InStore(ctx, q.Store); err != nil {
		return nil, err
	}
	if q.Until.IsZero() {
		q.Until = FarFuture
	}
	var found []memory.Expiry
	for _, label := range r.d.levels(q.Ceiling) {
		list, err := List(ctx, r.r, scan, "expiry.due_in", q.Store, label, q.Until, q.Limit)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	slices.SortStableFunc(found, func(a, b memory.Expiry) int { return a.At.Compare(b.At) })
	return found[:min(q.Limit, len(found))], nil
}

// Erasing is a transaction that erases what Erase says.
type Erasing interface {
	Writer
	Sweep(ctx context.Context, what memory.Expired) ([]uuid.UUID, error)
	// StillErasable returns those of the entries that may be purged, under the locks
	// of their stores, and Purge erases one.
	StillErasable(ctx context.Context, ids []uuid.UUID, cutoff time.Time) ([]uuid.UUID, error)
	Purge(ctx context.Context, id uuid.UUID) error
	// Excess returns entries with more former versions than the limits allow, and
	// TrimHistory erases those of one.
	Excess(ctx context.Context, what memory.FormerVersions) ([]uuid.UUID, error)
	TrimHistory(ctx context.Context, id uuid.UUID, keep memory.HistoryLimits) error
}

// Erase does what memory.Eraser says.
func Erase(ctx context.Context, w Erasing, d *Dialect, what memory.Erasure) ([]uuid.UUID, error) {
	switch e := what.(type) {
	case memory.Expired:
		return w.Sweep(ctx, e)
	case memory.Purge:
		return purge(ctx, w, d, e)
	case memory.FormerVersions:
		if e.Entry != uuid.Nil {
			return []uuid.UUID{e.Entry}, w.TrimHistory(ctx, e.Entry, e.Keep)
		}
		ids, err := w.Excess(ctx, e)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if err := w.TrimHistory(ctx, id, e.Keep); err != nil {
				return nil, err
			}
		}
		return ids, nil
	}
	return nil, errUnknown(what)
}

// purge erases deleted, swept and expired entries.
func purge(ctx context.Context, w Erasing, d *Dialect, what memory.Purge) (purged []uuid.UUID, err error) {
	if err := w.OfEntries(ctx, nil); err != nil {
		return nil, err
	}
	for _, text := range []string{"expiry.deleted", "expiry.swept", "expiry.expired"} {
		if len(purged) >= what.Limit {
			break
		}
		ids, err := EntryIDs(ctx, w, text, what.Cutoff, what.Limit-len(purged))
		if err == nil && len(ids) > 0 {
			ids, err = w.StillErasable(ctx, ids, what.Cutoff)
		}
		for _, id := range ids {
			if err == nil {
				err = w.Purge(ctx, id)
			}
		}
		if err != nil {
			return nil, err
		}
		purged = append(purged, ids...)
	}
	return purged, nil
}

// Past counts an entry's former versions.
type Past struct {
	Versions int64
	Bytes    int64 // of their values and sources
}

// Exceeds reports whether versions have to go. The newest former one stays.
func (p Past) Exceeds(keep memory.HistoryLimits) bool {
	return p.Versions > 1 && (p.Versions > keep.Former() || p.Bytes > keep.Bytes)
}

// Trim erases the oldest former versions of the row with a key until the others are
// within the limits, and returns the counts of those. It reads sizes, and only of the
// versions that it erases and of one chunk more.
func (p Past) Trim(ctx context.Context, w Writer, d *Dialect, key any, keep memory.HistoryLimits) (Past, error) {
	const chunk = 16
	for limit := min(chunk, max(2, p.Versions-keep.Former())); p.Exceeds(keep); limit = chunk {
		var last int64
		err := w.Each(ctx, func(row Row) error {
			var version, bytes int64
			err := row.Scan(&version, &bytes)
			if err == nil && p.Exceeds(keep) {
				last, p.Versions, p.Bytes = version, p.Versions-1, p.Bytes-bytes
			}
			return err
		}, "entry.oldest_versions", key, limit)
		if err != nil {
			return p, err
		}
		if last == 0 { // the count was wrong
			w.Erased()
			return Past{}, nil
		}
		w.Erased()
		if err := w.Queue(ctx, "entry.delete_versions", key, last); err != nil {
			return p, err
		}
	}
	return p, nil
}
