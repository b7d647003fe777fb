package memory

import (
	"context"
	"time"

	"mneme/acl"
	"mneme/lexical"
)

// Delete hides the entry that the path shows, if it is at the session's
// label and the caller may remove it. It stays in the trash until a purge.
func (s *Service) Delete(ctx context.Context, c Caller, path Path, conditions Preconditions) error {
	err := s.storage.Update(ctx, func(tx Tx) error {
		a, e, err := s.see(ctx, tx, c, path, acl.ReadWrite)
		if err != nil {
			return err
		}
		if !mayRemove(c, a, e) {
			return acl.ErrDenied
		}
		if err := atOwnLabel(c, e); err != nil {
			return err
		}
		if err := s.checkPreconditions(conditions, e); err != nil {
			return err
		}
		return discard(ctx, tx, c, e, s.instant())
	})
	if err == nil {
		s.indexer.Wake()
	}
	return err
}

// atOwnLabel refuses what works only at the session's own label.
func atOwnLabel(c Caller, e *Entry) error {
	if e.Label != c.Taint {
		return conflict("the entry that this session sees here has a lower label than the session; only a session of that label changes it")
	}
	return nil
}

// discard soft-deletes an entry.
func discard(ctx context.Context, tx Tx, c Caller, e *Entry, now time.Time) error {
	e.DeletedAt, e.DeletedBy = now, c.Agent
	e.Revision++
	return tx.Put(ctx, *e, lexical.Document{})
}

// Restore brings back a deleted entry, or an older version of a live one, as
// a new version.
func (s *Service) Restore(ctx context.Context, c Caller, r RestoreRequest) (PutResult, error) {
	var result PutResult
	err := s.storage.Update(ctx, func(tx Tx) error {
		a, err := access(ctx, tx, c, r.Path.Store, acl.ReadWrite, s.instant())
		if err != nil {
			return err
		}
		if err := checkRestore(r); err != nil {
			return err
		}
		result, err = s.idempotent(ctx, tx, c, r.Idempotency, func() (PutResult, error) {
			if r.Version > 0 {
				return s.revert(ctx, tx, c, r)
			}
			return s.undelete(ctx, tx, c, a, r)
		})
		return err
	})
	if err != nil {
		return PutResult{}, clash(err)
	}
	s.indexer.Wake()
	return result, nil
}

func checkRestore(r RestoreRequest) error {
	if r.Version < 0 {
		return rule("version", "must be at least 1")
	}
	return checkPath(r.Path)
}

// revert writes an older version's contents as a new version of the entry
// that the path shows.
func (s *Service) revert(ctx context.Context, tx Tx, c Caller, r RestoreRequest) (PutResult, error) {
	_, e, err := s.see(ctx, tx, c, r.Path, acl.ReadWrite)
	if err != nil {
		return PutResult{}, err
	}
	old, err := tx.History(ctx, e.ID, r.Version+1, 1)
	if err != nil {
		return PutResult{}, err
	}
	if len(old) == 0 || old[0].Version != r.Version {
		return PutResult{}, ErrNotFound
	}
	if err := atOwnLabel(c, e); err != nil {
		return PutResult{}, err
	}
	if err := s.checkPreconditions(r.If, e); err != nil {
		return PutResult{}, err
	}
	now := s.instant()
	before := *e
	e.Value, e.Type, e.Description, e.Tags, e.Source = old[0].Value, old[0].Type, old[0].Description, old[0].Tags, old[0].Source
	stamp(e, c, now)
	if err := s.checkQuota(ctx, tx, e, &before, now); err != nil {
		return PutResult{}, err
	}
	return PutResult{Found: s.found(*e)}, tx.Put(ctx, *e, document(e))
}

// undelete brings back the latest deleted entry of the path that the caller
// may restore.
func (s *Service) undelete(ctx context.Context, tx Tx, c Caller, a acl.Access, r RestoreRequest) (PutResult, error) {
	now := s.instant()
	query := TrashQuery{Store: r.Path.Store, Label: c.Taint, Path: &r.Path, Limit: 1}
	deleted, err := s.trash(ctx, tx, c, a, query, now)
	if err != nil {
		return PutResult{}, err
	}
	if len(deleted) == 0 {
		return PutResult{}, ErrNotFound
	}
	entries, err := s.at(ctx, tx, r.Path, now)
	if err != nil {
		return PutResult{}, err
	}
	if target(c, a, entries, now) != nil {
		return PutResult{}, conflict("a live entry stands at this key")
	}
	if err := s.checkPreconditions(r.If, shown(c, a, entries, now)); err != nil {
		return PutResult{}, err
	}
	whole, err := tx.Get(ctx, idsOf(deleted))
	if err != nil {
		return PutResult{}, err
	}
	e := &whole[0]
	e.DeletedAt, e.DeletedBy = time.Time{}, ""
	stamp(e, c, now)
	if err := s.checkQuota(ctx, tx, e, nil, now); err != nil {
		return PutResult{}, err
	}
	return PutResult{Found: s.found(*e), Created: true}, tx.Put(ctx, *e, document(e))
}
