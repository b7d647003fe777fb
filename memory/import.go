package memory

import (
	"context"
	"encoding/json"

	"mneme/acl"
)

// RecordedImport returns the digest of the body and the counts of the import
// that is recorded under an Idempotency-Key; an empty digest if there is none.
// The surface compares the digest itself, since it knows that of a streamed
// body only at its end. The caller needs readwrite on the store.
func (s *Service) RecordedImport(ctx context.Context, c Caller, store string, i Idempotency) (digest string, numbers json.RawMessage, err error) {
	err = s.view(ctx, c, func(tx ReadTx) error {
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

// RecordImport records the counts of an import under its Idempotency-Key. If
// the same import was recorded meanwhile, that record stays; if it was another,
// the error is ErrKeyReused.
func (s *Service) RecordImport(ctx context.Context, c Caller, i Idempotency, numbers json.RawMessage) error {
	return s.storage.Update(ctx, func(tx Tx) error {
		record, err := s.recorded(ctx, tx, c, &i)
		if err != nil || record != nil {
			return err
		}
		return s.record(ctx, tx, c, &i, IdempotencyRecord{Numbers: numbers})
	})
}
