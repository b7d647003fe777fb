package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
)

// versionPosition is the last version of a page.
type versionPosition struct {
	ID      uuid.UUID
	Version int
}

// EachVersion yields a page of the versions of the entry that the path resolves to, the current
// one first, and returns the cursor of the next page. It reads versions in batches. Each batch
// has its own snapshot, in which the path is resolved again. If the path then resolves to
// another entry, EachVersion returns ErrCursor, as it would for the cursor of a next page.
func (s *Service) EachVersion(ctx context.Context, c Caller, path Path, limit int, cursor string, yield func(Found) error) (next string, err error) {
	path = path.Normal()
	bound := []string{"versions", c.Agent, c.Taint.String(), path.Store, path.Namespace, path.Key}
	var before versionPosition
	if cursor != "" {
		if err := s.secret.OpenCursor(cursor, &before, bound); err != nil {
			return "", err
		}
	}
	for left := limit; ; {
		var items []Found
		var more bool
		var a acl.Access
		err := s.view(ctx, c, func(tx ReadTx) (err error) {
			var e *Entry
			a, e, err = s.getVisible(ctx, tx, c, path, acl.Read)
			if err != nil {
				return err
			}
			if err := CheckLimit(limit); err != nil {
				return err
			}
			if before.ID != uuid.Nil && before.ID != e.ID { // the path resolves to another entry now
				return ErrCursor
			}
			n := min(left, max(1, BatchBytes/s.limits.Value))
			versions, err := tx.History(ctx, HistoryQuery{Entry: e.ID, Before: before.Version, Limit: n + 1})
			if err != nil {
				return err
			}
			more = len(versions) > n
			items = s.withETags(versions[:min(n, len(versions))])
			return s.showSources(ctx, tx, c, pointers(items)...)
		})
		if err != nil {
			return "", err
		}
		s.Named(ctx, c, a)
		for i := range items {
			before = versionPosition{items[i].ID, items[i].Version}
			if err := yield(items[i]); err != nil {
				return "", err
			}
		}
		if left -= len(items); !more {
			return "", nil
		}
		if left <= 0 {
			return s.secret.SealCursor(before, bound)
		}
	}
}
