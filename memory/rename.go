package memory

import (
	"context"
	"errors"

	"mneme/acl"
)

// Rename moves an entry of the caller's to another key of the namespace, in
// the same store or another. Within a store the entry keeps its id and its
// history. In another store it begins anew, so that readers there do not come
// by versions which were never in their store; the old one goes to the trash.
func (s *Service) Rename(ctx context.Context, c Caller, r RenameRequest) (Found, error) {
	if r.ToStore == "" {
		r.ToStore = r.Path.Store
	}
	to := Path{Store: r.ToStore, Namespace: r.Path.Namespace, Key: r.To}
	var result PutResult
	err := s.storage.Update(ctx, func(tx Tx) error {
		now := s.instant()
		if _, err := access(ctx, tx, c, r.Path.Store, acl.ReadWrite, now); err != nil {
			return err
		}
		dest, err := writeAccess(ctx, tx, c, to.Store, now)
		if err != nil {
			return err
		}
		if err := checkPath(r.Path); err != nil {
			return err
		}
		if err := CheckKey(r.To); err != nil {
			return renamed(err)
		}
		result, err = s.idempotent(ctx, tx, c, r.Idempotency, func() (PutResult, error) {
			return s.rename(ctx, tx, c, dest, r, to)
		})
		return err
	})
	if err != nil {
		return Found{}, clash(err)
	}
	s.indexer.Wake()
	return result.Found, nil
}

// renamed makes a broken rule of keys one of the field that holds the key.
func renamed(err error) error {
	var broken *RuleError
	if errors.As(err, &broken) {
		return &RuleError{Field: "to", Rule: broken.Rule}
	}
	return err
}

func (s *Service) rename(ctx context.Context, tx Tx, c Caller, dest acl.Access, r RenameRequest, to Path) (PutResult, error) {
	now := s.instant()
	_, e, err := s.see(ctx, tx, c, r.Path, acl.ReadWrite)
	if err != nil {
		return PutResult{}, err
	}
	if e.Owner != c.Agent || !e.InContext && dest.Via == acl.ViaGrant {
		return PutResult{}, acl.ErrDenied
	}
	if e.Encrypted {
		return PutResult{}, rule("key", "an encrypted entry is bound to its key and cannot be renamed")
	}
	if err := atOwnLabel(c, e); err != nil {
		return PutResult{}, err
	}
	there, err := s.at(ctx, tx, to, now)
	if err != nil {
		return PutResult{}, err
	}
	if shown(c, dest, there, now) != nil {
		return PutResult{}, conflict("an entry stands at the new key")
	}
	if err := s.checkPreconditions(r.If, e); err != nil {
		return PutResult{}, err
	}
	moved := *e
	moved.Path = to
	if to.Store == e.Store {
		stamp(&moved, c, now)
		return PutResult{Found: s.found(moved)}, tx.Put(ctx, moved, document(&moved))
	}
	if moved.ID, err = newID(); err != nil {
		return PutResult{}, err
	}
	moved.Version, moved.Revision, moved.CreatedAt = 0, 0, now
	stamp(&moved, c, now)
	if err := s.checkQuota(ctx, tx, &moved, nil, now); err != nil {
		return PutResult{}, err
	}
	if err := discard(ctx, tx, c, e, now); err != nil {
		return PutResult{}, err
	}
	return PutResult{Found: s.found(moved)}, tx.Put(ctx, moved, document(&moved))
}
