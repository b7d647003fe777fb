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

// Versions returns a page of the versions of the entry that the path resolves
// to, the current one first.
func (s *Service) Versions(ctx context.Context, c Caller, path Path, limit int, cursor string) (Page, error) {
	bound := []string{"versions", c.Agent, c.Taint.String(), path.Store, path.Namespace, path.Key}
	var before versionPosition
	if cursor != "" {
		if err := s.secret.openCursor(cursor, &before, bound); err != nil {
			return Page{}, err
		}
	}
	var page Page
	err := s.storage.View(ctx, func(tx ReadTx) error {
		_, e, err := s.getVisible(ctx, tx, c, path, acl.Read)
		if err != nil {
			return err
		}
		if err := checkLimit(limit); err != nil {
			return err
		}
		if cursor != "" && before.ID != e.ID { // the path resolves to another entry now
			return ErrCursor
		}
		versions, err := tx.History(ctx, e.ID, before.Version, limit+1)
		if err != nil {
			return err
		}
		more := len(versions) > limit
		page.Items = s.withETags(versions[:min(limit, len(versions))])
		if err := s.showSources(ctx, tx, c, pointers(page.Items)...); err != nil {
			return err
		}
		if more {
			page.Next, err = s.secret.sealCursor(versionPosition{e.ID, versions[limit-1].Version}, bound)
		}
		return err
	})
	return page, err
}
