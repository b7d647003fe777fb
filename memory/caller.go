package memory

import (
	"context"
	"errors"
	"fmt"

	"mneme/acl"
	"mneme/internal/lru"
)

// Caller is the principal of a call, with what the interface that received the call allows.
type Caller struct {
	acl.Principal
	// Internal gives access to the caller's own entries that are not in context. REST and the
	// Robutler GET and PUT set it; no tool does.
	Internal bool
}

// RegisterCaller records that an authenticated subject calls. From then on, its id is known as
// a caller's and cannot become a chat's. The error is ErrNotCaller if the id is known as a
// chat's.
func (s *Service) RegisterCaller(ctx context.Context, p acl.Principal) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotCaller, err)
	}
	if _, ok := s.callers.Get(p.Agent); ok {
		return nil
	}
	var kind Kind
	err := s.view(ctx, Caller{Principal: p}, func(tx ReadTx) (err error) {
		kind, err = tx.KindOf(ctx, p.Agent)
		return err
	})
	if err == nil && kind == KindUnknown {
		err = s.updateBatched(ctx, Caller{Principal: p}, Work{}, func(tx Tx) error { return tx.ClaimName(ctx, p.Agent, KindCaller) })
	}
	switch {
	case kind == KindChat, errors.Is(err, ErrKindClash):
		return ErrNotCaller
	case err != nil:
		return err
	}
	s.callers.Put(p.Agent, struct{}{})
	return nil
}

// callerCacheBytes bounds the cache of registered callers, about 10,000 of them. A caller that
// is not in the cache costs a storage lookup per request.
const callerCacheBytes = 4 << 20

// callerCache holds the ids known as callers'.
type callerCache = lru.Cache[string, struct{}]

func newCallerCache() *callerCache {
	return lru.New(callerCacheBytes, func(id string, _ struct{}) int { return len(id) })
}
