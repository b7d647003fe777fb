package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
)

// Get returns the entry that a path resolves to for the caller; ErrNotFound if
// there is none.
func (s *Service) Get(ctx context.Context, c Caller, path Path) (Found, error) {
	var found Found
	err := s.storage.View(ctx, func(tx ReadTx) error {
		_, e, err := s.getVisible(ctx, tx, c, path, acl.Read)
		if err != nil {
			return err
		}
		found = s.withETag(*e)
		return s.showSources(ctx, tx, c, &found)
	})
	return found, err
}

// getVisible is Get inside a transaction, for a caller who needs a level on
// the store. It also returns the caller's access.
func (s *Service) getVisible(ctx context.Context, tx accessReader, c Caller, path Path, level acl.Level) (acl.Access, *Entry, error) {
	now := s.instant()
	a, err := access(ctx, tx, c, path.Store, level, now)
	if err != nil {
		return acl.Access{}, nil, err
	}
	if err := checkPath(path); err != nil {
		return acl.Access{}, nil, err
	}
	entries, err := tx.At(ctx, path)
	if err != nil {
		return acl.Access{}, nil, err
	}
	e := resolve(c, a, entries, now)
	if e == nil {
		return acl.Access{}, nil, ErrNotFound
	}
	return a, e, nil
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

// withETags adds ETags to entries as they are.
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

func pointers(items []Found) []*Found {
	all := make([]*Found, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}
