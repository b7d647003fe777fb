package memory

import (
	"context"
	"encoding/json"

	"mneme/acl"
)

// Import returns the digest of the body and the counts of the import that was recorded under an
// Idempotency-Key. The digest is "" if none was. The caller of Import compares the digests
// itself, since it knows the digest of a streamed body only at the end. c needs readwrite on
// the store.
func (o *Outcomes) Import(ctx context.Context, c Caller, store string, i Idempotency) (digest string, numbers json.RawMessage, err error) {
	err = o.service.view(ctx, c, func(tx ReadTx) error {
		if _, err := access(ctx, tx, c, store, acl.ReadWrite, o.service.Instant()); err != nil {
			return err
		}
		record, err := tx.IdempotencyRecord(ctx, c.idempotencyKey(&i))
		if err != nil || record == nil || !o.service.Instant().Before(record.ExpiresAt) {
			return err
		}
		digest, numbers = record.Digest, record.Numbers
		return nil
	})
	return digest, numbers, err
}

// RecordImport records the counts of an import under its Idempotency-Key. If the same import
// was recorded meanwhile, that record stays. If another import was recorded, the error is
// ErrKeyReused.
func (o *Outcomes) RecordImport(ctx context.Context, c Caller, i Idempotency, numbers json.RawMessage) error {
	return o.service.update(ctx, c, Work{}, func(tx Tx) error {
		record, err := o.Recorded(ctx, tx, c, &i)
		if err != nil || record != nil {
			return err
		}
		return o.Record(ctx, tx, c, &i, IdempotencyRecord{Numbers: numbers})
	})
}
