// Package problem maps errors to RFC 9457 problems. A problem never contains
// request data, memory text, or data of another caller.
package problem

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/server/limit"
)

// ContentType is the media type of problems.
const ContentType = "application/problem+json"

// StatusClientClosedRequest is the status that logs and metrics show if the
// client disconnected. It is never sent.
const StatusClientClosedRequest = 499

// Kind is a kind of problem: the part that is independent of the request.
type Kind struct {
	Name   string // last part of the type URI
	Status int
	Title  string
}

// The kinds of problems, in the order in which requests are checked.
var (
	Unauthenticated      = Kind{"unauthenticated", http.StatusUnauthorized, "No valid token"}
	NoSuchCall           = Kind{"no-such-call", http.StatusNotFound, "No such call"}
	MethodNotAllowed     = Kind{"method-not-allowed", http.StatusMethodNotAllowed, "Method not allowed"}
	Stalled              = Kind{"request-timeout", http.StatusRequestTimeout, "Request timeout"}
	Malformed            = Kind{"malformed", http.StatusBadRequest, "Malformed request"}
	UnsupportedMediaType = Kind{"unsupported-media-type", http.StatusUnsupportedMediaType, "Unsupported media type"}
	Forbidden            = Kind{"forbidden", http.StatusForbidden, "Forbidden"}
	TooLarge             = Kind{"too-large", http.StatusRequestEntityTooLarge, "Request too large"}
	Rule                 = Kind{"rule", http.StatusUnprocessableEntity, "The request breaks a rule"}
	KeyReused            = Kind{"idempotency-key-reused", http.StatusUnprocessableEntity, "The Idempotency-Key was used with another body"}
	NotFound             = Kind{"not-found", http.StatusNotFound, "Not found"}
	Conflict             = Kind{"conflict", http.StatusConflict, "Conflict"}
	Gone                 = Kind{"gone", http.StatusGone, "Gone"}
	PreconditionFailed   = Kind{"precondition-failed", http.StatusPreconditionFailed, "Precondition failed"}
	Quota                = Kind{"quota", http.StatusTooManyRequests, "Quota reached"}
	Cap                  = Kind{"cap", http.StatusTooManyRequests, "A cap on searches of the store is spent"}
	PaymentRequired      = Kind{"payment-required", http.StatusPaymentRequired, "Payment required"}
	RateLimited          = Kind{"rate-limited", http.StatusTooManyRequests, "Too many requests"}
	TooManyRefusals      = Kind{"too-many-refusals", http.StatusTooManyRequests, "Too many requests without a valid token"}
	Busy                 = Kind{"too-many-searches", http.StatusTooManyRequests, "Too many searches at a time"}
	TooManyWaits         = Kind{"too-many-waits", http.StatusTooManyRequests, "Too many waits at a time"}
	ClientClosed         = Kind{"client-closed-request", StatusClientClosedRequest, "Client closed the request"}
	Internal             = Kind{"internal", http.StatusInternalServerError, "Internal error"}
	Unavailable          = Kind{"unavailable", http.StatusServiceUnavailable, "Service unavailable"}
)

// Problem is one problem of one request. It is an error, so that a handler
// can return it.
type Problem struct {
	Kind
	Detail     string
	Field      string        // the invalid field or parameter
	Limit      string        // the limit that was reached
	Item       *int          // index of the failed item in a call with several; nil: none
	RetryAfter time.Duration // 0: the default for a 503, otherwise no Retry-After
	Challenge  string        // WWW-Authenticate of a 401
	Payment    *Payment      // of a 402
	AsText     bool          // the body also has the problem's text, as its member error
	cause      error
}

// Payment holds the members that only problems of status 402 have. Amounts
// are in micros.
type Payment struct {
	Price   int64  // the most that the call could cost
	Balance int64  // of the caller's account
	Offer   string // to accept, or to pay for
	// Header and Members are added to the header and the body, for payment
	// protocols. Members must not have the name of another member.
	Header  http.Header
	Members map[string]any
}

// New returns a problem. detail is a constant, or names only fields and limits.
func New(kind Kind, detail string) *Problem { return &Problem{Kind: kind, Detail: detail} }

// In returns the problem of one field or parameter.
func In(kind Kind, field, detail string) *Problem {
	return &Problem{Kind: kind, Field: field, Detail: field + ": " + detail}
}

// Type is the URI that identifies the kind.
func (k Kind) Type() string { return "urn:mneme:problem:" + k.Name }

func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// Because sets the cause, for the log and errors.Is.
func (p *Problem) Because(err error) *Problem {
	p.cause = err
	return p
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.cause }

// constant maps sentinel errors to problems. The first match wins. The detail
// is the error's own text, which is a constant.
var constant = []struct {
	err  error
	kind Kind
}{
	{limit.ErrStalled, Stalled},
	{memory.ErrNotCaller, Unauthenticated},
	{acl.ErrBadID, Malformed},
	{memory.ErrCursor, Malformed},
	{memory.ErrAboveMaker, Forbidden},
	{acl.ErrDenied, Forbidden},
	{memory.ErrKeyReused, KeyReused},
	{memory.ErrNotFound, NotFound},
	{memory.ErrKindClash, Conflict},
	{memory.ErrConflict, Conflict},
	{memory.ErrFeed, Gone},
	{memory.ErrPrecondition, PreconditionFailed},
	{memory.ErrUnavailable, Unavailable},
	{search.ErrNoVectors, Unavailable},
}

// retrySoon is the default Retry-After of a 503.
const retrySoon = 2 * time.Second

// From turns an error into the problem that its caller receives. An unknown
// error is Internal, without a detail.
func From(err error) *Problem {
	var p *Problem
	var broken *memory.RuleError
	var full *memory.QuotaError
	var clash *memory.ConflictError
	var busy *memory.BusyError
	var waits *memory.WaitError
	var late *memory.WaitTooLongError
	var spent *search.CapError
	var unpaid *search.PaymentError
	var unsettled *search.UnsettledError
	var item *memory.BatchError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &item):
		p = From(item.Err)
		p.Item = &item.Item
	case errors.As(err, &broken):
		kind := Rule
		if broken.TooLarge {
			kind = TooLarge
		}
		p = In(kind, broken.Field, broken.Rule)
	case errors.As(err, &full):
		p = &Problem{Kind: Quota, Detail: full.Error(), Limit: full.Limit, RetryAfter: full.RetryAfter}
	case errors.As(err, &busy):
		p = &Problem{Kind: Busy, Detail: busy.Error(), Limit: "searches", RetryAfter: busy.RetryAfter}
	case errors.As(err, &waits):
		p = &Problem{Kind: TooManyWaits, Detail: waits.Error(), Limit: "waits", RetryAfter: waits.RetryAfter}
	case errors.As(err, &late):
		p = &Problem{Kind: Unavailable, Detail: late.Error(), Limit: "writes", RetryAfter: late.RetryAfter}
	case errors.As(err, &spent):
		p = &Problem{Kind: Cap, Detail: spent.Error(), Limit: spent.Cap, RetryAfter: spent.RetryAfter}
	case errors.As(err, &unpaid):
		p = New(PaymentRequired, unpaid.Error())
		p.Payment = &Payment{Price: unpaid.Price, Balance: unpaid.Balance, Offer: unpaid.Offer}
	case errors.As(err, &unsettled):
		p = &Problem{Kind: Unavailable, Detail: unsettled.Error(), RetryAfter: unsettled.RetryAfter}
	case errors.As(err, &clash):
		p = New(Conflict, clash.Reason)
	case errors.Is(err, context.Canceled):
		p = New(ClientClosed, "")
	case errors.Is(err, context.DeadlineExceeded):
		p = &Problem{Kind: Unavailable, Detail: "the call timed out", RetryAfter: retrySoon}
	default:
		p = fromConstant(err)
	}
	p.cause = err
	return p
}

func fromConstant(err error) *Problem {
	for _, c := range constant {
		if !errors.Is(err, c.err) {
			continue
		}
		return New(c.kind, c.err.Error())
	}
	return New(Internal, "")
}

// body is a problem as JSON.
type body struct {
	Type     string `json:"type"`
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance"`
	Field    string `json:"field,omitempty"`
	Limit    string `json:"limit,omitempty"`
	Item     *int   `json:"item,omitempty"`
	Error    string `json:"error,omitempty"`
	*payment
}

// payment is the part of the body of a 402.
type payment struct {
	Price   int64  `json:"price"`
	Balance int64  `json:"balance"`
	Offer   string `json:"offer"`
}

// Write sends the problem. instance is the request ID.
func (p *Problem) Write(w http.ResponseWriter, instance string) error {
	text, err := p.encode(instance)
	if err != nil {
		return err
	}
	h := w.Header()
	// The handler may have set headers for its own response.
	for _, name := range []string{"ETag", "Location", "Content-Length"} {
		h.Del(name)
	}
	h.Set("Content-Type", ContentType)
	if after := p.retryAfter(); after > 0 {
		seconds := (after + time.Second - 1) / time.Second
		h.Set("Retry-After", strconv.Itoa(int(seconds)))
	}
	if p.Status == http.StatusUnauthorized {
		challenge := p.Challenge
		if challenge == "" {
			challenge = `Bearer realm="mneme"`
		}
		h.Set("WWW-Authenticate", challenge)
	}
	if p.Payment != nil {
		h.Set("Cache-Control", "no-store") // the price is the caller's own
		for name, values := range p.Payment.Header {
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
	w.WriteHeader(p.Status)
	_, err = w.Write(append(text, '\n'))
	return err
}

// retryAfter returns when a retry may succeed: for every 503, and for a 429 unless
// waiting does not help, as with a quota.
func (p *Problem) retryAfter() time.Duration {
	if p.RetryAfter == 0 && p.Status == http.StatusServiceUnavailable {
		return retrySoon
	}
	return p.RetryAfter
}

// encode returns the body.
func (p *Problem) encode(instance string) ([]byte, error) {
	out := body{
		Type: p.Type(), Title: p.Title, Status: p.Status, Detail: p.Detail,
		Instance: instance, Field: p.Field, Limit: p.Limit, Item: p.Item,
	}
	if p.Payment != nil {
		out.payment = &payment{p.Payment.Price, p.Payment.Balance, p.Payment.Offer}
	}
	if _, named := p.members()["error"]; p.AsText && !named {
		out.Error = p.Error()
	}
	text, err := json.Marshal(out)
	if err != nil || len(p.members()) == 0 {
		return text, err
	}
	more, err := json.Marshal(p.members())
	if err != nil {
		return nil, err
	}
	return append(append(text[:len(text)-1], ','), more[1:]...), nil
}

// members returns the members that payment protocols add to the body.
func (p *Problem) members() map[string]any {
	if p.Payment == nil {
		return nil
	}
	return p.Payment.Members
}
