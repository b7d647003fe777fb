package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
)

// Issuer is a remote issuer of tokens, with what it may grant. Its keys are used
// only with its algorithm and for its tokens.
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
	// Scopes are the scopes that its tokens may have: ScopePlatform, ScopeShare.
	Scopes []string
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
		if name != ScopePlatform && name != ScopeShare {
			return fmt.Errorf("a scope must be one of %s, %s", ScopePlatform, ScopeShare)
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
	case p.Platform && !slices.Contains(i.Scopes, ScopePlatform), p.Share && !slices.Contains(i.Scopes, ScopeShare):
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
	parser *jwt.Parser
	keys   func(context.Context) jwt.Keyfunc
}

// trust loads an issuer's keys. Keys at a URL are fetched now, each hour, and
// when a token names an unknown key, until ctx is done. While no keys could be
// fetched, the issuer's tokens are refused.
func trust(ctx context.Context, i Issuer, now func() time.Time, log *slog.Logger) (*trusted, error) {
	if err := i.check(); err != nil {
		return nil, err
	}
	t := &trusted{Issuer: i, parser: parser(i.Algorithm, i.Issuer, i.Audience, now)}
	if i.JWKS == "" {
		set, err := keyfunc.NewJWKSetJSON(i.JWKSet)
		if err != nil {
			return nil, errors.New("the set of keys is invalid")
		}
		t.keys = set.KeyfuncCtx
		return t, nil
	}
	startAnyway := true
	set, err := keyfunc.NewDefaultOverrideCtx(ctx, []string{i.JWKS}, keyfunc.Override{
		HTTPTimeout:               10 * time.Second,
		NoErrorReturnFirstHTTPReq: &startAnyway,
		RefreshErrorHandlerFunc: func(string) func(context.Context, error) {
			return func(ctx context.Context, _ error) { // the error may quote the response
				log.WarnContext(ctx, "the keys of a token issuer could not be fetched", "issuer", i.Issuer)
			}
		},
	})
	if err != nil {
		return nil, errors.New("the URL of the keys cannot be used")
	}
	t.keys = set.KeyfuncCtx
	return t, nil
}

// skew is the tolerated clock difference.
const skew = 30 * time.Second

// parser returns a parser with all checks of the library.
func parser(algorithm, issuer, audience string, now func() time.Time) *jwt.Parser {
	return jwt.NewParser(
		jwt.WithValidMethods([]string{algorithm}),
		jwt.WithIssuer(issuer),
		jwt.WithAudience(audience),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithLeeway(skew),
		jwt.WithTimeFunc(now),
		jwt.WithStrictDecoding(),
	)
}
