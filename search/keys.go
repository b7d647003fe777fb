package search

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// KeysOf returns the keys of the given entries, listed by store, that a search of the
// caller could show now. Such an entry is in a store on which the caller has a level, is
// visible and not encrypted, and is the entry that its path resolves to.
func KeysOf(ctx context.Context, tx memory.ReadTx, c memory.Caller, entries map[string][]uuid.UUID, now time.Time) (map[uuid.UUID]string, error) {
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
	found := pointersTo(rows)
	memory.GroupByPath(found)
	for _, e := range memory.SearchableFor(c, scope, found, now) {
		keys[e.ID] = e.Key
	}
	return keys, nil
}
