package meter

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/search"
)

// Usage returns a page of the caller's charges, newest first.
func (m *Market) Usage(ctx context.Context, c memory.Caller, limit int, cursor string) (UsagePage, error) {
	bound := []string{"usage", c.Agent, c.Taint.String()}
	var before uuid.UUID
	if cursor != "" {
		if err := m.service.Secret().OpenCursor(cursor, &before, bound); err != nil {
			return UsagePage{}, err
		}
	}
	if err := checkLimit(limit); err != nil {
		return UsagePage{}, err
	}
	var page UsagePage
	err := m.view(ctx, c, func(tx ReadTx) error {
		charges, err := tx.BuyerCharges(ctx, c.Agent, c.Taint, before, limit+1)
		if err != nil {
			return err
		}
		page = UsagePage{}
		if len(charges) > limit {
			charges = charges[:limit]
			if page.Next, err = m.service.Secret().SealCursor(charges[limit-1].ID, bound); err != nil {
				return err
			}
		}
		page.Items, err = m.withKeys(ctx, tx, c, charges)
		return err
	})
	return page, err
}

// withKeys adds the keys of the entries that the caller may see now.
func (m *Market) withKeys(ctx context.Context, tx memory.ReadTx, c memory.Caller, charges []Charge) ([]Used, error) {
	entries := make(map[string][]uuid.UUID)
	for _, charge := range charges {
		if len(charge.Entries) > 0 {
			entries[charge.Store] = append(entries[charge.Store], charge.Entries...)
		}
	}
	keys, err := search.KeysOf(ctx, tx, c, entries, m.service.Instant())
	if err != nil {
		return nil, err
	}
	used := make([]Used, len(charges))
	for i, charge := range charges {
		used[i] = Used{Charge: charge, Keys: make(map[uuid.UUID]string)}
		for _, id := range charge.Entries {
			if key, ok := keys[id]; ok {
				used[i].Keys[id] = key
			}
		}
	}
	return used, nil
}

// Sales returns the income from searches of a store, by group. The caller must be the store's
// own agent. Sales never reveals queries.
func (m *Market) Sales(ctx context.Context, c memory.Caller, store string, from, to time.Time, by SaleGroup) ([]SalesRow, error) {
	var rows []SalesRow
	err := m.view(ctx, c, func(tx ReadTx) error {
		now := m.service.Instant()
		if err := requireOwn(ctx, tx, c, store, now); err != nil {
			return err
		}
		if err := checkSales(from, to, by); err != nil {
			return err
		}
		sales, err := tx.Sales(ctx, SalesQuery{Store: store, Ceiling: c.Taint, From: from, To: to, By: by})
		if err != nil {
			return err
		}
		entries, err := tx.CountInStore(ctx, store, c.Taint, now)
		if err != nil {
			return err
		}
		rows = make([]SalesRow, len(sales))
		for i, sale := range sales {
			rows[i] = SalesRow{Sale: sale, Share: share(sale.Distinct, entries)}
		}
		return nil
	})
	return rows, err
}

func checkSales(from, to time.Time, by SaleGroup) error {
	switch by {
	case ByDay, ByBuyer, ByOffer:
	default:
		return rule("by", "must be day, buyer or offer")
	}
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		return rule("to", "must not be before from")
	}
	return nil
}

// share returns the share of entries that were shown, 0–1. It is at most 1 even if shown
// entries are no longer searchable.
func share(shown, entries int64) float64 {
	if entries == 0 {
		return 0
	}
	return min(1, float64(shown)/float64(entries))
}

// Keys returns the JWK Set of all public keys of receipts, including old ones. It needs no
// token: all such requests take turns as if they came from one caller.
func (m *Market) Keys(ctx context.Context) (keys json.RawMessage, err error) {
	err = m.view(ctx, memory.Caller{}, func(tx ReadTx) error {
		keys, err = publicKeys(ctx, tx)
		return err
	})
	return keys, err
}
