package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	client "mneme/clients/go"
	"mneme/clients/go/api"
)

// open returns a client of a server that answers with handler.
func open(t testing.TB, handler http.HandlerFunc) *client.Client {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = nil
	server.Start()
	t.Cleanup(server.Close)
	c, err := client.New(server.URL+"/", client.Options{Token: client.StaticToken("token")})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer writes a JSON response.
func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, body)
}

// read returns the body of a request.
func read(t testing.TB, r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return string(body)
}

var note = client.Path{Store: "self", Namespace: "n", Key: "diet/anna?x=1#y"}

func TestAddressesMustBeURLsOfServers(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:7077", "ftp://host", "http://", "http://host?q", "http://host#f", "http://%"} {
		if _, err := client.New(address, client.Options{}); !errors.Is(err, client.ErrAddress) {
			t.Errorf("%q: got %v", address, err)
		}
	}
	c, err := client.New("https://host:7077/below", client.Options{})
	if err != nil || c.Host() != "host:7077" {
		t.Errorf("got %v, %v", c, err)
	}
}

func TestPutSendsTheValueByteForByte(t *testing.T) {
	const value = `{ "z" : 1.50, "a":[ "<é\u00e9>" ] }`
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut || r.URL.EscapedPath() != "/v1/stores/self/memories/-" || r.URL.Query().Get("key") != "diet/anna?x=1#y" || r.URL.Query().Get("namespace") != "n" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer token" {
			t.Errorf("authorized by %q", got)
		}
		if got, want := read(t, r), `{"tags":["<t>"],"value":`+value+`}`; got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
		w.Header().Set("ETag", `"7"`)
		answer(w, http.StatusCreated, `{"key":"k","value":`+value+`}`)
	})
	stored, err := c.Put(t.Context(), note, api.Write{Value: []byte(value), Tags: &api.Tags{"<t>"}}, client.Conditions{})
	if err != nil || stored.ETag != "7" || !stored.Created || string(stored.Value) != value {
		t.Errorf("got %+v, %v", stored, err)
	}
	if _, err := c.Put(t.Context(), note, api.Write{Value: []byte("{")}, client.Conditions{}); err == nil {
		t.Error("a value that is not JSON was sent")
	}
}

func TestConditionsAreHeaders(t *testing.T) {
	var match, noneMatch string
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		match, noneMatch = r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
		w.WriteHeader(http.StatusNoContent)
	})
	for on, want := range map[client.Conditions]string{{}: "|", {Match: "7"}: `"7"|`, {New: true}: "|*"} {
		if err := c.Delete(t.Context(), note, on); err != nil || match+"|"+noneMatch != want {
			t.Errorf("%+v: sent %s|%s, %v", on, match, noneMatch, err)
		}
	}
}

func TestDotSegmentsAreNotSent(t *testing.T) {
	c := open(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent %s", r.URL) })
	for _, path := range []client.Path{{Store: "..", Key: "k"}, {Store: "s", Key: ".."}, {Store: "s"}} {
		if _, _, err := c.Get(t.Context(), path); !errors.Is(err, client.ErrPath) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := c.ExportLines(t.Context(), "..", nil); !errors.Is(err, client.ErrPath) {
		t.Errorf("got %v", err)
	}
}

func TestSearchReadsTheTimingOfItsSteps(t *testing.T) {
	timing := "queue;dur=0.5, embed;dur=12, total;dur=20.25, unknown;dur=1, rank"
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		if timing != "" {
			w.Header().Set("Server-Timing", timing)
		}
		answer(w, http.StatusOK, `{"hits":[{"key":"k","value":1}]}`)
	})
	for range 2 {
		found, got, err := c.Search(t.Context(), api.Question{Query: new("q"), Explain: client.ExplainHits()})
		if err != nil || len(found.Hits) != 1 || found.Hits[0].Key != "k" {
			t.Fatalf("got %+v, %v", found, err)
		}
		want := client.Timing{Queue: 500 * time.Microsecond, Embed: 12 * time.Millisecond, Total: 20250 * time.Microsecond}
		if (timing == "") != (got == nil) || got != nil && *got != want {
			t.Errorf("of %q: %+v", timing, got)
		}
		timing = ""
	}
}

func TestABatchIsSentWithItsKeyAndReadByIndex(t *testing.T) {
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Idempotency-Key"); got != "once" {
			t.Errorf("the key is %q", got)
		}
		want := `{"items":[{"key":"a","op":"put","value":{ "b" : 1 }},{"key":"c","op":"get"}],"atomic":true}`
		if got := read(t, r); got != want {
			t.Errorf("sent %s", got)
		}
		answer(w, http.StatusOK, `{"outcomes":[{"status":201},{"status":404,"problem":{"status":404}}]}`)
	})
	outcomes, err := c.Batch(t.Context(), "self", []api.BatchItem{
		{Op: api.OpPut, Key: "a", Value: []byte(`{ "b" : 1 }`)}, {Op: api.OpGet, Key: "c"},
	}, true, "once")
	if err != nil || len(outcomes) != 2 || outcomes[0].Status != 201 || outcomes[1].Problem == nil {
		t.Errorf("got %+v, %v", outcomes, err)
	}
}

func TestOtherCallsAreDecodedOrDiscarded(t *testing.T) {
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, http.StatusOK, `{"grants":[{"grantee":"bob"}]}`)
	})
	grants, err := client.Decode[api.Grants](c.ListGrants(t.Context(), "self", nil))
	if err != nil || len(grants.Grants) != 1 || grants.Grants[0].Grantee != "bob" {
		t.Errorf("got %+v, %v", grants, err)
	}
	if err := client.Discard(c.DeleteGrant(t.Context(), "self", "bob", nil)); err != nil {
		t.Error(err)
	}
}

func TestAProblemBecomesAnError(t *testing.T) {
	c := open(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"status":429,"title":"Too many requests","detail":"wait","instance":"r1"}`)
	})
	_, _, err := c.Get(t.Context(), note)
	var refused *client.Error
	if !errors.As(err, &refused) || client.StatusOf(err) != 429 || refused.RetryAfter != 3*time.Second || refused.Reason() != "wait" {
		t.Fatalf("got %+v", err)
	}
	if want := "server " + c.Host() + ": status 429, Too many requests: wait (request r1)"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

// SECURITY: errors can be logged, whatever the failure.
func TestErrorsNeverIncludeStoreTokenOrText(t *testing.T) {
	const secret = "xyzzy"
	path := client.Path{Store: secret, Namespace: secret, Key: secret}
	for name, handler := range map[string]http.HandlerFunc{
		"no problem": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, secret, http.StatusBadGateway) },
		"no JSON":    func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `["`+secret+`"]`) },
		"broken off": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"value": "`+secret)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		"closed": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, handler)
			_, _, get := c.Get(t.Context(), path)
			_, put := c.Put(t.Context(), path, api.Write{Value: []byte(`"` + secret + `"`)}, client.Conditions{})
			_, _, search := c.Search(t.Context(), api.Question{Query: new(secret)})
			_, imported := c.Import(t.Context(), secret, lines(1))
			calls := map[string]error{"get": get, "put": put, "search": search, "import": imported}
			for _, err := range c.Export(t.Context(), secret, nil) {
				calls["export"] = err
			}
			for call, err := range calls {
				if err == nil || strings.Contains(err.Error(), secret) {
					t.Errorf("%s: got %v", call, err)
				}
			}
		})
	}
	if _, err := client.New("ftp://user:"+secret+"@host", client.Options{}); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("got %v", err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := open(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"key":`)
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	if _, _, err := c.Get(ctx, note); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNoRequestIsSentWithoutItsToken(t *testing.T) {
	none := errors.New("no token")
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("sent") }))
	defer server.Close()
	c, err := client.New(server.URL, client.Options{Token: func(context.Context) (string, error) { return "", none }})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Get(t.Context(), note); !errors.Is(err, none) {
		t.Errorf("got %v", err)
	}
}

func TestAServerIsReachedOverItsSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", path) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer t" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"stores":[]}`)
		}),
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
	c, err := client.New("unix://"+path, client.Options{Token: client.StaticToken("t")})
	if err != nil {
		t.Fatal(err)
	}
	if c.Host() != path {
		t.Errorf("the host is %q", c.Host())
	}
	if stores, err := client.Decode[api.Stores](c.ListStores(t.Context(), nil)); err != nil || stores.Stores == nil {
		t.Errorf("%+v, %v", stores, err)
	}
	for _, address := range []string{"unix:", "unix://", "unix://host/path", "unix:///p?q=1", "unix:relative"} {
		if _, err := client.New(address, client.Options{}); !errors.Is(err, client.ErrAddress) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
