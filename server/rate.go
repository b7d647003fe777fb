package server

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/server/limit"
	"mneme/server/problem"
)

// Limits on requests, as metrics name them.
const (
	agentRequests   = "agent_requests"
	addressRefusals = "address_refusals"
)

// Rates bound the requests of agents and the refusals of addresses. The zero
// value sets no limit. Each process counts separately.
type Rates struct {
	// Requests of an agent, over all its tokens.
	Requests limit.Rate
	// Refusals of an address: requests without a valid token.
	Refusals limit.Rate
	// Proxies are trusted to name the address of a client.
	Proxies limit.Proxies
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// rates is the state of Rates.
type rates struct {
	requests *limit.Buckets[session]
	refusals *limit.Buckets[netip.Prefix]
	proxies  limit.Proxies
	// slow admits one verification at a time for tokens from addresses above
	// their limit: a valid token from there is still accepted, while invalid
	// ones occupy one core at most.
	slow chan struct{}
}

func newRates(r Rates) *rates {
	return &rates{
		requests: limit.NewBuckets[session]("agent", r.Requests, r.Now),
		refusals: limit.NewBuckets[netip.Prefix]("address", r.Refusals, r.Now),
		proxies:  r.Proxies,
		slow:     make(chan struct{}, 1),
	}
}

// session identifies the requests that count together: an agent's requests at a label.
//
// SECURITY: RateLimit fields show the remaining requests, and so the activity of a
// session. The activity of a higher label must not show at a lower one.
type session struct {
	agent string
	taint acl.Label
}

func sessionOf(p acl.Principal) session { return session{p.Agent, p.Taint} }

// verify identifies the holder of a client's credential.
func (s *Server) verify(ctx context.Context, client netip.Prefix, credential string) (acl.Principal, error) {
	if s.rates.refusals.Empty(client) {
		select {
		case s.rates.slow <- struct{}{}:
			defer func() { <-s.rates.slow }()
		case <-ctx.Done():
			return acl.Principal{}, ctx.Err()
		}
		// Others wait for this verification: it must not wait for an issuer.
		return s.verifier.VerifyAtOnce(ctx, credential)
	}
	return s.verifier.Verify(ctx, credential)
}

// refuse counts a request without a valid token for its client. It returns
// refusal or, if the client is above its limit, a 429 instead. Requests with a
// valid token are not counted, so that nobody can get another's requests refused.
func (s *Server) refuse(c echo.Context, client netip.Prefix, refusal error) error {
	state := s.rates.refusals.Take(client, 1)
	if state.OK {
		return refusal
	}
	s.metrics.refuse(addressRefusals)
	c.Response().Header().Set("Connection", "close")
	return &problem.Problem{
		Kind: problem.TooManyRefusals, Detail: "too many requests without a valid token from this address",
		Limit: addressRefusals, RetryAfter: state.RetryAfter,
	}
}

// charge sets the RateLimit fields of the response, and returns a problem if the
// agent had too few requests left.
func (s *Server) charge(h http.Header, state limit.State) error {
	if state.Policy != "" {
		h.Set("RateLimit-Policy", state.Policy)
		h.Set("RateLimit", state.Remaining)
	}
	if state.OK {
		return nil
	}
	s.metrics.refuse(agentRequests)
	return &problem.Problem{
		Kind: problem.RateLimited, Detail: "too many requests of this agent",
		Limit: agentRequests, RetryAfter: state.RetryAfter,
	}
}

// Charge counts n more requests for the caller of a request with several items,
// such as a batch; the first was counted on arrival. The error is a problem of
// status 429, and then none of the n is counted. Call Charge before the work, and
// before the response begins. Without a limit it does nothing.
func Charge(ctx context.Context, n int) error {
	in, ok := ctx.Value(callerKey{}).(*caller)
	if !ok || n <= 0 {
		return nil
	}
	return in.charge(n)
}
