package memory

import (
	"bytes"
	"context"
	"errors"
	"time"

	"mneme/acl"
	"mneme/lexical"
)

// Delete moves the entry that the path resolves to into the trash, where it stays until a
// purge. The entry must be at the session's label.
func (s *Service) Delete(ctx context.Context, c Caller, path Path, conditions Preconditions) error {
	return s.deleteBy(ctx, c, path, func(tx Tx, a acl.Access, path Path, now time.Time) error {
		return s.remove(ctx, tx, c, a, path, conditions, now)
	})
}

// DeleteOccurred is Delete for an entry that was deleted elsewhere at an earlier time, at. It
// writes a last version of the entry, with at as its OccurredAt, at the same instant as the
// deletion. If the path has no live entry, it deletes the most recently deleted one again, as
// if deleted at the later time at. The error is ErrNotFound if there is none, or none that was
// deleted before at.
func (s *Service) DeleteOccurred(ctx context.Context, c Caller, path Path, conditions Preconditions, at Moment) error {
	return s.deleteBy(ctx, c, path, func(tx Tx, a acl.Access, path Path, now time.Time) error {
		e, err := s.removable(ctx, tx, c, a, path, conditions, now)
		if errors.Is(err, ErrNotFound) {
			e, err = s.deletedBefore(ctx, tx, c, a, path, conditions, at.Time, now)
		}
		if err != nil {
			return err
		}
		version := e.Version
		if !e.deletedElsewhere() { // otherwise DeleteOccurred has already written that version
			version++
		}
		e.OccurredAt = at
		stamp(e, c, now)
		e.Version = version
		if err := s.write(ctx, tx, e); err != nil { // without checkQuota: the entry is deleted next
			return err
		}
		return softDelete(ctx, tx, c, e, now)
	})
}

// deletedBefore returns the most recently deleted entry at a path, with its value. The error is
// ErrNotFound if there is none, or if it was deleted at the time at or later.
func (s *Service) deletedBefore(ctx context.Context, tx EntryReader, c Caller, a acl.Access, path Path, conditions Preconditions, at, now time.Time) (*Entry, error) {
	if err := s.checkPreconditions(conditions, nil); err != nil {
		return nil, err
	}
	e, err := lastDeleted(ctx, tx, c, a, path, now)
	if err != nil {
		return nil, err
	}
	if !e.DeletionOccurred().Before(at) {
		return nil, ErrNotFound
	}
	return withValue(ctx, tx, e)
}

// deleteBy calls remove in a transaction, for a caller who may write.
func (s *Service) deleteBy(ctx context.Context, c Caller, path Path, remove func(tx Tx, a acl.Access, path Path, now time.Time) error) error {
	path = path.Normal()
	var a acl.Access
	err := s.updateBatched(ctx, c, Work{Stores: []string{path.Store}}, func(tx Tx) (err error) {
		now := s.Instant()
		a, err = access(ctx, tx, c, path.Store, acl.ReadWrite, now)
		if err != nil {
			return err
		}
		return remove(tx, a, path, now)
	})
	if err == nil {
		s.wrote(1)
		s.Named(ctx, c, a)
	}
	return err
}

// remove is Delete inside a transaction, for a caller with this access.
func (s *Service) remove(ctx context.Context, tx Tx, c Caller, a acl.Access, path Path, conditions Preconditions, now time.Time) error {
	e, err := s.removable(ctx, tx, c, a, path, conditions, now)
	if err != nil {
		return err
	}
	return softDelete(ctx, tx, c, e, now)
}

// removable returns the entry that a Delete moves into the trash, with its value.
func (s *Service) removable(ctx context.Context, tx EntryReader, c Caller, a acl.Access, path Path, conditions Preconditions, now time.Time) (*Entry, error) {
	e, err := visibleAt(ctx, tx, c, a, path, now)
	if err != nil {
		return nil, err
	}
	if !mayRemove(c, a, e) {
		return nil, acl.ErrDenied
	}
	if err := requireOwnLabel(c, e); err != nil {
		return nil, err
	}
	if err := s.checkPreconditions(conditions, e); err != nil {
		return nil, err
	}
	return withValue(ctx, tx, e)
}

// requireOwnLabel refuses an entry that is not at the session's label.
func requireOwnLabel(c Caller, e *Entry) error {
	if e.Label != c.Taint {
		return conflict("the entry has a lower label than this session; only a session of that label can change it")
	}
	return nil
}

// softDelete moves an entry, which was read with its value, into the trash.
func softDelete(ctx context.Context, tx EntryWriter, c Caller, e *Entry, now time.Time) error {
	e.DeletedAt, e.DeletedBy = now, c.Agent
	e.Revision++
	return tx.Put(ctx, *e, lexical.Document{})
}

// Restore restores a deleted entry, or an older version of a live one, as a new version.
func (s *Service) Restore(ctx context.Context, c Caller, r RestoreRequest) (PutResult, error) {
	r.Path = r.Path.Normal()
	var result PutResult
	err := s.updateBatched(ctx, c, Work{Stores: []string{r.Path.Store}}, func(tx Tx) error {
		a, err := access(ctx, tx, c, r.Path.Store, acl.ReadWrite, s.Instant())
		if err != nil {
			return err
		}
		if err := checkRestore(r); err != nil {
			return err
		}
		result, err = s.idempotent(ctx, tx, c, r.Idempotency, func() (PutResult, error) {
			if r.Version != nil {
				return s.revert(ctx, tx, c, r)
			}
			return s.undelete(ctx, tx, c, a, r)
		})
		return err
	})
	if err != nil {
		return PutResult{}, asConflict(err)
	}
	s.wrote(1)
	s.showWritten(ctx, c, &result.Found)
	return result, nil
}

func checkRestore(r RestoreRequest) error {
	if r.Version != nil && *r.Version < 1 {
		return rule("version", "must be at least 1")
	}
	return CheckPath(r.Path)
}

// revert writes the contents of an older version as a new version of the entry that the path
// resolves to.
func (s *Service) revert(ctx context.Context, tx Tx, c Caller, r RestoreRequest) (PutResult, error) {
	_, e, err := s.getVisible(ctx, tx, c, r.Path, acl.ReadWrite)
	if err != nil {
		return PutResult{}, err
	}
	old, err := tx.History(ctx, HistoryQuery{Entry: e.ID, Before: *r.Version + 1, Limit: 1})
	if err != nil {
		return PutResult{}, err
	}
	if len(old) == 0 || old[0].Version != *r.Version {
		return PutResult{}, ErrNotFound
	}
	if err := requireOwnLabel(c, e); err != nil {
		return PutResult{}, err
	}
	if err := s.checkPreconditions(r.If, e); err != nil {
		return PutResult{}, err
	}
	now := s.Instant()
	before := *e
	e.Value, e.Type, e.Description, e.Tags, e.Source = old[0].Value, old[0].Type, old[0].Description, old[0].Tags, restoredSource(old[0].Source)
	e.OccurredAt = old[0].OccurredAt
	e.TypeBy, e.DescriptionBy = old[0].TypeBy, old[0].DescriptionBy // not the restoring agent
	stamp(e, c, now)
	if err := s.checkQuota(ctx, tx, e, &before, now); err != nil {
		return PutResult{}, err
	}
	return PutResult{Found: s.withETag(*e)}, s.write(ctx, tx, e)
}

// undelete restores the path's latest deleted entry that the caller may restore.
func (s *Service) undelete(ctx context.Context, tx Tx, c Caller, a acl.Access, r RestoreRequest) (PutResult, error) {
	now := s.Instant()
	e, err := lastDeleted(ctx, tx, c, a, r.Path, now)
	if err != nil {
		return PutResult{}, err
	}
	entries, err := s.liveAt(ctx, tx, r.Path, a.Ceiling, now)
	if err != nil {
		return PutResult{}, err
	}
	if writeTarget(c, a, entries, now) != nil {
		return PutResult{}, conflict("a live entry exists at this key")
	}
	if err := s.checkPreconditions(r.If, Resolve(c, a, entries, now)); err != nil {
		return PutResult{}, err
	}
	if e, err = withValue(ctx, tx, e); err != nil {
		return PutResult{}, err
	}
	if e.OccurredAt, err = occurredBeforeDeletion(ctx, tx, e); err != nil {
		return PutResult{}, err
	}
	e.DeletedAt, e.DeletedBy, e.Source = time.Time{}, "", restoredSource(e.Source)
	stamp(e, c, now)
	if err := s.checkQuota(ctx, tx, e, nil, now); err != nil {
		return PutResult{}, err
	}
	return PutResult{Found: s.withETag(*e), Created: true}, s.write(ctx, tx, e)
}

// occurredBeforeDeletion returns the OccurredAt that a deleted entry had before DeleteOccurred
// replaced it.
func occurredBeforeDeletion(ctx context.Context, tx HistoryReader, e *Entry) (Moment, error) {
	if !e.deletedElsewhere() {
		return e.OccurredAt, nil
	}
	former, err := tx.History(ctx, HistoryQuery{Entry: e.ID, Before: e.Version, Limit: 1})
	if err != nil || len(former) == 0 || !bytes.Equal(former[0].Value, e.Value) { // without DeleteOccurred, a batch can write and delete at one instant too
		return e.OccurredAt, err
	}
	return former[0].OccurredAt, nil
}
