package robutler

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/server/problem"
	"mneme/server/wire"
)

// search searches the store that the request names, or otherwise all stores
// that the caller can access, including the stores of the named chat and user.
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
	most, err := q.maxCharge()
	if err != nil {
		return err
	}
	body := s.service.Secret().Digest("query", q.values.Encode())
	paid, err := s.desk.Read(c.Request(), "A search of a store", body)
	if err != nil {
		return err
	}
	if paid.Payment != nil { // max_charge bounds only payments from the account
		most = nil
	}
	found, err := s.market.Search(c.Request().Context(), visitor(c), meter.SearchRequest{
		Request: request, MaxCharge: most, Payment: paid.Payment, Prompted: true, // tools call this API
		Call: func() (memory.Idempotency, error) { return s.identity(c.Request().Header, body) },
	})
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

// identity identifies a search. body is what it asks for, so that a search is charged
// once per Idempotency-Key or payment.
func (s *Surface) identity(h http.Header, body string) (memory.Idempotency, error) {
	i := memory.Idempotency{Operation: "GET " + root + "?action=search", Digest: body}
	key, err := wire.IdempotencyKey(h)
	if err != nil || key == nil {
		return i, err
	}
	i.Key = s.service.Secret().Digest("key", *key)
	return i, wire.CheckIdempotencyKey(*key)
}

// maxCharge returns the parameter max_charge, in micros, or nil if it is absent. The
// API's own clients do not send it. A malformed number is refused like an amount out of
// range.
func (q query) maxCharge() (*int64, error) {
	text, err := q.text("max_charge")
	if err != nil || text == "" {
		return nil, err
	}
	most, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		most = -1
	}
	return &most, meter.CheckMaxCharge(&most)
}
