package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/token"
)

// retryToken is the Retry-After for a token that could not be verified yet.
const retryToken = 5 * time.Second

// errVerifier reports that the verifier failed for a reason other than the token.
var errVerifier = errors.New("the verifier failed")

// callerKey is the context key for the caller of a request.
type callerKey struct{}

// caller is the caller of a request.
type caller struct {
	principal acl.Principal
	charge    func(n int) error
	judge     func(answered bool) (acl.Principal, error)
	stopping  <-chan struct{}
	client    netip.Prefix
}

// Principal returns the caller of an authenticated request. Without one it
// returns the zero Principal, which has no rights. The context carries the
// principal from authentication to the surface; deeper layers take it as an
// argument.
func Principal(ctx context.Context) acl.Principal {
	if in, ok := ctx.Value(callerKey{}).(*caller); ok {
		return in.principal
	}
	return acl.Principal{}
}

// Client returns the client of an authenticated request, as the addresses that count as one
// client: an IPv4 address or an IPv6 /64. It returns "" if the request is not authenticated.
func Client(ctx context.Context) string {
	if in, ok := ctx.Value(callerKey{}).(*caller); ok && in.client.IsValid() {
		return in.client.String()
	}
	return ""
}

// Judge verifies the token of a request again, during a wait or at its end. The error is a
// problem: status 401 if the token has expired or was revoked in the meantime. answered reports
// that the caller will send the error as the response; it then counts as a refusal of the
// client.
func Judge(ctx context.Context, answered bool) (acl.Principal, error) {
	in, ok := ctx.Value(callerKey{}).(*caller)
	if !ok {
		return acl.Principal{}, unauthenticated("there is no token")
	}
	return in.judge(answered)
}

// Stopping returns a channel that is closed when the server of a request begins to
// shut down, which ends all waits.
func Stopping(ctx context.Context) <-chan struct{} {
	if in, ok := ctx.Value(callerKey{}).(*caller); ok {
		return in.stopping
	}
	return nil
}

// authenticate identifies the caller. It runs before all other handlers except
// observe, so that a client without a token cannot even learn which routes
// exist.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.open[c.Path()] {
			return next(c)
		}
		r := c.Request()
		client := s.rates.proxies.Client(r)
		judge := func(answered bool) (acl.Principal, error) { return s.judge(c, r, client, answered) }
		p, err := judge(true)
		if err != nil {
			return err
		}
		charge := func(n int) error { return s.charge(c.Response().Header(), s.rates.requests.TakeMore(sessionOf(p), n)) }
		if err := s.charge(c.Response().Header(), s.rates.requests.Take(sessionOf(p), 1)); err != nil {
			return err
		}
		if err := s.service.RegisterCaller(r.Context(), p); errors.Is(err, memory.ErrNotCaller) {
			return s.refuse(c, client, unauthenticated("this subject cannot call"))
		} else if err != nil {
			return err
		}
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), callerKey{}, &caller{p, charge, judge, s.stop, client})))
		return next(c)
	}
}

// judge returns the holder of a request's credential, or a problem. If answered is
// set, the problem is the response and is counted.
func (s *Server) judge(c echo.Context, r *http.Request, client netip.Prefix, answered bool) (acl.Principal, error) {
	p, err := s.identify(r, client)
	var refusal *problem.Problem
	if errors.As(err, &refusal) {
		if !answered {
			return acl.Principal{}, refusal
		}
		return acl.Principal{}, s.refuse(c, client, refusal)
	}
	if errors.Is(err, errVerifier) {
		return acl.Principal{}, problem.New(problem.Unavailable, "tokens cannot be verified at the moment").Because(err)
	}
	return p, err
}

// identify returns the holder of a request's credential. A request without a
// valid one is a *problem.Problem.
func (s *Server) identify(r *http.Request, client netip.Prefix) (acl.Principal, error) {
	credential, err := credentialOf(r.Header)
	if err != nil {
		return acl.Principal{}, err
	}
	p, err := s.verify(r.Context(), client, credential)
	var refusal *token.Refusal
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &refusal):
		err = unauthenticated(refusal.Reason)
	case errors.Is(err, token.ErrUndecided):
		err = &problem.Problem{Kind: problem.Unavailable, Detail: err.Error(), RetryAfter: retryToken}
	case r.Context().Err() == nil:
		return acl.Principal{}, fmt.Errorf("%w: %w", errVerifier, err)
	}
	return acl.Principal{}, err
}

// isPayment reports whether an Authorization header holds a payment, which does not
// identify the caller.
func isPayment(authorization string) bool {
	scheme, _, _ := strings.Cut(strings.TrimSpace(authorization), " ")
	return strings.EqualFold(scheme, "Payment")
}

// credentialOf returns the credential of a request, from either header.
func credentialOf(h http.Header) (string, error) {
	bearers, keys := slices.DeleteFunc(slices.Clone(h.Values("Authorization")), isPayment), h.Values("X-Api-Key")
	if len(bearers) > 1 || len(keys) > 1 {
		return "", unauthenticated("a header with a token is repeated")
	}
	var found string
	if len(bearers) == 1 {
		scheme, credential, _ := strings.Cut(bearers[0], " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return "", unauthenticated("the scheme of Authorization must be Bearer")
		}
		found = strings.Trim(credential, " ")
	}
	if len(keys) == 1 {
		if len(bearers) == 1 && keys[0] != found {
			return "", unauthenticated("Authorization and X-API-Key differ")
		}
		found = keys[0]
	}
	if found == "" {
		return "", &problem.Problem{Kind: problem.Unauthenticated, Detail: "send a token as Authorization: Bearer, or as X-API-Key; " + getToken, Challenge: `Bearer realm="mneme"`}
	}
	return found, nil
}

// getToken ends the detail of a 401: how to get a token.
const getToken = "get one from an issuer that the server trusts, or by mneme token where the server runs"

func unauthenticated(reason string) error {
	return &problem.Problem{
		Kind: problem.Unauthenticated, Detail: reason + "; send another token: " + getToken,
		Challenge: `Bearer realm="mneme", error="invalid_token", error_description="` + reason + `"`,
	}
}
