package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
)

// Issuer is a remote issuer of tokens and the rights that it may grant. Its keys
// are used only with its algorithm and for its tokens.
type Issuer struct {
	Issuer    string // iss, required of its tokens
	Audience  string // aud, required of its tokens
	Algorithm string // one of Algorithms
	JWKS      string // URL of its keys: https, or http on loopback
	// JWKSet are its keys, as an alternative to JWKS.
	JWKSet json.RawMessage
	// Subjects are the subjects that its tokens may name: each exact, or a
	// prefix followed by "*".
	Subjects []string
	// MaxTaint is the highest label that its tokens may claim; zero: PUBLIC.
	MaxTaint acl.Label
	// Scopes are the scopes that its tokens may have, a subset of the package's
	// Scopes.
	Scopes []string
	// RefreshEvery is the time between two fetches of the keys, and so how long
	// a key that the issuer removed is still accepted; 0: one hour.
	RefreshEvery time.Duration
	// RefreshUnknown is the shortest time between two fetches for tokens with
	// unknown keys, beyond a small burst; 0: five seconds.
	RefreshUnknown time.Duration
}

// Algorithms are the algorithms of remote keys. All are signatures: with a
// shared secret, anyone who verifies tokens could also create them.
var Algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

func (i Issuer) check() error {
	_, keysURL := url.Parse(i.JWKS)
	switch {
	case i.Issuer == "" || i.Audience == "":
		return errors.New("issuer and audience must be given")
	case i.Issuer == localName:
		return fmt.Errorf("the issuer %q is the local key's", localName)
	case !slices.Contains(Algorithms, i.Algorithm):
		return fmt.Errorf("the algorithm must be one of %s", strings.Join(Algorithms, ", "))
	case (i.JWKS == "") == (len(i.JWKSet) == 0):
		return errors.New("the keys must be given, either by URL or as a set")
	case i.JWKS != "" && (keysURL != nil || !safeURL(i.JWKS)):
		return errors.New("the URL of the keys must be https (http on loopback)")
	case i.RefreshEvery < 0 || i.RefreshUnknown < 0:
		return errors.New("the times between fetches of the keys must not be negative")
	case len(i.Subjects) == 0:
		return errors.New(`the subjects must be given ("*" for any)`)
	case i.MaxTaint != 0 && !i.MaxTaint.Valid():
		return errors.New("the highest taint is not one of the four labels")
	}
	for _, pattern := range i.Subjects {
		if strings.Contains(strings.TrimSuffix(pattern, "*"), "*") || pattern == "" {
			return errors.New(`a pattern of subjects is one subject, or a prefix and "*"`)
		}
	}
	for _, name := range i.Scopes {
		if !slices.Contains(Scopes, name) {
			return errScope
		}
	}
	return nil
}

// safeURL reports whether nobody on the network path can substitute other keys.
func safeURL(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return false
	}
	if u.Scheme == "https" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// allows returns a *Refusal if the issuer may not grant a principal.
func (i Issuer) allows(p acl.Principal) error {
	highest := i.MaxTaint
	if highest == 0 {
		highest = acl.Public
	}
	switch {
	case !slices.ContainsFunc(i.Subjects, func(pattern string) bool { return matches(pattern, p.Agent) }):
		return &Refusal{"the token's issuer may not issue tokens for this subject"}
	case p.Taint > highest:
		return &Refusal{"the token's taint is above what its issuer may grant"}
	case slices.ContainsFunc(ScopesOf(p), func(name string) bool { return !slices.Contains(i.Scopes, name) }):
		return &Refusal{"the token has a scope that its issuer may not grant"}
	}
	return nil
}

func matches(pattern, subject string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(subject, prefix)
	}
	return pattern == subject
}

// trusted is an issuer with its keys.
type trusted struct {
	Issuer
	validator *jwt.Validator
	// find returns the key that verifies a token, from the current keys.
	find jwt.Keyfunc
	// await is like find but requests a fetch of the keys, and waits for it if
	// wait is set; nil: the keys never change.
	await func(ctx context.Context, token *jwt.Token, wait bool) (any, error)
	// admit returns an error if the token with an ID is revoked; nil: no token is.
	admit func(id string) error
}

// errOtherKey reports that the key named by a token did not sign it.
var errOtherKey = errors.New("the token's key does not verify it")

// verify returns the holder of a token, using the key that find returns. c are the
// token's claims. The error is find's errNoKey or ErrUndecided, errOtherKey, or a
// *Refusal.
func (t *trusted) verify(parsed *jwt.Token, c *claims, find jwt.Keyfunc) (acl.Principal, error) {
	key, err := find(parsed)
	switch {
	case errors.Is(err, errNoKey), errors.Is(err, ErrUndecided):
		return acl.Principal{}, err
	case err != nil:
		return acl.Principal{}, errOtherKey
	}
	// SECURITY: the claims are used only after this check. A method refuses keys of other
	// methods.
	if parsed.Method.Verify(signed(parsed), parsed.Signature, key) != nil {
		return acl.Principal{}, errOtherKey
	}
	if err := t.validator.Validate(c); err != nil {
		return acl.Principal{}, refusalOf(err)
	}
	p, err := c.principal()
	if err != nil {
		return acl.Principal{}, err
	}
	if err := t.allows(p); err != nil || t.admit == nil {
		return p, err
	}
	// SECURITY: a token whose revocation state is unknown is not accepted.
	return p, t.admit(c.ID)
}

// refusalOf returns the client's error for invalid claims.
func refusalOf(err error) error {
	for _, known := range []struct {
		err    error
		reason string
	}{
		{jwt.ErrTokenExpired, "the token has expired"},
		{jwt.ErrTokenInvalidAudience, "the token is for another audience"},
		{jwt.ErrTokenUsedBeforeIssued, "the token was issued in the future: compare the clocks of its issuer and this server"},
		{jwt.ErrTokenNotValidYet, "the token is not valid yet: compare the clocks of its issuer and this server"},
		{jwt.ErrTokenRequiredClaimMissing, "the token lacks its exp or aud"},
	} {
		if errors.Is(err, known.err) {
			return &Refusal{known.reason}
		}
	}
	return errNotValid
}

// trust loads an issuer's keys, from its set or its URL; see fetchKeys.
func trust(ctx context.Context, i Issuer, now func() time.Time, transport http.RoundTripper, log *slog.Logger) (*trusted, error) {
	t := &trusted{Issuer: i, validator: validator(i.Issuer, i.Audience, now)}
	if i.JWKS != "" {
		keys := fetchKeys(ctx, i, transport, log)
		t.find, t.await = keys.find, keys.await
		return t, nil
	}
	set, err := parseKeySet(i.JWKSet, i.Algorithm)
	if err != nil {
		return nil, fmt.Errorf("the set of keys: %w", err)
	}
	t.find = set.find
	return t, nil
}

// skew is the tolerated clock difference.
const skew = time.Minute

// validator returns a validator with all checks of the library.
func validator(issuer, audience string, now func() time.Time) *jwt.Validator {
	return jwt.NewValidator(
		jwt.WithIssuer(issuer),
		jwt.WithAudience(audience),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithLeeway(skew),
		jwt.WithTimeFunc(now),
	)
}
