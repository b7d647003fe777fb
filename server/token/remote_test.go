package token_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"mneme/acl"
	"mneme/server/token"
	"mneme/test/pipe"
)

// network connects a verifier with the servers of its issuers through pipes: within
// a synctest bubble, time passes only while they are idle.
type network struct {
	http.Transport
	mu      sync.Mutex
	servers map[string]*pipe.Listener // by host and port
}

// simulated runs a test in a bubble with its own clock and network.
func simulated(t *testing.T, test func(t *testing.T, n *network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &network{servers: make(map[string]*pipe.Listener)}
		n.DialContext = n.dial
		t.Cleanup(n.CloseIdleConnections)
		test(t, n)
	})
}

func (n *network) dial(ctx context.Context, protocol, address string) (net.Conn, error) {
	n.mu.Lock()
	listener := n.servers[address]
	n.mu.Unlock()
	if listener == nil {
		return nil, errors.New("nothing listens at " + address)
	}
	return listener.DialContext(ctx, protocol, address)
}

// keyServer is an issuer's server. Its answer can be changed at any time.
type keyServer struct {
	URL     string
	answer  atomic.Pointer[http.HandlerFunc]
	fetches atomic.Int64
}

// newKeyServer starts a server at a loopback address without a port.
func (n *network) newKeyServer(t *testing.T, host string) *keyServer {
	t.Helper()
	s, listener := &keyServer{URL: "http://" + host}, pipe.Listen()
	n.mu.Lock()
	n.servers[host+":80"] = listener
	n.mu.Unlock()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fetches.Add(1)
		(*s.answer.Load())(w, r)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return s
}

func (s *keyServer) respond(answer http.HandlerFunc) { s.answer.Store(&answer) }

// serve makes the server answer with the public keys of signers.
func (s *keyServer) serve(signers ...signer) {
	s.respond(func(w http.ResponseWriter, _ *http.Request) { w.Write(keySetOf(signers...)) })
}

// signer is an Ed25519 key with its ID.
type signer struct {
	kid string
	key ed25519.PrivateKey
}

func newSigner(kid string) signer {
	seed := make([]byte, ed25519.SeedSize)
	copy(seed, kid)
	return signer{kid, ed25519.NewKeyFromSeed(seed)}
}

func keySetOf(signers ...signer) []byte {
	keys := []string{}
	for _, s := range signers {
		keys = append(keys, fmt.Sprintf(`{"kty":"OKP","crv":"Ed25519","kid":%q,"x":%q}`, s.kid, b64(s.key.Public().(ed25519.PublicKey))))
	}
	return []byte(`{"keys":[` + strings.Join(keys, ",") + `]}`)
}

// sign signs a token of the issuer for the agent "a".
func (s signer) sign(t *testing.T, issuer string) string {
	t.Helper()
	return sign(t, jwt.SigningMethodEdDSA, s.kid, s.key, facts{"iss": issuer, "aud": "memory", "sub": "a", "exp": noon.Add(time.Hour).Unix()})
}

const idTest = "https://id.test"

// issuerAt returns an issuer with its keys at a URL.
func issuerAt(url string) token.Issuer {
	return token.Issuer{
		Issuer: idTest, Audience: "memory", Algorithm: "EdDSA", JWKS: url, Subjects: []string{"*"},
		RefreshEvery: time.Hour, RefreshUnknown: 20 * time.Millisecond,
	}
}

func (n *network) verifierOf(t *testing.T, log *slog.Logger, issuers ...token.Issuer) *token.Verifier {
	t.Helper()
	v, err := token.NewVerifier(t.Context(), token.Options{Issuers: issuers, Transport: n, Now: at(noon), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func admits(t *testing.T, v *token.Verifier, text string) {
	t.Helper()
	p, err := v.Verify(t.Context(), text)
	check(t, p, err, &acl.Principal{Agent: "a", Taint: acl.Public})
}

func refuses(t *testing.T, v *token.Verifier, text string) {
	t.Helper()
	p, err := v.Verify(t.Context(), text)
	check(t, p, err, nil)
}

// flood forges tokens, with unknown key IDs and without one, from several callers
// until stop is called. Every second caller disconnects before its answer.
func flood(t *testing.T, v *token.Verifier, issuer string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for caller := range 8 {
		wait.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				ctx, leave := ctx, func() {}
				if caller%2 == 0 {
					ctx, leave = context.WithTimeout(ctx, time.Millisecond)
				}
				forger := newSigner(fmt.Sprintf("forged-%d-%d", caller, n))
				if caller < 4 {
					forger.kid = ""
				}
				if _, err := v.Verify(ctx, forger.sign(t, issuer)); err == nil {
					t.Error("a forged token was accepted")
				}
				leave()
			}
		})
	}
	return func() {
		cancel()
		wait.Wait()
	}
}

func TestForgedKeyIDsPostponeNoRotation(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, former, latter := n.newKeyServer(t, "127.0.0.1"), newSigner("former"), newSigner("latter")
		server.serve(former)
		v := n.verifierOf(t, nil, issuerAt(server.URL))
		admits(t, v, former.sign(t, idTest))
		stop := flood(t, v, idTest)
		defer stop()
		for rotation := range 5 {
			for range 20 {
				admits(t, v, former.sign(t, idTest)) // known keys never wait
			}
			latter = newSigner(fmt.Sprintf("latter-%d", rotation))
			server.serve(former, latter)
			admits(t, v, latter.sign(t, idTest)) // waits for the next fetch
		}
		server.serve(latter)
		newest := newSigner("newest")
		server.serve(latter, newest)
		admits(t, v, newest.sign(t, idTest))
		refuses(t, v, former.sign(t, idTest)) // it was removed
	})
}

func TestFetchesThatUnknownKeysCauseAreRare(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, known := n.newKeyServer(t, "127.0.0.1"), newSigner("known")
		server.serve(known)
		issuer := issuerAt(server.URL)
		issuer.RefreshUnknown = time.Hour
		v := n.verifierOf(t, nil, issuer)
		for n := range 3 { // the burst
			refuses(t, v, newSigner(fmt.Sprint("forged-", n)).sign(t, idTest))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := v.Verify(ctx, newSigner("forged").sign(t, idTest)); !errors.Is(err, token.ErrUndecided) {
			t.Errorf("got %v", err)
		}
		if n := server.fetches.Load(); n != 1+3 {
			t.Errorf("%d fetches, want one at the start and three", n)
		}
		admits(t, v, known.sign(t, idTest))
	})
}

func TestCallersWithUnknownKeysShareAFetch(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, known, unknown := n.newKeyServer(t, "127.0.0.1"), newSigner("known"), newSigner("unknown")
		server.serve(known)
		v := n.verifierOf(t, nil, issuerAt(server.URL))
		release := make(chan struct{})
		server.respond(func(w http.ResponseWriter, _ *http.Request) {
			<-release
			w.Write(keySetOf(known, unknown))
		})
		var wait sync.WaitGroup
		for range 100 {
			wait.Go(func() { admits(t, v, unknown.sign(t, idTest)) })
		}
		synctest.Wait()                     // until all wait for the fetch
		admits(t, v, known.sign(t, idTest)) // during the fetch
		close(release)
		wait.Wait()
		// A caller may have asked for another fetch after the first one began.
		if n := server.fetches.Load(); n > 1+2 {
			t.Errorf("%d fetches", n)
		}
	})
}

func TestOnlySoManyTokensWaitForKeys(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, known := n.newKeyServer(t, "127.0.0.1"), newSigner("known")
		server.serve(known)
		v := n.verifierOf(t, nil, issuerAt(server.URL))
		release := make(chan struct{})
		server.respond(func(w http.ResponseWriter, _ *http.Request) { <-release })
		var wait sync.WaitGroup
		defer wait.Wait()
		defer close(release)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		forged := newSigner("forged").sign(t, idTest)
		var undecided atomic.Int64
		for range 1000 {
			wait.Go(func() {
				if _, err := v.Verify(ctx, forged); errors.Is(err, token.ErrUndecided) {
					undecided.Add(1)
				}
			})
		}
		synctest.Wait()
		if n := undecided.Load(); n != 1000-256 {
			t.Errorf("%d of 1000 tokens do not wait, want all but 256", n)
		}
		admits(t, v, known.sign(t, idTest))
	})
}

func TestATokenThatMayNotWaitStillCausesAFetch(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, former, latter := n.newKeyServer(t, "127.0.0.1"), newSigner("former"), newSigner("latter")
		server.serve(former)
		v := n.verifierOf(t, nil, issuerAt(server.URL))
		release := make(chan struct{})
		server.respond(func(w http.ResponseWriter, _ *http.Request) {
			<-release
			w.Write(keySetOf(former, latter))
		})
		text := latter.sign(t, idTest)
		if _, err := v.VerifyAtOnce(t.Context(), text); !errors.Is(err, token.ErrUndecided) {
			t.Errorf("got %v", err)
		}
		p, err := v.VerifyAtOnce(t.Context(), former.sign(t, idTest))
		check(t, p, err, &acl.Principal{Agent: "a", Taint: acl.Public})
		close(release)
		synctest.Wait()
		if _, err := v.VerifyAtOnce(t.Context(), text); err != nil {
			t.Errorf("after %d fetches: %v", server.fetches.Load(), err)
		}
	})
}

func TestIssuersDoNotShareTheirFetches(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		attacked, other := n.newKeyServer(t, "127.0.0.1"), n.newKeyServer(t, "127.0.0.2")
		former, latter := newSigner("former"), newSigner("latter")
		attacked.serve(former)
		other.serve(former)
		first, second := issuerAt(attacked.URL), issuerAt(other.URL)
		first.RefreshUnknown, second.RefreshUnknown = time.Hour, time.Hour
		second.Issuer = "https://other.test"
		v := n.verifierOf(t, nil, first, second)
		stop := flood(t, v, idTest)
		defer stop()
		time.Sleep(100 * time.Millisecond) // its burst is used up
		if n := attacked.fetches.Load(); n != 1+3 {
			t.Fatalf("%d fetches of the attacked issuer, want one at the start and three", n)
		}
		other.serve(latter)
		admits(t, v, latter.sign(t, second.Issuer))
		refuses(t, v, former.sign(t, second.Issuer))
		admits(t, v, former.sign(t, idTest))
	})
}

func TestTheLastGoodKeysServeWhateverTheIssuerAnswers(t *testing.T) {
	const elsewhere = "127.0.0.2" // the host of another server
	known, stranger := newSigner("known"), newSigner("stranger")
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
	}
	strangers := string(keySetOf(stranger))
	many := make([]signer, 101)
	for i := range many {
		many[i] = newSigner(fmt.Sprint("many-", i))
	}
	for name, answer := range map[string]http.HandlerFunc{
		"an error": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, strangers)
		},
		"nothing":              text(""),
		"a page":               text("<html>Sorry</html>"),
		"half a set":           text(strangers[:len(strangers)-3]),
		"something behind":     text(strangers + strangers),
		"no keys":              text(`{}`),
		"an empty set":         text(`{"keys":[]}`),
		"null":                 text(`null`),
		"keys of other kinds":  text(`{"keys":[{"kty":"EC","kid":"stranger"},{"kty":"new"}]}`),
		"keys for encryption":  text(strings.ReplaceAll(strangers, `"kid"`, `"use":"enc","kid"`)),
		"keys of an algorithm": text(strings.ReplaceAll(strangers, `"kid"`, `"alg":"ES256","kid"`)),
		"a shared secret":      text(`{"keys":[{"kty":"oct","kid":"stranger","k":"c2VjcmV0"}]}`),
		"a kid twice":          text(string(keySetOf(stranger, stranger))),
		"too many keys":        text(string(keySetOf(many...))),
		"a huge answer":        text(strings.TrimSuffix(strangers, "}") + strings.Repeat(" ", 1<<20) + "}"),
		"a redirect elsewhere": http.RedirectHandler("http://"+elsewhere, http.StatusFound).ServeHTTP,
		"a redirect to itself": http.RedirectHandler("/again", http.StatusFound).ServeHTTP,
		"a broken connection":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			simulated(t, func(t *testing.T, n *network) {
				server, other := n.newKeyServer(t, "127.0.0.1"), n.newKeyServer(t, elsewhere)
				other.serve(stranger)
				server.serve(known)
				var log bytes.Buffer
				v := n.verifierOf(t, slog.New(slog.NewTextHandler(&log, nil)), issuerAt(server.URL))
				server.respond(answer)
				p, err := v.Verify(t.Context(), stranger.sign(t, idTest))
				if !errors.Is(err, token.ErrUndecided) {
					t.Errorf("got %+v, %v", p, err)
				}
				admits(t, v, known.sign(t, idTest))
				server.serve(known, stranger)
				admits(t, v, stranger.sign(t, idTest)) // it has recovered
				if !strings.Contains(log.String(), "could not be fetched") || strings.Contains(log.String(), "Sorry") {
					t.Errorf("log: %s", &log)
				}
				if other.fetches.Load() != 0 {
					t.Error("a redirect to another server was followed")
				}
			})
		})
	}
}

func TestARedirectWithinTheIssuersServerIsFollowed(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, known := n.newKeyServer(t, "127.0.0.1"), newSigner("known")
		server.respond(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/keys" {
				http.Redirect(w, r, "/keys", http.StatusFound)
				return
			}
			w.Write(keySetOf(known))
		})
		admits(t, n.verifierOf(t, nil, issuerAt(server.URL)), known.sign(t, idTest))
	})
}

func TestAnIssuerThatIsAwayAtTheStartIsAskedAgain(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, known := n.newKeyServer(t, "127.0.0.1"), newSigner("known")
		server.respond(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		v := n.verifierOf(t, nil, issuerAt(server.URL))
		if _, err := v.Verify(t.Context(), known.sign(t, idTest)); !errors.Is(err, token.ErrUndecided) {
			t.Errorf("got %v", err)
		}
		server.serve(known)
		admits(t, v, known.sign(t, idTest))
	})
}

func TestKeysThatTheIssuerRemovedEndWithTheNextFetch(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, former, latter := n.newKeyServer(t, "127.0.0.1"), newSigner("former"), newSigner("latter")
		server.serve(former, latter)
		issuer := issuerAt(server.URL)
		v := n.verifierOf(t, nil, issuer)
		server.serve(latter)
		time.Sleep(issuer.RefreshEvery - time.Second)
		admits(t, v, former.sign(t, idTest))
		time.Sleep(2 * time.Second) // nothing but time causes this fetch
		synctest.Wait()
		if n := server.fetches.Load(); n != 2 {
			t.Errorf("%d fetches, want two", n)
		}
		refuses(t, v, former.sign(t, idTest))
		admits(t, v, latter.sign(t, idTest))
	})
}

func TestTokensWithoutAKeyIDAreCheckedAgainstAllKeys(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, first, second := n.newKeyServer(t, "127.0.0.1"), newSigner("first"), newSigner("second")
		server.serve(first, second)
		v := n.verifierOf(t, nil, issuerAt(server.URL))
		admits(t, v, signer{"", second.key}.sign(t, idTest))
		refuses(t, v, signer{"", newSigner("stranger").key}.sign(t, idTest))
	})
}

func TestTokensWithoutAKeyIDWaitForARotationToo(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, former, latter := n.newKeyServer(t, "127.0.0.1"), newSigner("former"), newSigner("latter")
		server.serve(former)
		v := n.verifierOf(t, nil, issuerAt(server.URL))
		unnamed := func(s signer) string { return signer{"", s.key}.sign(t, idTest) }
		server.serve(latter)
		admits(t, v, unnamed(latter))
		refuses(t, v, unnamed(former))
		stop := flood(t, v, idTest)
		defer stop()
		for rotation := range 5 {
			for range 20 {
				admits(t, v, unnamed(latter)) // known keys never wait
			}
			latter = newSigner(fmt.Sprintf("latter-%d", rotation))
			server.serve(latter)
			admits(t, v, unnamed(latter))
		}
	})
}

func TestATokenWithoutAKeyIDThatMayNotWaitStillCausesAFetch(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		server, former, latter := n.newKeyServer(t, "127.0.0.1"), newSigner("former"), newSigner("latter")
		server.serve(former)
		v := n.verifierOf(t, nil, issuerAt(server.URL))
		server.serve(latter)
		text := signer{"", latter.key}.sign(t, idTest)
		if _, err := v.VerifyAtOnce(t.Context(), text); !errors.Is(err, token.ErrUndecided) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if _, err := v.VerifyAtOnce(t.Context(), text); err != nil {
			t.Errorf("after %d fetches: %v", server.fetches.Load(), err)
		}
	})
}

// If one of two entries of an issuer has the key, it decides at once.
func TestAKnownKeyDoesNotWaitForAnotherEntry(t *testing.T) {
	simulated(t, func(t *testing.T, n *network) {
		first, second := n.newKeyServer(t, "127.0.0.1"), n.newKeyServer(t, "127.0.0.2")
		one, two := newSigner("one"), newSigner("two")
		first.serve(one)
		second.serve(two)
		v := n.verifierOf(t, nil, issuerAt(first.URL), issuerAt(second.URL))
		for _, s := range []signer{one, two, {"", one.key}, {"", two.key}} {
			admits(t, v, s.sign(t, idTest))
		}
		synctest.Wait()
		if n := first.fetches.Load() + second.fetches.Load(); n != 2 {
			t.Errorf("%d fetches, want those at the start", n)
		}
	})
}

// Whatever set an issuer sends, a token that it did not sign is refused.
func FuzzKeySets(f *testing.F) {
	known := newSigner("known")
	f.Add(keySetOf(known))
	f.Add([]byte(`{"keys":[{"kty":"RSA","kid":"known","n":"AQAB","e":"AQAB"},{"kty":"EC","crv":"P-256","x":"","y":""}]}`))
	f.Add([]byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA","x5c":["AA"]},{"kty":"oct","k":"AA"}]}`))
	f.Fuzz(func(t *testing.T, set []byte) {
		for _, algorithm := range []string{"EdDSA", "RS256", "ES256"} {
			v, err := token.NewVerifier(context.Background(), token.Options{Now: at(noon), Issuers: []token.Issuer{{
				Issuer: idTest, Audience: "memory", Algorithm: algorithm, JWKSet: json.RawMessage(set), Subjects: []string{"*"},
			}}})
			if err != nil || len(set) == 0 {
				continue
			}
			p, err := v.Verify(context.Background(), newSigner("stranger").sign(t, idTest))
			check(t, p, err, nil)
		}
	})
}
