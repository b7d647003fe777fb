package rest

import (
	"context"
	"io"
	"net/http"

	"github.com/google/uuid"

	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

// SearchOffer searches the store of an offer.
func (s *Surface) SearchOffer(ctx context.Context, r api.SearchOfferRequestObject) (api.SearchOfferResponseObject, error) {
	request := search.Request{
		Query: r.Body.Query, Limit: or(r.Body.Limit, wire.DefaultHits), MinRelevance: or(r.Body.MinRelevance, 0),
		MaxTokens: wire.MaxTokens(r.Body.MaxTokens), Passages: or(r.Body.Passages, false),
	}
	paid, err := s.readPayment(ctx, "A search of the offer's store", r.Body)
	if err != nil {
		return nil, err
	}
	found, err := s.market.Search(ctx, caller(ctx), meter.SearchRequest{
		Request: request, Offer: r.Offer, MaxCharge: r.Body.MaxCharge, Payment: paid.Payment,
		Call: func() (memory.Idempotency, error) {
			return s.callOf(r.Params.IdempotencyKey, "POST /v1/offers/{offer}/search", []string{r.Offer.String()}, r.Body)
		},
	})
	if err != nil {
		return nil, s.desk.Ask(paid, err)
	}
	s.metrics.Search(found.Answer)
	return streamed{
		header: s.desk.Settled(found),
		encode: func(w io.Writer) error { return s.writeAnswer(ctx, w, request, false, &found.Answer) },
	}, nil
}

func (r streamed) VisitSearchOfferResponse(w http.ResponseWriter) error { return r.write(w) }

// bill is the price of a search, as answers show it.
type bill struct {
	Charges []charge       `json:"charges,omitempty"`
	Receipt string         `json:"receipt,omitempty"` // of the only charge
	Balance *int64         `json:"balance,omitempty"`
	Skipped []skippedStore `json:"skipped,omitempty"`
}

type charge struct {
	ID      uuid.UUID   `json:"id"`
	Store   string      `json:"store_id"`
	Offer   string      `json:"offer"`
	Amount  int64       `json:"amount"`
	Search  int64       `json:"search"`
	Entries []uuid.UUID `json:"entries"`
	Receipt string      `json:"receipt"`
}

type skippedStore struct {
	Store  string            `json:"store_id"`
	Offer  string            `json:"offer,omitempty"`
	Reason search.SkipReason `json:"reason"`
}

func billOf(b search.Bill) bill {
	out := bill{Balance: b.Balance}
	for _, c := range b.Charges {
		out.Charges = append(out.Charges, charge{
			ID: c.ID, Store: c.Store, Offer: c.Offer, Amount: c.Amount, Search: c.Search, Entries: idsOf(c.Entries), Receipt: c.Receipt,
		})
	}
	if len(out.Charges) == 1 {
		out.Receipt = out.Charges[0].Receipt
	}
	for _, s := range b.Skipped {
		out.Skipped = append(out.Skipped, skippedStore(s))
	}
	return out
}
