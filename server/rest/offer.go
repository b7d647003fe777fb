package rest

import (
	"context"
	"net/http"
	"slices"

	"mneme/acl"
	"mneme/meter"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// CreateOffer offers searches of a store.
func (s *Surface) CreateOffer(ctx context.Context, r api.CreateOfferRequestObject) (api.CreateOfferResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	replay, err := s.replay(r.Params.IdempotencyKey, "POST /v1/stores/{store}/offers", []string{store}, r.Body)
	if err != nil {
		return nil, err
	}
	request := meter.OfferRequest{
		Title: &r.Body.Title, Description: &r.Body.Description,
		Terms: termsRequest(r.Body.Terms), Caps: capsRequest(r.Body.Caps),
	}
	made, err := s.market.MakeOffer(ctx, caller(ctx), store, request, replay)
	if err != nil {
		return nil, err
	}
	return offerReply(http.StatusCreated, made)
}

// ChangeOffer changes an offer.
func (s *Surface) ChangeOffer(ctx context.Context, r api.ChangeOfferRequestObject) (api.ChangeOfferResponseObject, error) {
	holds, err := conditions(r.Params.IfMatch, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	request := meter.OfferRequest{
		Title: r.Body.Title, Description: r.Body.Description,
		Terms: termsRequest(or(r.Body.Terms, api.TermsChange{})), Caps: capsRequest(r.Body.Caps),
	}
	changed, err := s.market.ChangeOffer(ctx, caller(ctx), r.Offer, request, holds)
	if err != nil {
		return nil, err
	}
	return offerReply(http.StatusOK, changed)
}

// WithdrawOffer withdraws an offer.
func (s *Surface) WithdrawOffer(ctx context.Context, r api.WithdrawOfferRequestObject) (api.WithdrawOfferResponseObject, error) {
	holds, err := conditions(r.Params.IfMatch, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	if err := s.market.WithdrawOffer(ctx, caller(ctx), r.Offer, holds); err != nil {
		return nil, err
	}
	return api.WithdrawOffer204Response{}, nil
}

// GetOffer reads an offer.
func (s *Surface) GetOffer(ctx context.Context, r api.GetOfferRequestObject) (api.GetOfferResponseObject, error) {
	holds, err := conditions(nil, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	found, err := s.market.Offer(ctx, caller(ctx), r.Offer)
	if err != nil {
		return nil, err
	}
	if slices.Contains(holds.NoneMatch, "*") || slices.Contains(holds.NoneMatch, found.ETag) {
		return reply{status: http.StatusNotModified, etag: found.ETag}, nil
	}
	return offerReply(http.StatusOK, found)
}

// ListOffers lists the open offers of all stores.
func (s *Surface) ListOffers(ctx context.Context, r api.ListOffersRequestObject) (api.ListOffersResponseObject, error) {
	page, err := s.market.Offers(ctx, caller(ctx), or(r.Params.Limit, wire.DefaultPage), or(r.Params.Cursor, ""))
	if err != nil {
		return nil, err
	}
	out := api.OfferPage{Offers: offersOf(page.Items)}
	if page.Next != "" {
		out.NextCursor = &page.Next
	}
	return api.ListOffers200JSONResponse{Body: out}, nil
}

// ListStoreOffers lists the offers of a store, for its own agent.
func (s *Surface) ListStoreOffers(ctx context.Context, r api.ListStoreOffersRequestObject) (api.ListStoreOffersResponseObject, error) {
	store, err := storeID(ctx, "store", r.Store)
	if err != nil {
		return nil, err
	}
	offers, err := s.market.OffersOn(ctx, caller(ctx), store)
	if err != nil {
		return nil, err
	}
	return api.ListStoreOffers200JSONResponse{Body: api.StoreOffers{Offers: offersOf(offers)}}, nil
}

// AcceptOffer creates a metered grant for the caller.
func (s *Surface) AcceptOffer(ctx context.Context, r api.AcceptOfferRequestObject) (api.AcceptOfferResponseObject, error) {
	holds, err := conditions(r.Params.IfMatch, r.Params.IfNoneMatch)
	if err != nil {
		return nil, err
	}
	replay, err := s.replay(r.Params.IdempotencyKey, "POST /v1/offers/{offer}/accept", []string{r.Offer.String()}, nil)
	if err != nil {
		return nil, err
	}
	grant, err := s.market.Accept(ctx, caller(ctx), r.Offer, holds, replay)
	if err != nil {
		return nil, err
	}
	out, err := grantOf(ctx, grant, true)
	return api.AcceptOffer201JSONResponse(out), err
}

// noLabel is an invalid label. It replaces an unknown name, so that the market
// checks access before it refuses the label.
const noLabel = acl.Label(255)

func termsRequest(t api.TermsChange) meter.TermsRequest {
	request := meter.TermsRequest{
		PriceSearch: t.PriceSearch, PriceEntry: t.PriceEntry, FreeSearchesPerDay: t.FreeSearchesPerDay,
		NoveltyPercent: t.NoveltyPercent, MaxHits: t.MaxHits,
		SearchesPerMinute: t.SearchesPerMinute, SearchesPerDay: t.SearchesPerDay,
		EntriesPerDay: t.EntriesPerDay, EntriesTotal: t.EntriesTotal, GrantTTL: t.GrantTtl,
	}
	if t.MaxLabel != nil {
		label, err := acl.ParseLabel(string(*t.MaxLabel))
		if err != nil {
			label = noLabel
		}
		request.MaxLabel = &label
	}
	return request
}

func capsRequest(c *api.OfferCaps) *meter.OfferCaps {
	if c == nil {
		return nil
	}
	return &meter.OfferCaps{
		SearchesPerMinute: c.SearchesPerMinute, SearchesPerDay: c.SearchesPerDay,
		EntriesPerDay: c.EntriesPerDay, EntriesTotal: c.EntriesTotal,
	}
}

func offersOf(offers []meter.FoundOffer) []api.Offer {
	out := make([]api.Offer, len(offers))
	for i := range offers {
		out[i] = offerOf(&offers[i].Offer)
	}
	return out
}

func offerOf(o *meter.Offer) api.Offer {
	out := api.Offer{
		Id: o.ID, StoreId: o.Store, Seller: o.Seller, Title: o.Title, Description: o.Description,
		Terms: termsOf(o.Terms), Label: api.Label(o.Label.String()), State: api.OfferState(o.State), CreatedAt: o.CreatedAt.UTC(),
	}
	if caps := o.Caps; caps != (meter.OfferCaps{}) {
		out.Caps = &api.OfferCaps{
			SearchesPerMinute: caps.SearchesPerMinute, SearchesPerDay: caps.SearchesPerDay,
			EntriesPerDay: caps.EntriesPerDay, EntriesTotal: caps.EntriesTotal,
		}
	}
	return out
}

func termsOf(t meter.Terms) api.Terms {
	out := api.Terms{
		PriceSearch: t.PriceSearch, PriceEntry: t.PriceEntry, FreeSearchesPerDay: t.FreeSearchesPerDay,
		NoveltyPercent: t.NoveltyPercent, MaxHits: t.MaxHits,
		SearchesPerMinute: t.SearchesPerMinute, SearchesPerDay: t.SearchesPerDay,
		EntriesPerDay: t.EntriesPerDay, EntriesTotal: t.EntriesTotal, MaxLabel: api.Label(t.MaxLabel.String()),
	}
	if t.GrantTTL > 0 {
		out.GrantTtl = &t.GrantTTL
	}
	return out
}

func offerReply(status int, o meter.FoundOffer) (reply, error) {
	body, err := wire.Marshal(offerOf(&o.Offer))
	out := reply{status: status, body: body, etag: o.ETag}
	if status == http.StatusCreated {
		out.location = "/v1/offers/" + o.ID.String()
	}
	return out, err
}

func (r reply) VisitCreateOfferResponse(w http.ResponseWriter) error { return r.write(w) }
func (r reply) VisitGetOfferResponse(w http.ResponseWriter) error    { return r.write(w) }
func (r reply) VisitChangeOfferResponse(w http.ResponseWriter) error { return r.write(w) }
