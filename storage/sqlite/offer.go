package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/meter"
)

const (
	offerColumns    = `SELECT id, store, seller, title, description, terms, caps, label, open, version, created_at, updated_at FROM offer `
	selectOffers    = offerColumns + `WHERE open AND label = ? AND id > ? ORDER BY id LIMIT ?`
	selectAllOffers = offerColumns + `ORDER BY id`
)

func scanOffer(rows *sql.Rows) (o meter.Offer, err error) {
	var terms, caps []byte
	var open bool
	var created, updated int64
	err = rows.Scan(&o.ID, &o.Store, &o.Seller, &o.Title, &o.Description, &terms, &caps, &o.Label, &open, &o.Version, &created, &updated)
	if err != nil {
		return o, err
	}
	o.State = meter.OfferWithdrawn
	if open {
		o.State = meter.OfferOpen
	}
	o.CreatedAt, o.UpdatedAt = fromMicros(created), fromMicros(updated)
	if err := json.Unmarshal(terms, &o.Terms); err != nil {
		return o, err
	}
	return o, json.Unmarshal(caps, &o.Caps)
}

func (r *reader) offers(ctx context.Context, query string, args ...any) (offers []meter.Offer, err error) {
	err = r.each(ctx, func(rows *sql.Rows) error {
		o, err := scanOffer(rows)
		offers = append(offers, o)
		return err
	}, query, args...)
	return offers, err
}

// Offer implements meter.OfferReader.
func (r *reader) Offer(ctx context.Context, id uuid.UUID) (*meter.Offer, error) {
	offers, err := r.offers(ctx, offerColumns+"WHERE id = ?", id[:])
	if err != nil || len(offers) == 0 {
		return nil, err
	}
	return &offers[0], nil
}

// OffersOn implements meter.OfferReader.
func (r *reader) OffersOn(ctx context.Context, store string) ([]meter.Offer, error) {
	return r.offers(ctx, offerColumns+"WHERE store = ? ORDER BY id", store)
}

// Offers implements meter.OfferReader. Each label is read separately and the
// results are merged, so that offers above the ceiling cost no time.
func (r *reader) Offers(ctx context.Context, q meter.OfferQuery) ([]meter.Offer, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	var found []meter.Offer
	for label := acl.Public; label <= min(q.Ceiling, acl.Restricted); label++ {
		offers, err := r.offers(ctx, selectOffers, label, q.After[:], q.Limit)
		if err != nil {
			return nil, err
		}
		found = append(found, offers...)
	}
	slices.SortFunc(found, func(a, b meter.Offer) int { return slices.Compare(a.ID[:], b.ID[:]) })
	return found[:min(q.Limit, len(found))], nil
}

const insertOffer = `INTO offer (id, store, seller, title, description, terms, caps, label, open, version, created_at, updated_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

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
		o.ID[:], o.Store, o.Seller, o.Title, o.Description, string(terms), string(caps), o.Label, o.State == meter.OfferOpen,
		o.Version, micros(o.CreatedAt), micros(o.UpdatedAt),
	}, nil
}

// PutOffer implements meter.OfferWriter.
func (w *writer) PutOffer(ctx context.Context, offer meter.Offer) error {
	return w.writeOffer(ctx, "INSERT OR REPLACE "+insertOffer, &offer)
}

func (w *writer) writeOffer(ctx context.Context, query string, offer *meter.Offer) error {
	values, err := offerValues(offer)
	if err == nil {
		_, err = w.exec(ctx, query, values...)
	}
	return err
}
