package client

import (
	"context"
	"io"
	"iter"
	"net/http"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"mneme/clients/go/api"
)

// Amounts are micros: millionths of a credit.

// StoredOffer is an offer with its entity tag, without quotes.
type StoredOffer struct {
	api.Offer
	ETag string
}

func storedOffer(response *http.Response, err error) (StoredOffer, error) {
	offer, err := Decode[api.Offer](response, err)
	if err != nil {
		return StoredOffer{}, err
	}
	return StoredOffer{Offer: offer, ETag: etagOf(response)}, nil
}

// MakeOffer offers searches of the caller's own store. A non-empty key is the
// Idempotency-Key of the call, here and in the other methods.
func (c *Client) MakeOffer(ctx context.Context, store string, offer api.OfferRequest, key string) (StoredOffer, error) {
	if err := checkSegments(store); err != nil {
		return StoredOffer{}, err
	}
	return storedOffer(c.CreateOffer(ctx, store, &api.CreateOfferParams{IdempotencyKey: keyOf(key)}, offer))
}

// Change changes an offer. Nil fields stay unchanged.
func (c *Client) Change(ctx context.Context, offer api.OfferID, change api.OfferChange, on Conditions) (StoredOffer, error) {
	var params api.ChangeOfferParams
	params.IfMatch, params.IfNoneMatch = on.headers()
	return storedOffer(c.ChangeOffer(ctx, offer, &params, change))
}

// Withdraw withdraws an offer. Grants that were made under it continue.
func (c *Client) Withdraw(ctx context.Context, offer api.OfferID, on Conditions) error {
	var params api.WithdrawOfferParams
	params.IfMatch, params.IfNoneMatch = on.headers()
	return Discard(c.WithdrawOffer(ctx, offer, &params))
}

// Offer reads an offer.
func (c *Client) Offer(ctx context.Context, offer api.OfferID) (StoredOffer, error) {
	return storedOffer(c.GetOffer(ctx, offer, nil))
}

// Offers yields the open offers of all stores, oldest first.
func (c *Client) Offers(ctx context.Context) iter.Seq2[api.Offer, error] {
	return pages(func(cursor *api.Cursor, limit *api.Limit) ([]api.Offer, *api.NextCursor, error) {
		page, err := Decode[api.OfferPage](c.ListOffers(ctx, &api.ListOffersParams{Cursor: cursor, Limit: limit}))
		return page.Offers, page.NextCursor, err
	})
}

// StoreOffers returns the offers of the caller's own store, including withdrawn
// ones.
func (c *Client) StoreOffers(ctx context.Context, store string) ([]api.Offer, error) {
	if err := checkSegments(store); err != nil {
		return nil, err
	}
	found, err := Decode[api.StoreOffers](c.ListStoreOffers(ctx, store, nil))
	return found.Offers, err
}

// Accept accepts an offer: it creates a grant whose searches are paid from the
// caller's account. With Conditions.Match, the offer must be unchanged.
func (c *Client) Accept(ctx context.Context, offer api.OfferID, on Conditions, key string) (api.Grant, error) {
	params := api.AcceptOfferParams{IdempotencyKey: keyOf(key)}
	params.IfMatch, params.IfNoneMatch = on.headers()
	return Decode[api.Grant](c.AcceptOffer(ctx, offer, &params))
}

// SearchOffer searches the store of an offer, and pays from the caller's account.
// With a key the call can be retried, even after a failure: it is charged once. An
// [*Error] of status 402 has the price.
func (c *Client) SearchOffer(ctx context.Context, offer api.OfferID, q api.OfferQuestion, key string) (api.Answer, error) {
	return Decode[api.Answer](c.Calls.SearchOffer(ctx, offer, &api.SearchOfferParams{IdempotencyKey: keyOf(key)}, q))
}

// SearchOnce is Search for a question with MaxCharge, under a key: the call can
// be retried, and is charged once.
func (c *Client) SearchOnce(ctx context.Context, q api.Question, key string) (api.Answer, *Timing, error) {
	response, err := c.Calls.Search(ctx, &api.SearchParams{IdempotencyKey: keyOf(key)}, q)
	answer, err := Decode[api.Answer](response, err)
	if err != nil {
		return api.Answer{}, nil, err
	}
	return answer, timingOf(response.Header), nil
}

// Account returns the caller's account.
func (c *Client) Account(ctx context.Context) (api.Account, error) {
	return Decode[api.Account](c.GetAccount(ctx))
}

// TopUp adds money to an agent's account. It needs a token with the scope platform.
// Repeating a reference for the agent with the same amount has no effect.
func (c *Client) TopUp(ctx context.Context, agent string, amount int64, reference string) (api.Account, error) {
	if err := checkSegments(agent); err != nil {
		return api.Account{}, err
	}
	return Decode[api.Account](c.TopUpAccount(ctx, agent, api.Transfer{Amount: amount, Reference: reference}))
}

// PayOut is like TopUp, but withdraws money from the account.
func (c *Client) PayOut(ctx context.Context, agent string, amount int64, reference string) (api.Account, error) {
	if err := checkSegments(agent); err != nil {
		return api.Account{}, err
	}
	return Decode[api.Account](c.PayOutAccount(ctx, agent, api.Transfer{Amount: amount, Reference: reference}))
}

// Usage yields the caller's charges, newest first.
func (c *Client) Usage(ctx context.Context) iter.Seq2[api.UsedCharge, error] {
	return pages(func(cursor *api.Cursor, limit *api.Limit) ([]api.UsedCharge, *api.NextCursor, error) {
		page, err := Decode[api.Usage](c.ListUsage(ctx, &api.ListUsageParams{Cursor: cursor, Limit: limit}))
		return page.Items, page.NextCursor, err
	})
}

// Sales sums the sales of the caller's own store. params may be nil.
func (c *Client) Sales(ctx context.Context, store string, params *api.ListSalesParams) ([]api.SalesRow, error) {
	if err := checkSegments(store); err != nil {
		return nil, err
	}
	found, err := Decode[api.Sales](c.ListSales(ctx, store, params))
	return found.Items, err
}

// ListSalesAs is ListSales in another media type, such as text/csv. The caller closes the
// result.
func (c *Client) ListSalesAs(ctx context.Context, store string, params *api.ListSalesParams, media string) (io.ReadCloser, error) {
	if err := checkSegments(store); err != nil {
		return nil, err
	}
	response, err := c.ListSales(ctx, store, params, func(_ context.Context, r *http.Request) error {
		r.Header.Set("Accept", media)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// Refund refunds a charge to its buyer, on behalf of the seller.
func (c *Client) Refund(ctx context.Context, charge openapi_types.UUID, key string) (api.RefundedCharge, error) {
	return Decode[api.RefundedCharge](c.RefundCharge(ctx, charge, &api.RefundChargeParams{IdempotencyKey: keyOf(key)}))
}

// ReceiptKeys returns the public keys of receipts, including former ones.
func (c *Client) ReceiptKeys(ctx context.Context) (api.KeySet, error) {
	return Decode[api.KeySet](c.GetReceiptKeys(ctx))
}

// keyOf returns an Idempotency-Key; nil for "".
func keyOf(key string) *api.IdempotencyKey {
	if key == "" {
		return nil
	}
	return &key
}
