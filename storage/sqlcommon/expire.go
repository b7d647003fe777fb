package sqlcommon

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

func scanExpiry(row Row) (e memory.Expiry, err error) {
	err = row.Scan(&e.Entry, &e.At, &e.Size)
	return e, err
}

// Due implements memory.ExpiryReader.
func (r Reads) Due(ctx context.Context, until time.Time, limit int) ([]memory.Expiry, error) {
	if err := r.r.OfEntries(ctx, nil); err != nil {
		return nil, err
	}
	return List(ctx, r.r, scanExpiry, "expiry.due", until, limit)
}

// Expiring implements memory.ExpiryReader.
func (r Reads) Expiring(ctx context.Context, q memory.ExpiryQuery) ([]memory.Expiry, error) {
	if err := r.r.InStore(ctx, q.Store); err != nil {
		return nil, err
	}
	if q.Until.IsZero() {
		q.Until = FarFuture
	}
	var found []memory.Expiry
	for _, label := range r.d.levels(q.Ceiling) {
		list, err := List(ctx, r.r, scanExpiry, "expiry.due_in", q.Store, label, q.Until, q.Limit)
		if err != nil {
			return nil, err
		}
		found = append(found, list...)
	}
	slices.SortStableFunc(found, func(a, b memory.Expiry) int { return a.At.Compare(b.At) })
	return found[:min(q.Limit, len(found))], nil
}

// Purger is a transaction that purges entries.
type Purger interface {
	Writer
	// StillErasable locks the stores of entries, and returns those entries that may still be
	// purged. PurgeEntry purges one of them.
	StillErasable(ctx context.Context, ids []uuid.UUID, cutoff time.Time) ([]uuid.UUID, error)
	PurgeEntry(ctx context.Context, id uuid.UUID) error
}

// Purge implements memory.Eraser for both storages: it erases at most limit entries that were
// deleted or have expired before the cutoff.
func Purge(ctx context.Context, w Purger, d *Dialect, cutoff time.Time, limit int) (purged []uuid.UUID, err error) {
	if err := w.OfEntries(ctx, nil); err != nil {
		return nil, err
	}
	for _, text := range []string{"expiry.deleted", "expiry.swept", "expiry.expired"} {
		if len(purged) >= limit {
			break
		}
		ids, err := EntryIDs(ctx, w, text, cutoff, limit-len(purged))
		if err == nil && len(ids) > 0 {
			ids, err = w.StillErasable(ctx, ids, cutoff)
		}
		for _, id := range ids {
			if err == nil {
				err = w.PurgeEntry(ctx, id)
			}
		}
		if err != nil {
			return nil, err
		}
		purged = append(purged, ids...)
	}
	return purged, nil
}

// TrimEach erases former versions of entries, as memory.HistoryTrimmer specifies.
func TrimEach(ctx context.Context, w memory.HistoryTrimmer, ids []uuid.UUID, keep memory.HistoryLimits) error {
	for _, id := range ids {
		if err := w.TrimHistory(ctx, id, keep); err != nil {
			return err
		}
	}
	return nil
}

// Past counts an entry's former versions.
type Past struct {
	Versions int64
	Bytes    int64 // of their values and sources
}

// Exceeds reports whether former versions must be erased. The newest of them always stays.
func (p Past) Exceeds(keep memory.HistoryLimits) bool {
	return p.Versions > 1 && (p.Versions > keep.Former() || p.Bytes > keep.Bytes)
}

// Trim erases the oldest former versions of the row with a key until the rest is within the
// limits, and returns the counts of the rest. It reads no values, only their sizes, chunk by
// chunk, and ends with the chunk that suffices.
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
		if last == 0 { // there are no such versions: the count was wrong
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
