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
// value bounds nothing. Each process counts for itself.
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

// rates are Rates at work.
type rates struct {
	requests *limit.Buckets[session]
	refusals *limit.Buckets[netip.Prefix]
	proxies  limit.Proxies
	// slow admits one verification at a time of tokens from addresses that are
	// above their limit: a good token from there is still accepted, while bad
	// ones keep one core busy at most.
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

// session is whose requests count together: those of an agent at a label.
//
// SECURITY: RateLimit fields tell what is left, and so what a session has done. One of a
// higher label must not show below.
type session struct {
	agent string
	taint acl.Label
}

func sessionOf(p acl.Principal) session { return session{p.Agent, p.Taint} }

// verify identifies the holder of a credential of a client.
func (s *Server) verify(ctx context.Context, client netip.Prefix, credential string) (acl.Principal, error) {
	if s.rates.refusals.Empty(client) {
		select {
		case s.rates.slow <- struct{}{}:
			defer func() { <-s.rates.slow }()
		case <-ctx.Done():
			return acl.Principal{}, ctx.Err()
		}
		// Others wait for this one: it must not wait for an issuer.
		return s.verifier.VerifyAtOnce(ctx, credential)
	}
	return s.verifier.Verify(ctx, credential)
}

// refuse counts a request without a valid token for its client. It returns
// refusal, or, if the client is above its limit, a 429 in its place. A request
// with a valid token never comes here, so that nobody can have another's refused.
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

// charge sets the RateLimit fields of the answer to a request that took some from its
// agent, and returns the problem if there were too few.
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

// Charge counts n more requests for the caller of a request that asks for several
// things at once, such as a batch: one was counted before. The error is a problem
// of status 429, and nothing was counted. Call it before the work, and before the
// answer begins. It charges nothing if there is no limit.
func Charge(ctx context.Context, n int) error {
	in, ok := ctx.Value(callerKey{}).(*caller)
	if !ok || n <= 0 {
		return nil
	}
	return in.charge(n)
}
