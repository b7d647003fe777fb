package memory

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// The methods in this file let the use cases of package meter have the entity
// tags, cursors, Idempotency-Keys and limits of those here.

// Instant returns the current time in the precision of rows.
func (s *Service) Instant() time.Time { return s.instant() }

// IdempotencyTTL returns how long the outcomes of calls with Idempotency-Keys are kept.
func (s *Service) IdempotencyTTL() time.Duration { return s.limits.IdempotencyTTL }

// ETag returns the strong entity tag of a version of a record, without quotes.
// It reveals neither.
func (s *Service) ETag(id uuid.UUID, version int) string { return s.secret.ETag(id, version) }

// CheckPreconditions checks preconditions against the entity tag of a record.
func (s *Service) CheckPreconditions(p Preconditions, tag string) error { return p.check(tag) }

// SealCursor encrypts a position. The cursor opens only for the same bound: the
// names of the call, the caller and the filters.
func (s *Service) SealCursor(position any, bound ...string) (string, error) {
	return s.secret.sealCursor(position, bound)
}

// OpenCursor decrypts a cursor into position; ErrCursor if it was not sealed for
// the same bound.
func (s *Service) OpenCursor(cursor string, position any, bound ...string) error {
	return s.secret.openCursor(cursor, position, bound)
}

// Recorded returns the outcome of an earlier call with the same Idempotency-Key:
// nil if there is none or i is nil, ErrKeyReused if that call had another body.
// The caller must have been authorised already.
func (s *Service) Recorded(ctx context.Context, tx Tx, c Caller, i *Idempotency) (*IdempotencyRecord, error) {
	return s.recorded(ctx, tx, c, i)
}

// Record keeps the outcome of a call in its transaction, unless i is nil. Digest
// and ExpiresAt are filled in.
func (s *Service) Record(ctx context.Context, tx IdempotencyWriter, c Caller, i *Idempotency, outcome IdempotencyRecord) error {
	return s.record(ctx, tx, c, i, outcome)
}

// CheckNewGrant returns a QuotaError if a store has no room for another grant.
func (s *Service) CheckNewGrant(ctx context.Context, tx Tx, store string) error {
	return s.checkGrants(ctx, tx, store, s.instant())
}
