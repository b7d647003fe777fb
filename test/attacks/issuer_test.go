package attacks

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mneme/test/size"
	"mneme/test/wait"
)

// issuer is a token issuer with its key server.
type issuer struct {
	*httptest.Server
	name   string
	keys   atomic.Pointer[[]byte] // the answer of the key server; nil: none
	signed ed25519.PrivateKey     // the current signing key
	kid    string
	asked  atomic.Int64                  // counts fetches of the keys
	held   atomic.Pointer[chan struct{}] // fetches block until it is closed; nil: they do not block
	mu     sync.Mutex                    // guards signed and kid
	// interval is refresh_unknown in the configuration; empty: not set
	interval string
}

// newIssuer starts an issuer with a first key.
func newIssuer(t *testing.T, name string) *issuer {
	t.Helper()
	i := &issuer{name: name}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i.asked.Add(1)
		if held := i.held.Load(); held != nil {
			<-*held
		}
		keys := i.keys.Load()
		if keys == nil {
			panic(http.ErrAbortHandler)
		}
		w.Write(*keys)
	}))
	t.Cleanup(i.Close)
	i.rotate(t)
	return i
}

// hold makes the issuer delay all fetches until release is called.
func (i *issuer) hold() (release func()) {
	held := make(chan struct{})
	i.held.Store(&held)
	return sync.OnceFunc(func() {
		i.held.Store(nil)
		close(held)
	})
}

// rotate replaces the issuer's only key.
func (i *issuer) rotate(t *testing.T) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	x := base64.RawURLEncoding.EncodeToString(public)
	i.mu.Lock()
	i.signed, i.kid = private, x[:8]
	i.mu.Unlock()
	i.keys.Store(new([]byte(fmt.Sprintf(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":%q,"x":%q}]}`, i.kid, x))))
}

// token signs a token for an agent. kid may be unknown to the issuer.
func (i *issuer) token(t *testing.T, agent, kid string) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{
		"iss": i.name, "aud": "mneme", "sub": agent, "exp": time.Now().Add(time.Hour).Unix(),
	})
	token.Header["kid"] = kid
	i.mu.Lock()
	signed := i.signed
	i.mu.Unlock()
	text, err := token.SignedString(signed)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// trusting configures trusted issuers.
func trusting(t *testing.T, issuers ...*issuer) option {
	t.Helper()
	type entry map[string]any
	var list []entry
	for _, i := range issuers {
		one := entry{"issuer": i.name, "audience": "mneme", "jwks": i.URL, "algorithm": "EdDSA", "subjects": []string{"*"}}
		if i.interval != "" {
			one["refresh_unknown"] = i.interval
		}
		list = append(list, one)
	}
	text, err := json.Marshal(map[string]any{"auth": map[string]any{"issuers": list}}) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	return config(string(text))
}

// Forged tokens with unknown key IDs make a server fetch the issuer's keys.
// However many arrive, and although half of their senders disconnect at once, the
// server accepts the issuer's new key after the next fetch, and serves tokens of
// known keys and other issuers while a fetch hangs.
func TestForgedKeyIDsDoNotBlockValidTokens(t *testing.T) {
	t.Parallel()
	attacked, other := newIssuer(t, "https://id.test"), newIssuer(t, "https://other.test")
	attacked.interval = "1s"
	s := start(t, trusting(t, attacked, other))
	formerly, unaffected := s.bearing(attacked.token(t, "alice", attacked.kid)), s.bearing(other.token(t, "bob", other.kid))
	formerly.put("tea", "I like my tea green, without sugar.").want(t, http.StatusCreated)
	unaffected.put("tea", "I like my tea black, with milk.").want(t, http.StatusCreated)

	began := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	defer flood.Wait()
	defer cancel()
	var forged atomic.Int64
	pause := time.Duration(size.Of(10, 0)) * time.Millisecond // still a hundred times as many tokens as fetches
	for attacker := range 8 {
		flood.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
				}
				patience := time.Minute
				if attacker%2 == 0 {
					patience = 5 * time.Millisecond
				}
				request, leave := context.WithTimeout(ctx, patience)
				status := s.forge(request, attacked.token(t, "alice", fmt.Sprintf("forged-%d-%d", attacker, n)))
				leave()
				if status != 0 && !isRefusal(status) {
					t.Errorf("a forged token is answered with status %d", status)
				}
				forged.Add(1)
			}
		})
	}
	wait.Until(t, "forged tokens arrive", func() error {
		if n := forged.Load(); n < 20 {
			return fmt.Errorf("%d have arrived", n)
		}
		return nil
	})
	// Tokens of known keys wait neither for fetches nor for tokens that wait for fetches:
	// all these calls are answered while one fetch hangs. The server abandons a fetch
	// after ten seconds. On a busy machine the calls may take longer; the test then
	// repeats them during the next fetch.
	meanwhile := false
	for try := 0; try < 3 && !meanwhile; try++ {
		before := attacked.asked.Load()
		release := attacked.hold()
		defer release() // before the issuer is closed
		wait.Until(t, "a fetch hangs", func() error {
			if attacked.asked.Load() == before {
				return errors.New("forged tokens cause no fetch")
			}
			return nil
		})
		before = attacked.asked.Load()
		for range 20 {
			formerly.call(http.MethodGet, memories+"tea", nil).want(t, http.StatusOK)
			unaffected.call(http.MethodGet, memories+"tea", nil).want(t, http.StatusOK)
		}
		meanwhile = attacked.asked.Load() == before
		release()
	}
	if !meanwhile {
		t.Error("calls with known keys wait for fetches")
	}
	attacked.rotate(t)
	latter := s.bearing(attacked.token(t, "alice", attacked.kid))
	wait.Until(t, "a token of the new key is accepted", func() error {
		unaffected.call(http.MethodGet, memories+"tea", nil).want(t, http.StatusOK)
		if r := latter.call(http.MethodGet, memories+"tea", nil); r.status != http.StatusOK {
			return fmt.Errorf("after %d forged tokens, a valid token is answered with %v", forged.Load(), r)
		}
		return nil
	})
	// The same fetch removes the key that was rotated out.
	if r := formerly.call(http.MethodGet, memories+"tea", nil); !isRefusal(r.status) {
		t.Errorf("a token of a removed key is answered with %v", r)
	}

	// The server may make the first fetch, a burst of three, and one fetch a second.
	if n, most := attacked.asked.Load(), 1+3+int64(time.Since(began)/time.Second)+1; n > most {
		t.Errorf("the keys were fetched %d times, want at most %d", n, most)
	} else {
		t.Logf("the keys were fetched %d times in %v", n, time.Since(began).Round(time.Second))
	}
	other.Close()
	unaffected.call(http.MethodGet, memories+"tea", nil).want(t, http.StatusOK)
}

// A server that starts while its issuer is unavailable answers valid tokens with 503, not
// 401. A later malformed key set does not remove known keys.
func TestAnUnavailableOrBrokenIssuerLocksNobodyOut(t *testing.T) {
	t.Parallel()
	i := newIssuer(t, "https://id.test")
	i.interval = "1s"
	good := i.keys.Swap(nil)
	s := start(t, trusting(t, i))
	alice := s.bearing(i.token(t, "alice", i.kid))
	refused := alice.put("tea", "I like my tea green, without sugar.").want(t, http.StatusServiceUnavailable)
	if p := refused.problem(t); p.Type != "urn:mneme:problem:unavailable" || refused.header.Get("Retry-After") == "" {
		t.Errorf("%+v, Retry-After %q", p, refused.header.Get("Retry-After"))
	}
	i.keys.Store(good)
	wait.Until(t, "the token is accepted", func() error {
		if r := alice.put("tea", "I like my tea green, without sugar."); r.status != http.StatusCreated {
			return fmt.Errorf("it is answered with %v", r)
		}
		return nil
	})

	for _, garbage := range []string{"", "{}", `{"keys":[]}`, "<html>", string(*good) + "x"} {
		i.keys.Store(new([]byte(garbage)))
		if status := s.bearing(i.token(t, "alice", "unknown")).call(http.MethodGet, memories+"tea", nil).status; status != http.StatusServiceUnavailable {
			t.Errorf("with the key set %q, a token with an unknown key is answered with %d", garbage, status)
		}
		alice.call(http.MethodGet, memories+"tea", nil).want(t, http.StatusOK)
	}
	i.keys.Store(good)
	s.restart(syscall.SIGKILL)
	alice.call(http.MethodGet, memories+"tea", nil).want(t, http.StatusOK)
}

// isRefusal reports whether a status refuses a token: because it is invalid, because the
// keys are unavailable, or because of the address's limit.
func isRefusal(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
}

// forge sends a forged token and returns the status, or 0 if there is no answer.
func (s *server) forge(ctx context.Context, token string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Address+memories+"tea", nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}
