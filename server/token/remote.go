package token

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"
)

const (
	// refreshEvery is the default of Issuer.RefreshEvery.
	refreshEvery = time.Hour
	// refreshUnknown is the default of Issuer.RefreshUnknown.
	refreshUnknown = 5 * time.Second
	// refreshBurst is how many fetches tokens with unknown keys may cause at once.
	refreshBurst = 3
	// maxWait is how long a token with an unknown key waits for a fetch. It
	// covers the longest pause between two fetches and an issuer that answers.
	maxWait = 10 * time.Second
	// maxWaiting is how many tokens of one issuer may wait at a time.
	maxWaiting = 256
	// retryFetch is the time between two fetches after one that failed.
	retryFetch = time.Minute
	// fetchTimeout is the time limit of one fetch.
	fetchTimeout = 10 * time.Second
	// maxKeySet is the maximum size of an issuer's answer, in bytes.
	maxKeySet = 1 << 20
	// maxRedirects is how many redirects, within the same origin, a fetch follows.
	maxRedirects = 3
)

// ErrUndecided reports that a token could not be verified because its issuer's
// keys could not be fetched yet. The token may be valid.
var ErrUndecided = errors.New("the keys of the token's issuer could not be fetched yet")

// remoteKeys are the keys behind an issuer's URL. They are fetched at regular intervals, and
// when a token has an unknown key: its key ID is unknown, or it has none and no key verifies
// it. The last good set stays in use until another one is fetched, whatever the issuer does in
// the meantime.
//
// Anyone can send tokens with unknown keys. Therefore fetches run one at a time in a goroutine
// of their own, so that no request can cancel one, and at a limited rate for each issuer. A
// request only waits for the end of a fetch that began after it arrived, within maxWait and
// maxWaiting.
type remoteKeys struct {
	issuer  Issuer
	client  *http.Client
	limiter *rate.Limiter // limits fetches for unknown keys
	log     *slog.Logger
	wake    chan struct{} // capacity 1: a fetch is wanted
	waiting chan struct{} // capacity maxWaiting: holds one element per waiting token

	mu    sync.Mutex
	state keyState
}

// keyState is the state of an issuer's keys at one instant.
type keyState struct {
	set          *keySet       // the last good set; nil: none yet
	begun, ended int           // number of fetches that have begun, and ended
	failed       bool          // whether the last fetch failed
	next         chan struct{} // closed when the running fetch ends, else the next one
}

func (r *remoteKeys) now() keyState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// fetchKeys fetches an issuer's keys now and until ctx is done. It returns after
// the first fetch, which may have failed.
func fetchKeys(ctx context.Context, issuer Issuer, transport http.RoundTripper, log *slog.Logger) *remoteKeys {
	if issuer.RefreshEvery == 0 {
		issuer.RefreshEvery = refreshEvery
	}
	if issuer.RefreshUnknown == 0 {
		issuer.RefreshUnknown = refreshUnknown
	}
	r := &remoteKeys{
		issuer:  issuer,
		client:  &http.Client{Transport: transport, Timeout: fetchTimeout, CheckRedirect: sameOrigin},
		limiter: rate.NewLimiter(rate.Every(issuer.RefreshUnknown), refreshBurst),
		log:     log,
		wake:    make(chan struct{}, 1),
		waiting: make(chan struct{}, maxWaiting),
		state:   keyState{next: make(chan struct{})},
	}
	first := r.state.next
	go r.run(ctx)
	select {
	case <-first:
	case <-ctx.Done():
	}
	return r
}

// sameOrigin refuses redirects to another origin: its owner could choose the
// keys.
func sameOrigin(r *http.Request, via []*http.Request) error {
	from := via[0].URL
	if len(via) > maxRedirects || r.URL.Scheme != from.Scheme || r.URL.Host != from.Host {
		return errors.New("redirected")
	}
	return nil
}

func (r *remoteKeys) run(ctx context.Context) {
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		case <-r.wake:
			if r.limiter.Wait(ctx) != nil {
				return // ctx is done
			}
		}
		if r.refresh(ctx) {
			next.Reset(r.issuer.RefreshEvery)
		} else {
			next.Reset(min(r.issuer.RefreshEvery, retryFetch))
		}
	}
}

// refresh fetches the keys once and wakes the waiting requests. It reports
// whether the fetch succeeded.
func (r *remoteKeys) refresh(ctx context.Context) bool {
	select {
	case <-r.wake: // this fetch serves the request
	default:
	}
	r.mu.Lock()
	r.state.begun++
	r.mu.Unlock()
	set, err := r.fetch(ctx)
	if err != nil && ctx.Err() == nil {
		r.log.WarnContext(ctx, "the keys of a token issuer could not be fetched", "issuer", r.issuer.Issuer, "reason", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.state.set = set
	}
	r.state.failed = err != nil
	r.state.ended++
	close(r.state.next)
	r.state.next = make(chan struct{})
	return err == nil
}

// fetch reads the keys from the issuer. Errors never quote the answer.
func (r *remoteKeys) fetch(ctx context.Context) (*keySet, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.issuer.JWKS, nil)
	if err != nil {
		return nil, errors.New("invalid URL")
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, errors.New("no answer, or a redirect to another server")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxKeySet+1))
	switch {
	case err != nil:
		return nil, errors.New("the answer broke off")
	case len(text) > maxKeySet:
		return nil, errors.New("the answer is too large")
	}
	return parseKeySet(text, r.issuer.Algorithm)
}

// find returns the key of a token from the fetched set.
func (r *remoteKeys) find(t *jwt.Token) (any, error) { return r.now().set.find(t) }

// await returns the key of a token. If there is none, it requests a fetch and, if
// wait is set, waits for a fetch that began after the call. The error is errNoKey
// if that fetch did not find the key, and ErrUndecided if it failed or did not end
// in time.
func (r *remoteKeys) await(ctx context.Context, t *jwt.Token, wait bool) (any, error) {
	at := r.now()
	if key, err := at.set.find(t); err == nil {
		return key, nil
	}
	if !wait {
		r.want()
		return nil, ErrUndecided
	}
	select {
	case r.waiting <- struct{}{}:
		defer func() { <-r.waiting }()
	default:
		return nil, ErrUndecided
	}
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	for first, searched := at.begun+1, at.set; ; {
		now := r.now()
		if now.set != searched { // searching may verify signatures
			if key, err := now.set.find(t); err == nil {
				return key, nil
			}
			searched = now.set
		}
		switch {
		case now.ended >= first && now.failed:
			return nil, ErrUndecided
		case now.ended >= first:
			return nil, errNoKey
		case now.begun == now.ended: // no fetch is running
			r.want()
		}
		select {
		case <-now.next:
		case <-ctx.Done():
			return nil, ErrUndecided
		}
	}
}

// want requests a fetch, which starts as soon as the limiter allows it.
func (r *remoteKeys) want() {
	select {
	case r.wake <- struct{}{}:
	default: // one is already wanted
	}
}
