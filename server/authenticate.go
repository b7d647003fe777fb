package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/token"
)

// principalKey is the context key for the caller of a request.
type principalKey struct{}

// Principal returns the caller of an authenticated request, and the zero
// Principal, which may do nothing, if there is none. The context carries it from
// authentication to the surface and no further: below, it is an argument.
func Principal(ctx context.Context) acl.Principal {
	p, _ := ctx.Value(principalKey{}).(acl.Principal)
	return p
}

// authenticate identifies the caller. It runs before everything except observe,
// so that without a token a client cannot learn even which routes exist.
func (s *Server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.open[c.Path()] {
			return next(c)
		}
		r := c.Request()
		credential, err := credentialOf(r.Header)
		if err != nil {
			return err
		}
		p, err := s.verifier.Verify(r.Context(), credential)
		var refusal *token.Refusal
		switch {
		case errors.As(err, &refusal):
			return unauthenticated(refusal.Reason)
		case err != nil:
			return problem.New(problem.Unavailable, "tokens cannot be verified at the moment").Because(err)
		}
		if err := s.service.RegisterCaller(r.Context(), p); errors.Is(err, memory.ErrNotCaller) {
			return unauthenticated("this subject cannot call")
		} else if err != nil {
			return err
		}
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), principalKey{}, p)))
		return next(c)
	}
}

// credentialOf returns the credential of a request, from either header.
func credentialOf(h http.Header) (string, error) {
	bearers, keys := h.Values("Authorization"), h.Values("X-Api-Key")
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
		return "", &problem.Problem{Kind: problem.Unauthenticated, Detail: "send a token as Authorization: Bearer, or as X-API-Key", Challenge: `Bearer realm="mneme"`}
	}
	return found, nil
}

func unauthenticated(reason string) error {
	return &problem.Problem{
		Kind: problem.Unauthenticated, Detail: reason,
		Challenge: `Bearer realm="mneme", error="invalid_token", error_description="` + reason + `"`,
	}
}
