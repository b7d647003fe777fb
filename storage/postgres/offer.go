package postgres

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/meter"
)

const (
	offerColumns = `SELECT id, store, seller, title, description, terms, caps, label, open, version, created_at, updated_at FROM offer `
	// Each label is read in index order up to the limit, and the results are merged,
	// so that offers above the ceiling cost no time.
	selectOffers = `SELECT o.* FROM ` + labels + ` CROSS JOIN LATERAL
	(` + offerColumns + `WHERE open AND label = l.label AND id > $2 ORDER BY id LIMIT $3) o WHERE l.label <= $1 ORDER BY o.id LIMIT $3`
)

func scanOffer(rows pgx.Rows) (o meter.Offer, err error) {
	var terms, caps string
	var label int16
	var open bool
	err = rows.Scan((*[16]byte)(&o.ID), &o.Store, &o.Seller, &o.Title, &o.Description, &terms, &caps, &label, &open, &o.Version, &o.CreatedAt, &o.UpdatedAt)
	if err != nil {
		return o, err
	}
	o.Label, o.State = acl.Label(label), meter.OfferWithdrawn
	if open {
		o.State = meter.OfferOpen
	}
	o.CreatedAt, o.UpdatedAt = o.CreatedAt.UTC(), o.UpdatedAt.UTC()
	if err := json.Unmarshal([]byte(terms), &o.Terms); err != nil {
		return o, err
	}
	return o, json.Unmarshal([]byte(caps), &o.Caps)
}

func (r *reader) offers(ctx context.Context, query string, args ...any) (offers []meter.Offer, err error) {
	err = r.each(ctx, func(rows pgx.Rows) error {
		o, err := scanOffer(rows)
		offers = append(offers, o)
		return err
	}, query, args...)
	return offers, err
}

// Offer implements meter.OfferReader.
func (r *reader) Offer(ctx context.Context, id uuid.UUID) (*meter.Offer, error) {
	offers, err := r.offers(ctx, offerColumns+"WHERE id = $1", [16]byte(id))
	if err != nil || len(offers) == 0 {
		return nil, err
	}
	return &offers[0], nil
}

// OffersOn implements meter.OfferReader.
func (r *reader) OffersOn(ctx context.Context, store string) ([]meter.Offer, error) {
	if !storable(store) {
		return nil, nil
	}
	return r.offers(ctx, offerColumns+"WHERE store = $1 ORDER BY id", store)
}

// Offers implements meter.OfferReader.
func (r *reader) Offers(ctx context.Context, q meter.OfferQuery) ([]meter.Offer, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	return r.offers(ctx, selectOffers, int16(min(q.Ceiling, acl.Restricted)), [16]byte(q.After), q.Limit)
}

const (
	insertOffer = `INSERT INTO offer (id, store, seller, title, description, terms, caps, label, open, version, created_at, updated_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO `
	orReplaceOffer = `UPDATE SET store = excluded.store, seller = excluded.seller, title = excluded.title,
	description = excluded.description, terms = excluded.terms, caps = excluded.caps, label = excluded.label, open = excluded.open,
	version = excluded.version, created_at = excluded.created_at, updated_at = excluded.updated_at`
)

func offerValues(o *meter.Offer) ([]any, error) {
	terms, err := json.Marshal(o.Terms)
	if err != nil {
		return nil, err
	}
	caps, err := json.Marshal(o.Caps)
	if err != nil {
		return nil, err
	}
	return []any{
		[16]byte(o.ID), o.Store, o.Seller, o.Title, o.Description, string(terms), string(caps), int16(o.Label), o.State == meter.OfferOpen,
		o.Version, o.CreatedAt, o.UpdatedAt,
	}, nil
}

// PutOffer implements meter.OfferWriter.
func (w *writer) PutOffer(ctx context.Context, offer meter.Offer) error {
	if err := w.lock(ctx, storeKey(offer.Store)); err != nil {
		return err
	}
	values, err := offerValues(&offer)
	if err != nil {
		return err
	}
	return w.exec(ctx, insertOffer+orReplaceOffer, values...)
}
