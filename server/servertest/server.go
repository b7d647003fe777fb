// Package servertest starts servers for the tests of surfaces.
package servertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"mneme/acl"
	"mneme/server"
	"mneme/server/limit"
	"mneme/server/token"
)

// Server is a server under test, with the key that signs its callers' tokens.
type Server struct {
	*server.Server
	Key     *token.LocalKey
	Keyring *token.Keyring // of the server's API keys
	Dir     string         // data directory of the keys
	now     func() time.Time
	t       testing.TB
}

// Open starts a server that checks tokens against the clock now. It sets
// Options.Verifier; Service and Surfaces are required.
func Open(t testing.TB, now func() time.Time, options server.Options) *Server {
	t.Helper()
	dir := t.TempDir()
	key, err := token.OpenLocalKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	apiKeys, err := token.OpenAPIKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	issued, err := token.OpenIssued(dir)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := token.NewVerifier(context.Background(), token.Options{Local: key, APIKeys: apiKeys, Issued: issued, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	options.Verifier = verifier
	if options.Metrics == nil {
		options.Metrics = server.NewMetrics()
	}
	if options.Operators == nil { // the tests, over a connection and with httptest
		options.Operators = limit.Operators{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")}
	}
	return &Server{Server: server.New(options), Key: key, Keyring: verifier.Keyring(), Dir: dir, now: now, t: t}
}

// Token returns a token of p that is valid for an hour.
func (s *Server) Token(p acl.Principal) string {
	s.t.Helper()
	minted, err := s.Key.Mint(p, time.Hour, s.now())
	if err != nil {
		s.t.Fatal(err)
	}
	return minted
}

// Paused calls a handler whose client does not read at first: pause is called when the
// first part of the answer is written. It returns the written bytes, and whether the
// handler then aborted the connection.
func Paused(h http.Handler, r *http.Request, pause func()) (answer *httptest.ResponseRecorder, broken bool) {
	answer = httptest.NewRecorder()
	defer func() { broken = recover() != nil }() // http.ErrAbortHandler
	h.ServeHTTP(&paused{answer, sync.OnceFunc(pause)}, r)
	return answer, false
}

type paused struct {
	*httptest.ResponseRecorder
	pause func()
}

func (p *paused) Write(text []byte) (int, error) {
	p.pause()
	return p.ResponseRecorder.Write(text)
}
