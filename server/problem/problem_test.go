package problem_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/server/limit"
	"mneme/server/problem"
)

func TestEveryErrorHasItsStatus(t *testing.T) {
	tests := []struct {
		err    error
		status int
		kind   string
	}{
		{memory.ErrNotCaller, 401, "unauthenticated"},
		{fmt.Errorf("grantee: %w", acl.ErrBadID), 400, "malformed"},
		{memory.ErrCursor, 400, "malformed"},
		{fmt.Errorf("put: %w", acl.ErrDenied), 403, "forbidden"},
		{&memory.RuleError{Field: "value", Rule: "must have at most 5 bytes", TooLarge: true}, 413, "too-large"},
		{&memory.RuleError{Field: "tags", Rule: "must be at most 32"}, 422, "rule"},
		{memory.ErrKeyReused, 422, "idempotency-key-reused"},
		{memory.ErrNotFound, 404, "not-found"},
		{memory.ErrConflict, 409, "conflict"},
		{&memory.ConflictError{Reason: "in_context is fixed"}, 409, "conflict"},
		{memory.ErrKindClash, 409, "conflict"},
		{memory.ErrPrecondition, 412, "precondition-failed"},
		{&memory.QuotaError{Limit: "keys", Max: 3, RetryAfter: time.Minute}, 429, "quota"},
		{&search.CapError{Store: "hiker", Cap: "searches_per_day", RetryAfter: time.Hour}, 429, "cap"},
		{&search.PaymentError{Offer: "o", Price: 4500, Balance: 12, Reason: "the balance is too low"}, 402, "payment-required"},
		{&memory.BusyError{RetryAfter: time.Second}, 429, "too-many-searches"},
		{&memory.WaitTooLongError{Wait: time.Second, RetryAfter: time.Second}, 503, "unavailable"},
		{limit.ErrStalled, 408, "request-timeout"},
		{memory.ErrUnavailable, 503, "unavailable"},
		{context.DeadlineExceeded, 503, "unavailable"},
		{context.Canceled, 499, "client-closed-request"},
		{errors.New("pq: secret text near 'my memory'"), 500, "internal"},
	}
	for _, test := range tests {
		t.Run(test.kind, func(t *testing.T) {
			p := problem.From(fmt.Errorf("wrapped: %w", test.err))
			if p.Status != test.status || p.Name != test.kind {
				t.Fatalf("%v: got %d %s, want %d %s", test.err, p.Status, p.Name, test.status, test.kind)
			}
			if !errors.Is(p, test.err) {
				t.Error("the cause is lost")
			}
		})
	}
}

func TestWriteSendsAProblemDocument(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("ETag", `"x"`)
	err := problem.From(&memory.QuotaError{Limit: "keys", Max: 3, RetryAfter: 1500 * time.Millisecond}).Write(w, "urn:uuid:1")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"type": "urn:mneme:problem:quota", "title": "Quota reached", "status": 429.0,
		"detail": "the limit of 3 keys in this store is reached", "instance": "urn:uuid:1", "limit": "keys",
	}
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	h := w.Header()
	if w.Code != 429 || h.Get("Content-Type") != "application/problem+json" || h.Get("Retry-After") != "2" || h.Get("ETag") != "" {
		t.Errorf("%d %v", w.Code, h)
	}
}

func TestA402HasThePrice(t *testing.T) {
	unpaid := &search.PaymentError{Offer: "o-1", Price: 4500, Reason: "the balance is too low"}
	for _, members := range []map[string]any{nil, {"x402Version": 1, "accepts": []string{"a"}}} {
		w := httptest.NewRecorder()
		p := problem.From(unpaid)
		p.Payment.Header, p.Payment.Members = http.Header{"PAYMENT-REQUIRED": {"e30="}}, members
		if err := p.Write(w, "urn:uuid:1"); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{
			"type": "urn:mneme:problem:payment-required", "title": "Payment required", "status": 402.0,
			"detail": "the search has to be paid for: the balance is too low", "instance": "urn:uuid:1",
			"price": 4500.0, "balance": 0.0, "offer": "o-1",
		}
		if members != nil {
			want["x402Version"], want["accepts"] = 1.0, []any{"a"}
		}
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if h := w.Header(); w.Code != 402 || h.Get("Cache-Control") != "no-store" || h.Get("Payment-Required") != "e30=" {
			t.Errorf("%d %v", w.Code, h)
		}
	}
}

func TestUnknownErrorsDiscloseNothing(t *testing.T) {
	w := httptest.NewRecorder()
	if err := problem.From(errors.New("a text about a memory")).Write(w, "urn:uuid:1"); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"urn:mneme:problem:internal","title":"Internal error","status":500,"instance":"urn:uuid:1"}` + "\n"
	if w.Body.String() != want {
		t.Errorf("got %s", w.Body)
	}
}
