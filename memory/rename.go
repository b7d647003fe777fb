package memory

import (
	"context"
	"errors"

	"mneme/acl"
)

// Rename moves an entry of the caller to another key, and optionally to another namespace or
// store. Within a store, the entry retains its id and history. In another store, it gets a new
// id and no history, so that readers there cannot see earlier versions; the old entry goes to
// the trash.
func (s *Service) Rename(ctx context.Context, c Caller, r RenameRequest) (Found, error) {
	if r.ToStore == "" {
		r.ToStore = r.Path.Store
	}
	r.Path, r.To = r.Path.Normal(), NormalName(r.To)
	to := Path{Store: r.ToStore, Namespace: r.Path.Namespace, Key: r.To}
	if r.ToNamespace != nil {
		to.Namespace = NormalName(*r.ToNamespace)
	}
	var result PutResult
	err := s.updateBatched(ctx, c, Work{Stores: []string{r.Path.Store, r.ToStore}}, func(tx Tx) error {
		now := s.Instant()
		if _, err := access(ctx, tx, c, r.Path.Store, acl.ReadWrite, now); err != nil {
			return err
		}
		dest, err := writeAccess(ctx, tx, c, to.Store, now)
		if err != nil {
			return err
		}
		if err := CheckPath(r.Path); err != nil {
			return err
		}
		if err := CheckKey(r.To); err != nil {
			return asToField(err)
		}
		if err := CheckNamespace(to.Namespace); err != nil {
			return asToField(err)
		}
		result, err = s.idempotent(ctx, tx, c, r.Idempotency, func() (PutResult, error) {
			return s.rename(ctx, tx, c, dest, r, to)
		})
		return err
	})
	if err != nil {
		return Found{}, asConflict(err)
	}
	s.wrote(1)
	s.showWritten(ctx, c, &result.Found)
	return result.Found, nil
}

// asToField changes the field of an error from "key" to "to", and from "namespace" to
// "to_namespace".
func asToField(err error) error {
	var broken *RuleError
	if errors.As(err, &broken) {
		field := "to"
		if broken.Field == "namespace" {
			field = "to_namespace"
		}
		return &RuleError{Field: field, Rule: broken.Rule}
	}
	return err
}

func (s *Service) rename(ctx context.Context, tx Tx, c Caller, dest acl.Access, r RenameRequest, to Path) (PutResult, error) {
	now := s.Instant()
	_, e, err := s.getVisible(ctx, tx, c, r.Path, acl.ReadWrite)
	if err != nil {
		return PutResult{}, err
	}
	if e.Owner != c.Agent || !e.InContext && dest.Via == acl.ViaGrant {
		return PutResult{}, acl.ErrDenied
	}
	if e.Encrypted {
		return PutResult{}, rule("key", "an encrypted entry is bound to its key and cannot be renamed")
	}
	if err := requireOwnLabel(c, e); err != nil {
		return PutResult{}, err
	}
	atNew, err := s.liveAt(ctx, tx, to, dest.Ceiling, now)
	if err != nil {
		return PutResult{}, err
	}
	if Resolve(c, dest, atNew, now) != nil {
		return PutResult{}, conflict("an entry exists at the new key")
	}
	if err := s.checkPreconditions(r.If, e); err != nil {
		return PutResult{}, err
	}
	if e, err = withValue(ctx, tx, e); err != nil {
		return PutResult{}, err
	}
	moved := *e
	moved.Path = to
	if to.Store == e.Store {
		stamp(&moved, c, now)
		if err := s.checkQuota(ctx, tx, &moved, e, now); err != nil {
			return PutResult{}, err
		}
		return PutResult{Found: s.withETag(moved)}, s.write(ctx, tx, &moved)
	}
	if moved.ID, err = newID(); err != nil {
		return PutResult{}, err
	}
	moved.Version, moved.Revision, moved.CreatedAt = 0, 0, now
	stamp(&moved, c, now)
	if err := s.checkQuota(ctx, tx, &moved, nil, now); err != nil {
		return PutResult{}, err
	}
	if err := softDelete(ctx, tx, c, e, now); err != nil {
		return PutResult{}, err
	}
	return PutResult{Found: s.withETag(moved)}, s.write(ctx, tx, &moved)
}
