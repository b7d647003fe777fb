package memory

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"mneme/acl"
)

// KeysOf returns the keys of those of some entries that a search of the caller
// could show now: in a store on which it has a level, visible, not encrypted, and
// what their paths resolve to. entries are given by store.
func (s *Service) KeysOf(ctx context.Context, tx ReadTx, c Caller, entries map[string][]uuid.UUID) (map[uuid.UUID]string, error) {
	now := s.instant()
	var stores []string
	var ids []uuid.UUID
	for store, of := range entries {
		_, err := acl.Decide(ctx, tx, c.Principal, store, now)
		if errors.Is(err, acl.ErrDenied) {
			continue
		}
		if err != nil {
			return nil, err
		}
		stores, ids = append(stores, store), append(ids, of...)
	}
	keys := make(map[uuid.UUID]string)
	if len(stores) == 0 {
		return keys, nil
	}
	scope, err := acl.NewScope(ctx, tx, c.Principal, acl.ScopeRequest{Stores: stores}, now)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Siblings(ctx, scope, ids)
	if err != nil {
		return nil, err
	}
	for _, e := range searchableOf(c, scope, rows, now) {
		keys[e.ID] = e.Key
	}
	return keys, nil
}
