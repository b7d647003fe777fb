package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Get returns the entry that a path resolves to for the caller. The error is ErrNotFound if
// there is none.
func (s *Service) Get(ctx context.Context, c Caller, path Path) (Found, error) {
	path = path.Normal()
	var found Found
	var a acl.Access
	err := s.view(ctx, c, func(tx ReadTx) (err error) {
		var e *Entry
		a, e, err = s.getVisible(ctx, tx, c, path, acl.Read)
		if err != nil {
			return err
		}
		if e, err = withValue(ctx, tx, e); err != nil {
			return err
		}
		found = s.withETag(*e)
		return s.showSources(ctx, tx, c, &found)
	})
	s.Named(ctx, c, a)
	return found, err
}

// getVisible is Get inside a transaction. The caller needs the given level on the store. It
// returns the entry without value and source, because the values of entries that the path does
// not resolve to must not be read. It also returns the caller's access.
func (s *Service) getVisible(ctx context.Context, tx accessReader, c Caller, path Path, level acl.Level) (acl.Access, *Entry, error) {
	now := s.Instant()
	a, err := access(ctx, tx, c, path.Store, level, now)
	if err != nil {
		return acl.Access{}, nil, err
	}
	e, err := visibleAt(ctx, tx, c, a, path, now)
	return a, e, err
}

// visibleAt is getVisible for a caller whose access is known.
func visibleAt(ctx context.Context, tx EntryReader, c Caller, a acl.Access, path Path, now time.Time) (*Entry, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	entries, err := tx.At(ctx, path.At(a.Ceiling))
	if err != nil {
		return nil, err
	}
	e := Resolve(c, a, entries, now)
	if e == nil {
		return nil, ErrNotFound
	}
	return e, nil
}

// withValue returns the complete entry for e, which was read without its value.
func withValue(ctx context.Context, tx EntryReader, e *Entry) (*Entry, error) {
	whole, err := tx.Get(ctx, []uuid.UUID{e.ID})
	if err != nil {
		return nil, err
	}
	if len(whole) == 0 { // it was read in this transaction
		return nil, ErrStale
	}
	return &whole[0], nil
}

// withValues reads the values of entries that were read without them.
func (s *Service) withValues(ctx context.Context, tx EntryReader, entries []Entry) ([]Found, error) {
	ids := idsOf(entries)
	full, err := tx.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[uuid.UUID]*Entry, len(full))
	for i := range full {
		byID[full[i].ID] = &full[i]
	}
	items := make([]Found, 0, len(entries))
	for _, id := range ids {
		if e := byID[id]; e != nil {
			items = append(items, s.withETag(*e))
		}
	}
	return items, nil
}

// withBatch completes the first of entries, which were read without values: it adds the values,
// and the sources as the caller may see them. It returns as many entries as fit into
// BatchBytes. all reports whether these are all of entries.
func (s *Service) withBatch(ctx context.Context, tx accessReader, c Caller, entries []Entry) (items []Found, all bool, err error) {
	n := BatchOf(len(entries), func(i int) int { return entries[i].Size })
	if items, err = s.withValues(ctx, tx, entries[:n]); err != nil {
		return nil, false, err
	}
	return items, n == len(entries), s.showSources(ctx, tx, c, pointers(items)...)
}

// withETags adds ETags to entries without changing them.
func (s *Service) withETags(entries []Entry) []Found {
	items := make([]Found, len(entries))
	for i, e := range entries {
		items[i] = s.withETag(e)
	}
	return items
}

func (s *Service) withETag(e Entry) Found {
	return Found{Entry: e, ETag: s.secret.ETag(e.ID, e.Version)}
}

func pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}

// BatchBytes bounds the values, in bytes, that an answer holds in memory at a time: values are
// read in batches of this size while the answer is written. A single larger value is a batch of
// its own.
const BatchBytes = 512 << 10

// BatchOf returns how many of n values, of the given sizes, fit into one batch: as many as
// BatchBytes allows, and at least one if n > 0.
func BatchOf(n int, size func(int) int) int {
	total := 0
	for i := range n {
		if total += size(i); total > BatchBytes && i > 0 {
			return i
		}
	}
	return n
}
