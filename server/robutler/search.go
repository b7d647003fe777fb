package robutler

import (
	"context"
	"errors"
	"io"
	"maps"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/checkout"
	"mneme/server/problem"
	"mneme/server/wire"
)

// search searches the store that the request names, or else all stores that the
// caller can access, including those of the named chat and user.
func (s *Surface) search(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	question, err := q.text("q")
	if err != nil {
		return err
	}
	if !q.values.Has("q") {
		return problem.In(problem.Malformed, "q", "is required")
	}
	about, err := q.subject()
	if err != nil {
		return err
	}
	if about, err = about.resolve(c); err != nil {
		return err
	}
	request := search.Request{Query: question, Chat: about.chat, User: about.user, Limit: wire.DefaultHits}
	if about.store != "" {
		request.Stores = []string{about.store}
	}
	caller := visitor(c)
	if request.Purchase, err = q.purchase(caller, request); err != nil {
		return err
	}
	body := s.service.Secret().Digest("query", q.values.Encode())
	paid, err := s.desk.Read(c.Request(), "A search of a store", body)
	if err != nil {
		return err
	}
	if paid.Payment != nil { // then the account does not pay, whatever it has
		request.Purchase.MaxCharge = nil
	}
	call := memory.Idempotency{Operation: "GET " + root + "?action=search", Digest: body}
	found, err := s.ask(c.Request().Context(), caller, meter.SearchRequest{Request: request, Call: call, Payment: paid.Payment})
	var broken *memory.RuleError
	if errors.As(err, &broken) && broken.Field == "query" { // named q in this API
		err = &memory.RuleError{Field: "q", Rule: broken.Rule}
	}
	if err != nil {
		return s.desk.Ask(paid, err)
	}
	s.metrics.Search(found.Answer)
	maps.Copy(c.Response().Header(), s.desk.Settled(found))
	return wire.Stream(c.Response(), func(w io.Writer) error { return s.writeAnswer(c.Request().Context(), w, &found.Answer) })
}

// purchase returns what a search may buy: from the store that it names, up to the
// parameter max_charge in micros, which the API's own clients do not send.
//
// SECURITY: a model calls this API by tools, so that the account pays for tokens
// with the scope spend alone.
func (q query) purchase(c memory.Caller, r search.Request) (search.Purchase, error) {
	p := search.Purchase{Named: r.Stores, Limit: r.Limit, Barred: !c.Spend}
	text, err := q.text("max_charge")
	if err != nil || text == "" {
		return p, err
	}
	most, err := strconv.ParseInt(text, 10, 64)
	if err != nil || most < 0 || most > meter.MaxAmount {
		return p, problem.In(problem.Rule, "max_charge", "must be 0 to "+strconv.FormatInt(meter.MaxAmount, 10))
	}
	p.MaxCharge = &most
	return p, nil
}

// ask runs a search. If it left out the store that it names, that store is paid for by
// the payment that came, or the error is its price as a search.PaymentError, or what
// else stands before it.
func (s *Surface) ask(ctx context.Context, c memory.Caller, r meter.SearchRequest) (meter.SearchResult, error) {
	answer, err := s.searcher.Search(ctx, c, r.Request)
	if err != nil || len(r.Stores) == 0 || len(answer.Bill.Skipped) == 0 {
		return meter.SearchResult{Answer: answer}, err
	}
	skipped := answer.Bill.Skipped[0]
	offer, err := uuid.Parse(skipped.Offer)
	if err != nil {
		return meter.SearchResult{}, err
	}
	r.Stores, r.Purchase = nil, search.Purchase{Offer: offer, Limit: r.Limit, Barred: true}
	found, err := s.market.Search(ctx, c, r)
	var price *search.PaymentError
	if r.Payment == nil && errors.As(err, &price) {
		price.Reason = checkout.Lacking(skipped.Reason)
	}
	return found, err
}
