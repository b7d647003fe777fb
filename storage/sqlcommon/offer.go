package sqlcommon

import (
	"bytes"
	"context"

	"github.com/google/uuid"

	"mneme/meter"
)

var (
	offers         = NewTable("offer", "id", "id, store, seller, title, description, terms, caps, label, open, version, created_at, updated_at")
	selectOffer    = offers.Select + "WHERE id = $1"
	selectOffersOn = offers.Select + "WHERE store = $1 ORDER BY id"
	selectOpen     = offers.Select + "WHERE open AND label = $1 AND id > $3 ORDER BY id LIMIT $2"
	insertOffer    = offers.Insert
	putOffer       = offers.Upsert
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

// Offers implements meter.OfferReader.
func (m MeterReader) Offers(ctx context.Context, query meter.OfferQuery) ([]meter.Offer, error) {
	switch q := query.(type) {
	case meter.OfferID:
		return List(ctx, m.r, scanOffer, selectOffer, uuid.UUID(q))
	case meter.OffersOn:
		return List(ctx, m.r, scanOffer, selectOffersOn, string(q))
	case meter.OpenOffers:
		byID := func(a, b meter.Offer) int { return bytes.Compare(a.ID[:], b.ID[:]) }
		return eachLabel(ctx, m.r, scanOffer, byID, q.Ceiling, q.Limit, selectOpen, q.After)
	}
	return nil, errUnknown(query)
}

// putOffer writes an offer under the lock of its store.
func (m MeterWriter) putOffer(ctx context.Context, o *meter.Offer) error {
	if err := m.w.InStore(ctx, o.Store); err != nil {
		return err
	}
	_, err := m.w.Exec(ctx, putOffer, offerValues(o)...)
	return err
}
