package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Versions returns the history of the entry that the path resolves to, newest
// first, the version that stands included.
func (s *Service) Versions(ctx context.Context, c Caller, path Path, limit int, cursor string) (Page, error) {
	bound := []string{"versions", c.Agent, c.Taint.String(), path.Store, path.Namespace, path.Key}
	var before versionPosition
	var cursorErr error
	if cursor != "" {
		cursorErr = s.secret.openCursor(cursor, &before, bound)
	}
	var page Page
	err := s.storage.View(ctx, func(tx ReadTx) error {
		if cursorErr != nil {
			return cursorErr
		}
		_, e, err := s.see(ctx, tx, c, path, acl.Read)
		if err != nil {
			return err
		}
		if err := checkLimit(limit); err != nil {
			return err
		}
		if cursor != "" && before.ID != e.ID { // the path shows another entry now
			return ErrCursor
		}
		versions, err := tx.History(ctx, e.ID, before.Version, limit+1)
		if err != nil {
			return err
		}
		more := len(versions) > limit
		for _, v := range versions[:min(limit, len(versions))] {
			page.Items = append(page.Items, s.found(v))
		}
		if err := s.showSources(ctx, tx, c, each(page.Items)...); err != nil {
			return err
		}
		if more {
			page.Next, err = s.secret.sealCursor(versionPosition{e.ID, versions[limit-1].Version}, bound)
		}
		return err
	})
	return page, err
}

type versionPosition struct {
	ID      uuid.UUID
	Version int
}

// trashPosition is where a page of the trash ended.
type trashPosition struct {
	Time time.Time
	ID   uuid.UUID
}

// Trash returns a page of the deleted entries that the caller may restore:
// at the session's label, its own, or all that it managed to see where it
// manages the whole store. Latest deletion first.
func (s *Service) Trash(ctx context.Context, c Caller, store string, limit int, cursor string) (Page, error) {
	bound := []string{"trash", c.Agent, c.Taint.String(), store}
	var after trashPosition
	var cursorErr error
	if cursor != "" {
		cursorErr = s.secret.openCursor(cursor, &after, bound)
	}
	var page Page
	err := s.storage.View(ctx, func(tx ReadTx) error {
		if cursorErr != nil {
			return cursorErr
		}
		now := s.instant()
		a, err := access(ctx, tx, c, store, acl.ReadWrite, now)
		if err != nil {
			return err
		}
		if err := checkLimit(limit); err != nil {
			return err
		}
		query := TrashQuery{Store: store, Label: c.Taint, AfterTime: after.Time, AfterID: after.ID, Limit: limit + 1}
		deleted, err := s.trash(ctx, tx, c, a, query, now)
		if err != nil {
			return err
		}
		more := len(deleted) > limit
		deleted = deleted[:min(limit, len(deleted))]
		if page.Items, err = s.fill(ctx, tx, deleted); err != nil {
			return err
		}
		if err := s.showSources(ctx, tx, c, each(page.Items)...); err != nil {
			return err
		}
		if more {
			last := deleted[limit-1]
			page.Next, err = s.secret.sealCursor(trashPosition{last.DeletedAt, last.ID}, bound)
		}
		return err
	})
	return page, err
}

// trash gathers deleted entries that the caller may restore, up to the
// query's limit.
func (s *Service) trash(ctx context.Context, tx ReadTx, c Caller, a acl.Access, query TrashQuery, now time.Time) ([]Entry, error) {
	if !a.Sees(query.Label) {
		return nil, nil
	}
	if !managesAll(c, a) {
		query.Owner = c.Agent
	}
	var found []Entry
	for {
		rows, err := tx.Trash(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, e := range rows {
			own := c.Internal && e.Owner == c.Agent
			if !e.Expired(now) && (e.InContext || own) && len(found) < query.Limit {
				found = append(found, e)
			}
		}
		if len(found) == query.Limit || len(rows) < query.Limit {
			return found, nil
		}
		last := rows[len(rows)-1]
		query.AfterTime, query.AfterID = last.DeletedAt, last.ID
	}
}
