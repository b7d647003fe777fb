package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"mneme/meter"
	"mneme/meter/payment"
	"mneme/server/problem"
)

// TakePayments sets the ways to pay with a request, and the address of the server for
// clients, without a path; "": that of each request. It must be called before Mount.
func (s *Surface) TakePayments(methods *payment.Methods, publicURL string) {
	s.payments, s.publicURL = methods, strings.TrimSuffix(publicURL, "/")
}

// requestKey is the context key for a request that may bring a payment.
type requestKey struct{}

// withRequest hands the request to the handler of a call that takes payments.
func withRequest(next StrictHandlerFunc, operation string) StrictHandlerFunc {
	if operation != "SearchOffer" {
		return next
	}
	return func(c echo.Context, request any) (any, error) {
		r := c.Request()
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), requestKey{}, r)))
		return next(c, request)
	}
}

// paidCall is a call that takes a payment.
type paidCall struct {
	resource meter.Resource
	payment  *meter.Payment // nil: none came
}

// readPayment reads the payment of a call with a decoded body.
func (s *Surface) readPayment(ctx context.Context, description string, body any) (paidCall, error) {
	r, ok := ctx.Value(requestKey{}).(*http.Request)
	if !ok {
		return paidCall{}, nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return paidCall{}, err
	}
	call := paidCall{resource: meter.Resource{
		URL: s.address(r) + r.URL.EscapedPath(), Description: description,
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery, Body: s.service.Digest("body", string(text)),
	}}
	call.payment, err = payment.Read(r.Header, call.resource)
	var malformed *payment.MalformedError
	if errors.As(err, &malformed) {
		return paidCall{}, problem.In(problem.Malformed, malformed.Header, malformed.Reason)
	}
	return call, err
}

// askPayment adds to the problem of an unpaid call how it can be paid for.
func (s *Surface) askPayment(call paidCall, err error) error {
	p := problem.From(err)
	if p.Payment == nil || s.payments == nil {
		return err
	}
	p.Payment.Header = make(http.Header)
	p.Payment.Members = s.payments.Ask(p.Payment.Header, call.resource, p.Payment.Price, err)
	return p
}

// settled returns the headers of an answer that was paid for.
func (s *Surface) settled(found meter.SearchResult) http.Header {
	if found.Settled == nil {
		return nil
	}
	h := make(http.Header)
	var receipts []string
	for _, charge := range found.Bill.Charges {
		receipts = append(receipts, charge.Receipt)
	}
	s.payments.Settled(h, found.Settled, receipts)
	h.Set("Cache-Control", "private")
	return h
}

// address returns the server's address as the client knows it.
func (s *Surface) address(r *http.Request) string {
	if s.publicURL != "" {
		return s.publicURL
	}
	scheme := "http"
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
