package goclient_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/server"
	"mneme/server/inprocess"
	"mneme/server/rest"
	"mneme/server/token"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/test/backendtest"
)

// start returns the handler of a server over an empty database, and a token for the
// agent alice. The server has no model: searches are lexical.
func start(t testing.TB) (handler http.Handler, bearer string) {
	t.Helper()
	service, err := backendtest.NewProcess(t.Context(), sqlitetest.Open(t), backendtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key, err := token.OpenLocalKey(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := token.NewVerifier(t.Context(), token.Options{Local: key})
	if err != nil {
		t.Fatal(err)
	}
	metrics := server.NewMetrics()
	surface, err := rest.New(service.Service, service.Market, metrics, 0)
	if err != nil {
		t.Fatal(err)
	}
	bearer, err = key.Mint(acl.Principal{Agent: "alice", Taint: acl.Public}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return server.New(server.Options{
		Service: service, Verifier: verifier, Metrics: metrics, Surfaces: []server.Surface{surface},
	}), bearer
}

// listen serves a handler on a network connection, and returns its address.
func listen(t testing.TB, handler http.Handler) string {
	listening := httptest.NewServer(handler)
	t.Cleanup(listening.Close)
	return listening.URL
}

// each runs a test over a network connection, and again in process.
func each(t *testing.T, test func(t *testing.T, c *client.Client)) {
	t.Run("network", func(t *testing.T) {
		handler, bearer := start(t)
		test(t, open(t, listen(t, handler), bearer, nil))
	})
	t.Run("process", func(t *testing.T) {
		handler, bearer := start(t)
		transport := inprocess.New(handler)
		t.Cleanup(transport.Wait)
		test(t, open(t, "http://mneme", bearer, &http.Client{Transport: transport}))
	})
}

func open(t testing.TB, address, bearer string, h *http.Client) *client.Client {
	t.Helper()
	c, err := client.New(address, client.Options{Token: client.StaticToken(bearer), HTTP: h})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
