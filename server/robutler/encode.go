package robutler

import (
	"context"
	"io"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/server/wire"
)

// entry is an entry without its value.
type entry struct {
	Key         string     `json:"key"`
	StoreID     string     `json:"storeId"`
	OwnerID     string     `json:"ownerId"`
	Namespace   string     `json:"namespace"`
	Label       string     `json:"label"`
	InContext   bool       `json:"inContext"`
	Encrypted   bool       `json:"encrypted"`
	Type        string     `json:"type,omitempty"`
	Description string     `json:"description,omitempty"`
	Tags        []string   `json:"tags,omitempty"`
	Version     int        `json:"version"`
	ExpiresAt   *time.Time `json:"expiresAt,omitempty"`
	OccurredAt  *string    `json:"occurredAt,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	UpdatedBy   string     `json:"updatedBy"`
}

func entryOf(stored *memory.Entry) entry {
	e := wire.EntryOf(stored)
	return entry{
		Key: e.Key, StoreID: e.Store, OwnerID: e.Owner, Namespace: e.Namespace, Label: e.Label,
		InContext: e.InContext, Encrypted: e.Encrypted, Type: e.Type, Description: e.Description, Tags: e.Tags,
		Version: e.Version, ExpiresAt: e.ExpiresAt, OccurredAt: e.OccurredAt,
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, UpdatedBy: e.UpdatedBy,
	}
}

// hit is a search hit without its value. If the caller may search the store but
// not read it, it has only the first five fields.
type hit struct {
	Key       string  `json:"key"`
	StoreID   string  `json:"storeId"`
	Score     float64 `json:"score"`
	Relevance float64 `json:"relevance"`
	Label     string  `json:"label"`
	*details
}

// details are the fields that need read access to the hit's store.
type details struct {
	OwnerID    string    `json:"ownerId"`
	Namespace  string    `json:"namespace"`
	OccurredAt *string   `json:"occurredAt,omitempty"`
	UpdatedAt  time.Time `json:"updatedAt"`
	UpdatedBy  string    `json:"updatedBy"`
}

func encodeHit(found *search.Hit) ([]byte, error) {
	h := wire.HitOf(found)
	out := hit{Key: h.Key, StoreID: h.Store, Score: h.Score, Relevance: h.Relevance, Label: h.Label}
	if e := h.Entry; e != nil {
		out.details = &details{OwnerID: e.Owner, Namespace: e.Namespace, OccurredAt: e.OccurredAt, UpdatedAt: e.UpdatedAt, UpdatedBy: e.UpdatedBy}
	}
	return wire.WithValue(out, h.Value)
}

// writeAnswer writes the answer of a search. It reads the values of the hits
// while it writes them.
func (s *Surface) writeAnswer(ctx context.Context, w io.Writer, a *search.Answer) error {
	return wire.List(w, "results", func(item func([]byte) error) (any, error) {
		err := a.Values().Each(ctx, func(h *search.Hit) error {
			text, err := encodeHit(h)
			if err != nil {
				return err
			}
			return item(text)
		})
		return struct {
			Degraded   []string `json:"degraded"`
			Incomplete bool     `json:"incomplete"`
			Charges    []charge `json:"charges,omitempty"`
			Balance    *int64   `json:"balance,omitempty"` // of the caller's account, in micros
		}{append([]string{}, a.Degraded...), a.Incomplete, chargesOf(a.Bill), a.Bill.Balance}, err
	})
}

// charge is the price of a search in one store. Amount is in micros.
type charge struct {
	ID      string `json:"id"`
	StoreID string `json:"storeId"`
	Offer   string `json:"offer"`
	Amount  int64  `json:"amount"`
	Receipt string `json:"receipt"`
}

func chargesOf(b search.Bill) (charges []charge) {
	for _, c := range b.Charges {
		charges = append(charges, charge{c.ID.String(), c.Store, c.Offer, c.Amount, c.Receipt})
	}
	return charges
}

// removed is the answer to a deletion.
type removed struct {
	Key     string `json:"key"`
	StoreID string `json:"storeId"`
	Deleted bool   `json:"deleted"`
}

// grant is the answer to a share.
type grant struct {
	StoreID   string     `json:"storeId"`
	Grantee   string     `json:"grantee"`
	Level     string     `json:"level"`
	MaxLabel  string     `json:"maxLabel"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

func grantOf(g acl.Grant) grant {
	return grant{StoreID: g.Store, Grantee: g.Grantee, Level: g.Level.String(), MaxLabel: g.MaxLabel.String(), ExpiresAt: wire.Time(g.ExpiresAt)}
}

// revoked is the answer to an unshare.
type revoked struct {
	StoreID string `json:"storeId"`
	Grantee string `json:"grantee"`
	Revoked bool   `json:"revoked"`
}

// stores is the answer to action=stores.
type stores struct {
	Stores []store `json:"stores"`
}

type store struct {
	StoreID   string     `json:"storeId"`
	Kind      string     `json:"kind"`
	Level     string     `json:"level"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	Accepted  *bool      `json:"accepted,omitempty"` // of a grant
}

func storesOf(infos []memory.StoreInfo) stores {
	out := stores{Stores: make([]store, len(infos))}
	for i, info := range infos {
		out.Stores[i] = store{StoreID: info.Store, Kind: info.Kind, Level: info.Level.String(), ExpiresAt: wire.Time(info.ExpiresAt), Accepted: wire.Accepted(info)}
	}
	return out
}
