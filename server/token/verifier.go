// Package token authenticates callers. It verifies JSON Web Tokens and API keys,
// and creates API keys and the tokens of the local key. The result is an
// acl.Principal, which nothing else in a request can change.
package token

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/sync/errgroup"

	"mneme/acl"
)

// maxToken is the maximum length of a token, in bytes.
const maxToken = 8192

// Refusal is the reason why a token was refused: a constant text, which is sent
// to the client.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

var errNotValid = &Refusal{"the token is not valid"}

// Options configure whose tokens are accepted. The zero value accepts none.
type Options struct {
	Local   *LocalKey // nil: tokens of the local key are refused
	APIKeys *APIKeys  // nil: API keys are refused
	Issued  *Issued   // which tokens of the local key are revoked; nil: none
	Uses    *Uses     // records each use of an API key or issued token; nil: none is recorded
	Issuers []Issuer
	// Transport sends the requests for the issuers' keys; nil: http.DefaultTransport.
	Transport http.RoundTripper
	Now       func() time.Time // default time.Now
	Log       *slog.Logger     // default: discard
}

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	apiKeys *APIKeys
	issued  *Issued
	uses    *Uses
	issuers []*trusted
	now     func() time.Time
	running sync.WaitGroup // the goroutine of uses
}

// NewVerifier returns a Verifier, which fetches the keys of remote issuers and writes the uses
// until ctx is done.
func NewVerifier(ctx context.Context, o Options) (*Verifier, error) {
	v := &Verifier{apiKeys: o.APIKeys, uses: o.Uses, now: o.Now}
	if v.now == nil {
		v.now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	urls := make(map[string]bool)
	for _, issuer := range o.Issuers {
		if issuer.JWKS != "" && urls[issuer.JWKS] {
			return nil, fmt.Errorf("token issuer %q: another issuer has the same keys", issuer.Issuer)
		}
		urls[issuer.JWKS] = true
		if err := issuer.check(); err != nil {
			return nil, fmt.Errorf("token issuer %q: %w", issuer.Issuer, err)
		}
	}
	v.issuers = make([]*trusted, len(o.Issuers))
	var group errgroup.Group // an unresponsive issuer does not delay others
	for n, issuer := range o.Issuers {
		group.Go(func() (err error) {
			if v.issuers[n], err = trust(ctx, issuer, v.now, o.Transport, o.Log); err != nil {
				err = fmt.Errorf("token issuer %q: %w", issuer.Issuer, err)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if o.Local != nil {
		v.issued = o.Issued
		v.issuers = append(v.issuers, local(o.Local, o.Issued, v.now))
	}
	if o.Uses != nil {
		v.running.Go(func() { o.Uses.run(ctx, o.Log) })
	}
	return v, nil
}

// Wait returns when the context of NewVerifier has ended and the last uses are written.
func (v *Verifier) Wait() { v.running.Wait() }

// local returns the local key as an issuer. It may grant everything, since anyone
// who can read the key can also read the data next to it. issued may be nil.
func local(key *LocalKey, issued *Issued, now func() time.Time) *trusted {
	t := &trusted{
		Issuer: Issuer{
			Issuer: localName, Audience: localName, Algorithm: localAlgorithm, Subjects: []string{"*"},
			MaxTaint: acl.Restricted, Scopes: Scopes,
		},
		validator: validator(localName, localName, now),
		find:      func(parsed *jwt.Token) (any, error) { return key.find(parsed, now()) },
	}
	if issued != nil {
		t.admit = issued.admit
	}
	return t
}

// Verify identifies the holder of a token or API key. The error is a *Refusal, or
// ErrUndecided, unless the API keys could not be read.
func (v *Verifier) Verify(ctx context.Context, credential string) (acl.Principal, error) {
	return v.verify(ctx, credential, true)
}

// VerifyAtOnce is like Verify, but returns ErrUndecided at once for a token with
// an unknown key, without waiting for a fetch. It is for callers that hold a
// resource for which others wait.
func (v *Verifier) VerifyAtOnce(ctx context.Context, credential string) (acl.Principal, error) {
	return v.verify(ctx, credential, false)
}

func (v *Verifier) verify(ctx context.Context, credential string, wait bool) (acl.Principal, error) {
	switch {
	case len(credential) == 0 || len(credential) > maxToken:
		return acl.Principal{}, errNotValid
	case strings.HasPrefix(credential, keyPrefix):
		if v.apiKeys == nil {
			return acl.Principal{}, errNotValid
		}
		p, id, err := v.apiKeys.verify(credential, v.now())
		v.used(id, err)
		return p, err
	default:
		return v.verifyJWT(ctx, credential, wait)
	}
}

// used records the use of an API key or token with an ID, unless it was refused.
func (v *Verifier) used(id string, err error) {
	if err == nil && id != "" && v.uses != nil {
		v.uses.note(id, v.now())
	}
}

func (v *Verifier) verifyJWT(ctx context.Context, text string, wait bool) (acl.Principal, error) {
	parsed, c, err := parse(text)
	if err != nil {
		return acl.Principal{}, errNotValid
	}
	var unknown []*trusted // configured entries of this issuer that may have the key after a fetch
	for _, t := range v.issuers {
		// SECURITY: a key is used only with its issuer's algorithm, whatever the token claims.
		if t.Issuer.Issuer != c.Issuer || t.Algorithm != parsed.Method.Alg() {
			continue
		}
		p, err := t.verify(parsed, c, t.find)
		if t.admit != nil { // only these IDs are ours
			v.used(c.ID, err)
		}
		switch {
		case errors.Is(err, errNoKey) && t.await != nil:
			unknown = append(unknown, t)
		case !errors.Is(err, errNoKey) && !errors.Is(err, errOtherKey):
			return p, err
		}
	}
	refused := error(errNotValid)
	for _, t := range unknown { // last, so that a key of another entry waits for no fetch
		p, err := t.verify(parsed, c, func(parsed *jwt.Token) (any, error) { return t.await(ctx, parsed, wait) })
		switch {
		case errors.Is(err, ErrUndecided):
			refused = ErrUndecided // unless another entry gets the key
		case !errors.Is(err, errNoKey) && !errors.Is(err, errOtherKey):
			return p, err
		}
	}
	return acl.Principal{}, refused
}
