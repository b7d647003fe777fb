package sqlcommon

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/meter"
)

// PutRecord implements meter.RecordWriter.
func (m MeterWriter) PutRecord(ctx context.Context, record meter.Record) (err error) {
	switch r := record.(type) {
	case meter.Offer:
		return m.putOffer(ctx, &r)
	case meter.Charge:
		_, err = m.w.Exec(ctx, putCharge, chargeValues(&r)...)
		return err
	case meter.Claim:
		return m.putClaim(ctx, &r)
	case meter.BoughtList:
		return m.putBought(ctx, r)
	}
	return errUnknown(record)
}

// DeleteRecords implements meter.RecordWriter.
func (m MeterWriter) DeleteRecords(ctx context.Context, which meter.Deletion) error {
	text, arg := "", any(nil)
	switch d := which.(type) {
	case meter.ClaimID:
		text, arg = "DELETE FROM claim WHERE id = $1", uuid.UUID(d)
	case meter.ExpiredClaims:
		text, arg = "DELETE FROM claim WHERE expires_at <= $1 AND state <> 'pending'", time.Time(d)
	case meter.BoughtWith:
		return m.deleteBought(ctx, uuid.UUID(d))
	case meter.CountsBefore:
		text, arg = "DELETE FROM metered_count WHERE start < $1 AND span <> 'total'", time.Time(d)
	default:
		return errUnknown(which)
	}
	_, err := m.w.Exec(ctx, text, arg)
	return err
}
