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

// EachTrashed yields the entries of a page of the trash, and returns the cursor of the next
// page. The trash has the deleted entries at the session's label that the caller may restore,
// latest deletion first: the caller's own, or everybody's if the caller manages the whole
// store. It reads values in batches. Each batch has its own snapshot, which decides what the
// caller sees.
func (s *Service) EachTrashed(ctx context.Context, c Caller, r TrashRequest, yield func(Found) error) (next string, err error) {
	if r.Path != nil {
		return "", s.eachTrashedAt(ctx, c, r.Store, r.Path.Normal(), yield)
	}
	bound := []string{"trash", c.Agent, c.Taint.String(), r.Store}
	var after trashPosition
	if r.Cursor != "" {
		if err := s.secret.OpenCursor(r.Cursor, &after, bound); err != nil {
			return "", err
		}
	}
	for left, size := r.Limit, 0; ; {
		var items []Found
		var more bool
		var a acl.Access
		err := s.view(ctx, c, func(tx ReadTx) (err error) {
			now := s.Instant()
			a, err = access(ctx, tx, c, r.Store, acl.ReadWrite, now)
			if err != nil {
				return err
			}
			if err := CheckLimit(r.Limit); err != nil {
				return err
			}
			items, more, err = s.trash(ctx, tx, c, a, r.Store, after, nextBatch(left, size))
			return err
		})
		if err != nil {
			return "", err
		}
		s.Named(ctx, c, a)
		for i := range items {
			after = trashPosition{items[i].DeletedAt, items[i].ID}
			if err := yield(items[i]); err != nil {
				return "", err
			}
		}
		size = len(items)
		if left -= size; !more {
			return "", nil
		}
		if left <= 0 {
			return s.secret.SealCursor(after, bound)
		}
	}
}

// eachTrashedAt is EachTrashed for one path: see TrashRequest.Path.
func (s *Service) eachTrashedAt(ctx context.Context, c Caller, store string, path Path, yield func(Found) error) error {
	var entries []Entry
	err := s.view(ctx, c, func(tx ReadTx) error {
		entries = nil
		now := s.Instant()
		a, err := access(ctx, tx, c, store, acl.ReadWrite, now)
		if err != nil {
			return err
		}
		for label := acl.Public; label <= c.Taint; label++ {
			deleted, err := restorable(ctx, tx, c, a, TrashQuery{Store: store, Label: label, Path: &path, Limit: 1}, now)
			if err != nil {
				return err
			}
			entries = append(entries, deleted...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range s.withETags(entries) {
		if err := yield(f); err != nil {
			return err
		}
	}
	return nil
}

// lastDeleted returns the path's latest deleted entry that the caller may restore, without its
// value. The error is ErrNotFound if there is none.
func lastDeleted(ctx context.Context, tx EntryReader, c Caller, a acl.Access, path Path, now time.Time) (*Entry, error) {
	deleted, err := restorable(ctx, tx, c, a, TrashQuery{Store: path.Store, Label: c.Taint, Path: &path, Limit: 1}, now)
	if err != nil {
		return nil, err
	}
	if len(deleted) == 0 {
		return nil, ErrNotFound
	}
	return &deleted[0], nil
}

// trash returns the deleted entries after a position that the caller may restore, up to limit
// and up to BatchBytes of values. more reports whether there are more.
func (s *Service) trash(ctx context.Context, tx accessReader, c Caller, a acl.Access, store string, after trashPosition, limit int) (items []Found, more bool, err error) {
	query := TrashQuery{Store: store, Label: c.Taint, AfterTime: after.Time, AfterID: after.ID, Limit: limit + 1}
	deleted, err := restorable(ctx, tx, c, a, query, s.Instant())
	if err != nil {
		return nil, false, err
	}
	more = len(deleted) > limit
	items, all, err := s.withBatch(ctx, tx, c, deleted[:min(limit, len(deleted))])
	return items, more || !all, err
}

// restorable returns the deleted entries of a query that the caller may restore, without
// values, up to the query's limit. It sets query.Owner.
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
