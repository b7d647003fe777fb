package sqlcommon

import (
	"bytes"
	"context"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/meter"
)

func scanOffer(row Row) (o meter.Offer, err error) {
	var open bool
	err = row.Scan(&o.ID, &o.Store, &o.Seller, &o.Title, &o.Description, JSON{&o.Terms}, JSON{&o.Caps}, &o.Label, &open, &o.Version, &o.CreatedAt, &o.UpdatedAt)
	o.State = meter.OfferWithdrawn
	if open {
		o.State = meter.OfferOpen
	}
	return o, err
}

func offerValues(o *meter.Offer) []any {
	return []any{
		o.ID, o.Store, o.Seller, o.Title, o.Description, JSON{o.Terms}, JSON{o.Caps}, o.Label, o.State == meter.OfferOpen,
		o.Version, o.CreatedAt, o.UpdatedAt,
	}
}

// Offer implements meter.OfferReader.
func (m MeterReader) Offer(ctx context.Context, id uuid.UUID) (*meter.Offer, error) {
	return First(ctx, m.r, scanOffer, "offer.by_id", id)
}

// OffersOn implements meter.OfferReader.
func (m MeterReader) OffersOn(ctx context.Context, store string) ([]meter.Offer, error) {
	return List(ctx, m.r, scanOffer, "offer.on", store)
}

// OpenOffers implements meter.OfferReader.
func (m MeterReader) OpenOffers(ctx context.Context, ceiling acl.Label, after uuid.UUID, limit int) ([]meter.Offer, error) {
	byID := func(a, b meter.Offer) int { return bytes.Compare(a.ID[:], b.ID[:]) }
	return eachLabel(ctx, m.r, scanOffer, byID, ceiling, limit, "offer.open", after)
}

// PutOffer implements meter.OfferWriter.
func (m MeterWriter) PutOffer(ctx context.Context, o meter.Offer) error {
	if err := m.w.InStore(ctx, o.Store); err != nil {
		return err
	}
	_, err := m.w.Exec(ctx, "offer.put", offerValues(&o)...)
	return err
}
