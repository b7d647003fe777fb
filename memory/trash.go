package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// trashPosition is the last entry of a page of the trash.
type trashPosition struct {
	Time time.Time
	ID   uuid.UUID
}

// Trash returns a page of the deleted entries that the caller may restore, the
// latest deletion first: entries at the session's label, of the caller, or of
// everybody where it manages the whole store.
func (s *Service) Trash(ctx context.Context, c Caller, store string, limit int, cursor string) (Page, error) {
	bound := []string{"trash", c.Agent, c.Taint.String(), store}
	var after trashPosition
	if cursor != "" {
		if err := s.secret.openCursor(cursor, &after, bound); err != nil {
			return Page{}, err
		}
	}
	var page Page
	err := s.storage.View(ctx, func(tx ReadTx) error {
		now := s.instant()
		a, err := access(ctx, tx, c, store, acl.ReadWrite, now)
		if err != nil {
			return err
		}
		if err := checkLimit(limit); err != nil {
			return err
		}
		query := TrashQuery{Store: store, Label: c.Taint, AfterTime: after.Time, AfterID: after.ID, Limit: limit + 1}
		deleted, err := restorable(ctx, tx, c, a, query, now)
		if err != nil {
			return err
		}
		more := len(deleted) > limit
		deleted = deleted[:min(limit, len(deleted))]
		if page.Items, err = s.withValues(ctx, tx, deleted); err != nil {
			return err
		}
		if err := s.showSources(ctx, tx, c, pointers(page.Items)...); err != nil {
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

// restorable returns deleted entries that the caller may restore, without
// values, up to the query's limit. query.Owner is set here.
func restorable(ctx context.Context, tx EntryReader, c Caller, a acl.Access, query TrashQuery, now time.Time) ([]Entry, error) {
	if !a.Sees(query.Label) {
		return nil, nil
	}
	if !managesAll(c, a) {
		query.Owner = c.Agent
	}
	var entries []Entry
	for {
		rows, err := tx.Trash(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, e := range rows {
			own := c.Internal && e.Owner == c.Agent
			if !e.Expired(now) && (e.InContext || own) && len(entries) < query.Limit {
				entries = append(entries, e)
			}
		}
		if len(entries) == query.Limit || len(rows) < query.Limit {
			return entries, nil
		}
		last := rows[len(rows)-1]
		query.AfterTime, query.AfterID = last.DeletedAt, last.ID
	}
}
