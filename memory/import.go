package memory

import (
	"context"
	"encoding/json"

	"mneme/acl"
)

// RecordedImport finds the import that was recorded under an Idempotency-Key:
// the digest of its body and what it came to; an empty digest if there is
// none. The body of an import is a stream, so that its digest is compared by
// the surface, at its end. The caller needs readwrite on the store.
func (s *Service) RecordedImport(ctx context.Context, c Caller, store string, i Idempotency) (digest string, numbers json.RawMessage, err error) {
	err = s.storage.View(ctx, func(tx ReadTx) error {
		if _, err := access(ctx, tx, c, store, acl.ReadWrite, s.instant()); err != nil {
			return err
		}
		record, err := tx.IdempotencyRecord(ctx, c.idempotencyKey(&i))
		if err != nil || record == nil || !s.now().Before(record.ExpiresAt) {
			return err
		}
		digest, numbers = record.Digest, record.Numbers
		return nil
	})
	return digest, numbers, err
}

// RecordImport keeps what an import came to, so that the next call with its
// Idempotency-Key is answered by it. Where the same import was recorded
// meanwhile, that record stays; ErrKeyReused if it was another.
func (s *Service) RecordImport(ctx context.Context, c Caller, i Idempotency, numbers json.RawMessage) error {
	return s.storage.Update(ctx, func(tx Tx) error {
		record, err := s.recorded(ctx, tx, c, &i)
		if err != nil || record != nil {
			return err
		}
		return s.record(ctx, tx, c, &i, IdempotencyRecord{Numbers: numbers})
	})
}
