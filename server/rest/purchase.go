package rest

import (
	"context"
	"io"
	"net/http"

	"github.com/google/uuid"

	"mneme/meter"
	"mneme/search"
	"mneme/server/wire"
)

// SearchOffer searches the store of an offer.
func (s *Surface) SearchOffer(ctx context.Context, r SearchOfferRequestObject) (SearchOfferResponseObject, error) {
	request := search.Request{
		Query: r.Body.Query, Limit: or(r.Body.Limit, wire.DefaultHits), MinRelevance: or(r.Body.MinRelevance, 0),
		MaxTokens: wire.MaxTokens(r.Body.MaxTokens), Passages: or(r.Body.Passages, false),
		Purchase: search.Purchase{Offer: r.Offer, MaxCharge: r.Body.MaxCharge, Limit: or(r.Body.Limit, wire.DefaultHits)},
	}
	paid, err := s.readPayment(ctx, "A search of the offer's store", r.Body)
	if err != nil {
		return nil, err
	}
	found, err := s.buy(ctx, request, paid.Payment, "POST /v1/offers/{offer}/search", []string{r.Offer.String()}, r.Params.IdempotencyKey, r.Body)
	if err != nil {
		return nil, s.desk.Ask(paid, err)
	}
	s.metrics.Search(found.Answer)
	return streamed{
		header: s.desk.Settled(found),
		encode: func(w io.Writer) error { return s.writeAnswer(ctx, w, request, &found.Answer) },
	}, nil
}

// buy runs a search that may buy. paid is nil without a payment, operation is the method and route template, path
// the values of the template's parameters, and body the decoded body.
func (s *Surface) buy(ctx context.Context, request search.Request, paid *meter.Payment, operation string, path []string, key *IdempotencyKey, body any) (meter.SearchResult, error) {
	call, err := s.callOf(key, operation, path, body)
	if err != nil {
		return meter.SearchResult{}, err
	}
	return s.market.Search(ctx, caller(ctx), meter.SearchRequest{Request: request, Call: call, Payment: paid})
}

func (r streamed) VisitSearchOfferResponse(w http.ResponseWriter) error { return r.write(w) }

// bill is what a search cost, as answers show it.
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
	Offer  string            `json:"offer"`
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
