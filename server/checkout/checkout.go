// Package checkout reads the payments that come with HTTP requests, and writes the
// payment headers of the responses.
package checkout

import (
	"errors"
	"net/http"
	"strings"

	"mneme/meter"
	"mneme/meter/payment"
	"mneme/server"
	"mneme/server/problem"
)

// Desk accepts payments for requests. The zero value accepts none.
type Desk struct {
	Methods *payment.Methods // nil: none
	// PublicURL is the server's address for clients, which may include a path. If empty, each
	// request's own address is used.
	PublicURL string
}

// Call is a call that takes a payment.
type Call struct {
	Resource meter.Resource
	Payment  *meter.Payment // nil: none came
}

// Read reads the payment of a call. body is a digest of the call's parameters that
// are not in its URL.
func (d Desk) Read(r *http.Request, description, body string) (Call, error) {
	call := Call{Resource: meter.Resource{
		URL: d.address(r) + r.URL.EscapedPath(), Description: description,
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery, Body: body,
	}}
	var err error
	call.Payment, err = payment.Read(r.Header, call.Resource)
	if call.Payment != nil {
		call.Payment.Client = server.Client(r.Context())
	}
	return call, Malformed(err)
}

// Malformed turns the error of an unreadable payment into a problem, and returns other
// errors unchanged.
func Malformed(err error) error {
	var malformed *payment.MalformedError
	if errors.As(err, &malformed) {
		return problem.In(problem.Malformed, malformed.Header, malformed.Reason)
	}
	return err
}

// Ask adds the accepted payments to the problem of an unpaid call.
func (d Desk) Ask(call Call, err error) error {
	p := problem.From(err)
	if p.Payment == nil || d.Methods == nil {
		return err
	}
	p.Payment.Header = make(http.Header)
	p.Payment.Members = d.Methods.Ask(p.Payment.Header, call.Resource, p.Payment.Price, err)
	return p
}

// Settled returns the headers of a paid answer, or nil for an answer without
// payment.
func (d Desk) Settled(found meter.SearchResult) http.Header {
	if found.Settled == nil {
		return nil
	}
	h := make(http.Header)
	var receipts []string
	for _, charge := range found.Bill.Charges {
		receipts = append(receipts, charge.Receipt)
	}
	d.Methods.Settled(h, found.Settled, receipts)
	h.Set("Cache-Control", "private")
	return h
}

// address returns the server's address as the client knows it.
func (d Desk) address(r *http.Request) string {
	if d.PublicURL != "" {
		return strings.TrimSuffix(d.PublicURL, "/")
	}
	scheme := "http"
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
