package memory

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// Idempotency identifies a call with an Idempotency-Key, so that the call is performed only
// once. The Service authorises a repeated call again, and answers it with what the caller may
// see at that time.
type Idempotency struct {
	Operation string // the surface's name of the operation, only compared
	Path      string // digest of the operation's path parameters
	Key       string // digest of the client's key
	Digest    string // of the body
}

// IdempotencyKey is the scope of an Idempotency-Key.
type IdempotencyKey struct {
	Agent     string
	Taint     acl.Label
	Operation string
	Path      string
	Key       string
}

// IdempotencyRecord is the outcome of a call: ids and counts, never text.
type IdempotencyRecord struct {
	Digest    string          // of the body
	Created   bool            // the call created an entry
	IDs       []uuid.UUID     // of the entries that resulted from the call
	Numbers   json.RawMessage // counts of an outcome other than an entry; nil: none
	ExpiresAt time.Time
}

func (c Caller) idempotencyKey(i *Idempotency) IdempotencyKey {
	return IdempotencyKey{Agent: c.Agent, Taint: c.Taint, Operation: i.Operation, Path: i.Path, Key: i.Key}
}

// batch identifies a further transaction of a call that needs several, after n others. Each
// transaction has its own recorded outcome: the first under the key of the call, the others
// under keys that contain first, an id unique to this call. Without it, a later call with the
// same key could find some outcomes of an earlier one, because outcomes expire one after
// another. A client's key is a digest, which contains no slash.
func (i *Idempotency) batch(n int, first uuid.UUID) *Idempotency {
	if i == nil {
		return nil
	}
	of := *i
	of.Key += "/" + first.String() + "/" + strconv.Itoa(n)
	return &of
}

// Outcomes stores the outcomes of calls with Idempotency-Keys. It is safe for concurrent use.
type Outcomes struct{ service *Service }

// Recorded returns the outcome of an earlier call with the same key. It returns nil if there is
// none, and ErrKeyReused if that call had another body. i is nil for a call without a key. The
// caller must be authorised already.
func (o *Outcomes) Recorded(ctx context.Context, tx Tx, c Caller, i *Idempotency) (*IdempotencyRecord, error) {
	if i == nil {
		return nil, nil
	}
	record, err := tx.IdempotencyRecord(ctx, c.idempotencyKey(i))
	if err != nil || record == nil {
		return nil, err
	}
	if now := o.service.Instant(); !now.Before(record.ExpiresAt) { // expired: remove it, to make room for this call
		return nil, tx.TrimOutcome(ctx, c.idempotencyKey(i), now)
	}
	if record.Digest != i.Digest {
		return nil, ErrKeyReused
	}
	return record, nil
}

// Record stores an outcome in the transaction of its call, unless i is nil. It sets Digest and
// ExpiresAt.
func (o *Outcomes) Record(ctx context.Context, tx IdempotencyWriter, c Caller, i *Idempotency, outcome IdempotencyRecord) error {
	if i == nil {
		return nil
	}
	outcome.Digest, outcome.ExpiresAt = i.Digest, o.service.Instant().Add(o.service.limits.IdempotencyTTL)
	return tx.PutOutcome(ctx, c.idempotencyKey(i), outcome)
}

// idempotent performs a call that results in one entry. If it was performed before, idempotent
// returns that entry as the caller sees it now, with its whole source. The caller must be
// authorised already.
func (s *Service) idempotent(ctx context.Context, tx Tx, c Caller, i *Idempotency, call func() (PutResult, error)) (PutResult, error) {
	record, err := s.Outcomes().Recorded(ctx, tx, c, i)
	if err != nil {
		return PutResult{}, err
	}
	if record != nil {
		return s.repeat(ctx, tx, c, record)
	}
	result, err := call()
	if err != nil {
		return PutResult{}, err
	}
	return result, s.Outcomes().Record(ctx, tx, c, i, IdempotencyRecord{Created: result.Created, IDs: []uuid.UUID{result.ID}})
}

// repeat answers a repeated call with the entry that resulted from the first one, with its
// whole source. The error is ErrNotFound if the caller no longer sees the entry.
func (s *Service) repeat(ctx context.Context, tx accessReader, c Caller, record *IdempotencyRecord) (PutResult, error) {
	entries, err := tx.Get(ctx, record.IDs)
	if err != nil {
		return PutResult{}, err
	}
	if len(entries) == 0 {
		return PutResult{}, ErrNotFound
	}
	_, e, err := s.getVisible(ctx, tx, c, entries[0].Path, acl.Read)
	if err != nil {
		return PutResult{}, err
	}
	if e.ID != entries[0].ID {
		return PutResult{}, ErrNotFound
	}
	if e, err = withValue(ctx, tx, e); err != nil {
		return PutResult{}, err
	}
	return PutResult{Found: s.withETag(*e), Created: record.Created}, nil
}
