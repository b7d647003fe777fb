package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/server"
	"mneme/server/limit"
	"mneme/server/wire"
)

// long answers with some kilobytes, echoes bodies of up to a kilobyte, and can
// delay. Its route own is same-origin only.
type long struct{ wait time.Duration }

func (l long) Mount(e *echo.Echo) []string {
	e.GET("/long", func(c echo.Context) error {
		return c.JSONBlob(http.StatusOK, []byte(`"`+strings.Repeat("tea ", 1000)+`"`))
	})
	e.POST("/echo", func(c echo.Context) error {
		body, err := wire.ReadBody(c.Request(), 1000)
		if err != nil {
			return err
		}
		return c.Blob(http.StatusOK, wire.ContentJSON, body)
	})
	e.POST("/slow", func(c echo.Context) error {
		for read := make([]byte, 3); ; {
			n, err := c.Request().Body.Read(read)
			time.Sleep(l.wait)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
			if _, err := c.Response().Write(read[:n]); err != nil {
				return err
			}
			c.Response().Flush()
			time.Sleep(l.wait)
		}
		return nil
	})
	e.POST("/own", func(c echo.Context) error { return c.String(http.StatusOK, "own") })
	return []string{"/own"}
}

func (long) SameOrigin() []string { return []string{"/own"} }

func open(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.Service, o.Verifier, o.Metrics = &stub{}, names{}, server.NewMetrics()
	if o.Surfaces == nil {
		o.Surfaces = []server.Surface{long{}}
	}
	return server.New(o)
}

const page = "https://app.example"

func TestPagesOfConfiguredOriginsAlone(t *testing.T) {
	one := open(t, server.Options{CORS: server.CORS{Origins: []string{page}, MaxAge: time.Hour}})
	any := open(t, server.Options{CORS: server.CORS{Origins: []string{"*"}}})
	cookies := open(t, server.Options{CORS: server.CORS{Origins: []string{page}, Credentials: true}})
	none := open(t, server.Options{})
	for name, c := range map[string]struct {
		server         *server.Server
		origin, target string
		want           string // Access-Control-Allow-Origin
	}{
		"the origin":                       {one, page, "/echo", page},
		"another one":                      {one, "https://evil.example", "/echo", ""},
		"one that begins alike":            {one, page + ".evil.example", "/echo", ""},
		"a subdomain":                      {one, "https://a.app.example", "/echo", ""},
		"without TLS":                      {one, "http://app.example", "/echo", ""},
		"a sandbox":                        {one, "null", "/echo", ""},
		"the route of the server's page":   {one, page, "/own", ""},
		"any origin":                       {any, "https://evil.example", "/echo", "*"},
		"any, of the server's page":        {any, page, "/own", ""},
		"what is shown by address":         {any, page, "/metrics", ""},
		"with credentials":                 {cookies, page, "/echo", page},
		"with credentials, another origin": {cookies, "https://evil.example", "/echo", ""},
		"off":                              {none, page, "/echo", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := ask(c.server, http.MethodOptions, c.target, "Origin", c.origin,
				"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,idempotency-key,if-match")
			h := w.Header()
			if got := h.Get("Access-Control-Allow-Origin"); got != c.want {
				t.Errorf("preflight: %q, want %q", got, c.want)
			}
			if c.want != "" && (w.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Methods") != "POST" || !strings.Contains(h.Get("Access-Control-Allow-Headers"), "authorization")) {
				t.Errorf("preflight: %d %v", w.Code, h)
			}
			if credentials := h.Get("Access-Control-Allow-Credentials"); (credentials != "") != (c.server == cookies && c.want != "") {
				t.Errorf("credentials: %q", credentials)
			}
			// The refusal is readable, so that the page learns the reason.
			w = ask(c.server, http.MethodPost, c.target, "Origin", c.origin)
			h = w.Header()
			if got := h.Get("Access-Control-Allow-Origin"); got != c.want {
				t.Errorf("call: %q, want %q", got, c.want)
			}
			if c.want != "" && (w.Code != http.StatusUnauthorized || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "Retry-After")) {
				t.Errorf("call: %d %v", w.Code, h)
			}
			if c.server == one && c.target == "/echo" && !strings.Contains(strings.Join(h.Values("Vary"), ", "), "Origin") {
				t.Errorf("Vary: %v", h.Values("Vary"))
			}
		})
	}
	if w := ask(one, http.MethodOptions, "/echo", "Origin", page, "Access-Control-Request-Method", "TRACE"); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Error("TRACE is allowed")
	}
	if w := ask(one, http.MethodOptions, "/echo", "Origin", page, "Access-Control-Request-Method", "POST"); w.Header().Get("Access-Control-Max-Age") != "3600" {
		t.Errorf("max age %q", w.Header().Get("Access-Control-Max-Age"))
	}
	if w := ask(none, http.MethodOptions, "/echo", "Origin", page, "Access-Control-Request-Method", "POST"); w.Code != http.StatusUnauthorized {
		t.Errorf("a preflight without CORS: %d", w.Code)
	}
}

func TestARequestKeepsItsID(t *testing.T) {
	s, log := newServer(&stub{}, surface{})
	const uuid = "01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a02"
	for given, want := range map[string]string{
		uuid:                    "urn:uuid:" + uuid,
		"a.B-1_":                "urn:mneme:request:a.B-1_",
		strings.Repeat("x", 64): "urn:mneme:request:" + strings.Repeat("x", 64),
		strings.Repeat("x", 65): "",
		"":                      "",
		"secret text":           "",
		"a\"b":                  "",
		"tee\u00e9":             "",
		"{" + uuid + "}":        "",
	} {
		w := ask(s, http.MethodGet, "/nowhere", "Authorization", "Bearer alice", "X-Request-Id", given)
		var p struct{ Instance string }
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		id := w.Header().Get("X-Request-Id")
		if want == "" {
			if want = "urn:uuid:" + id; id == given || len(id) != len(uuid) {
				t.Errorf("%q: the ID is %q", given, id)
			}
		} else if id != given {
			t.Errorf("%q: the ID is %q", given, id)
		}
		if p.Instance != want || !strings.Contains(log.String(), want) {
			t.Errorf("%q: instance %q, want %q, or not in the log", given, p.Instance, want)
		}
	}
	if w := ask(s, http.MethodGet, "/nowhere", "X-Request-Id", "a", "X-Request-Id", "b"); len(w.Header().Get("X-Request-Id")) != len(uuid) {
		t.Errorf("two IDs: %q", w.Header().Get("X-Request-Id"))
	}
	if strings.Contains(log.String(), "secret") {
		t.Error("the log holds what was refused as an ID")
	}
}

// FuzzRequestID checks that the ID in an answer fits in a header and a log.
func FuzzRequestID(f *testing.F) {
	s, _ := newServer(&stub{}, surface{})
	for _, seed := range []string{"a", "01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a02", "a\nb", "é", strings.Repeat("-", 36)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, given string) {
		r := httptest.NewRequest(http.MethodGet, "/nowhere", nil)
		r.Header["X-Request-Id"] = []string{given}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		id := w.Header().Get("X-Request-Id")
		if len(id) == 0 || len(id) > 64 || strings.ContainsFunc(id, func(c rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", c)
		}) {
			t.Errorf("%q gives %q", given, id)
		}
		var p struct{ Instance string }
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || !strings.HasSuffix(p.Instance, id) {
			t.Errorf("%q: instance %q, %v", given, p.Instance, err)
		}
	})
}

func TestLongAnswersAreCompressed(t *testing.T) {
	s := open(t, server.Options{})
	w := ask(s, http.MethodGet, "/long", "Authorization", "Bearer alice", "Accept-Encoding", "gzip")
	packed, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(packed); err != nil || len(text) != 4002 || w.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("%d bytes, %v, %v", len(text), err, w.Header())
	}
	if w := ask(s, http.MethodGet, "/long", "Authorization", "Bearer alice"); w.Body.Len() != 4002 || w.Header().Get("Content-Encoding") != "" {
		t.Errorf("without Accept-Encoding: %v", w.Header())
	}
}

func TestBodiesAreUnpackedForCallersAlone(t *testing.T) {
	s := open(t, server.Options{})
	var zipped, bomb bytes.Buffer
	for text, into := range map[string]*bytes.Buffer{`{"tea":1}`: &zipped, strings.Repeat(" ", 20<<20): &bomb} {
		w := gzip.NewWriter(into)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	post := func(coding, token string, body []byte) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/echo", bytes.NewReader(body))
		r.Header.Set("Content-Encoding", coding)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	if w := post("gzip", "alice", zipped.Bytes()); w.Code != http.StatusOK || w.Body.String() != `{"tea":1}` {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := post("gzip", "alice", bomb.Bytes()); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a bomb: %d %s", w.Code, w.Body)
	}
	if w := post("br", "alice", zipped.Bytes()); w.Code != http.StatusUnsupportedMediaType || w.Header().Get("Accept-Encoding") != "gzip, zstd" {
		t.Errorf("an unknown coding: %d %v", w.Code, w.Header())
	}
	if w := post("br", "bad", zipped.Bytes()); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", w.Code)
	}
}

// Every 503 has a Retry-After.
func TestUnavailabilityEnds(t *testing.T) {
	s, _ := newServer(&stub{away: true}, surface{})
	for target, token := range map[string]string{"/who/x": "alice", "/who/y": "unreadable", "/readyz": ""} {
		var header []string
		if token != "" {
			header = []string{"Authorization", "Bearer " + token}
		}
		w := ask(s, http.MethodGet, target, header...)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}

// run serves on a listener until the test ends.
func run(t *testing.T, s *server.Server, l net.Listener) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// over returns a client that speaks one protocol over connections from dial.
func over(t *testing.T, set func(*http.Protocols), dial func(context.Context, string, string) (net.Conn, error)) *http.Client {
	t.Helper()
	protocols := new(http.Protocols)
	set(protocols)
	transport := &http.Transport{Protocols: protocols, DialContext: dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // a test's certificate
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestHTTP2IsSpokenWithAndWithoutTLS(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	encrypted := &tls.Config{Certificates: certificate.TLS.Certificates, MinVersion: tls.VersionTLS12}
	for name, c := range map[string]struct {
		tls   *tls.Config
		set   func(*http.Protocols)
		major int
	}{
		"HTTP/1.1":            {nil, func(p *http.Protocols) { p.SetHTTP1(true) }, 1},
		"HTTP/2":              {nil, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }, 2},
		"HTTP/1.1 over TLS":   {encrypted, func(p *http.Protocols) { p.SetHTTP1(true) }, 1},
		"HTTP/2 over TLS":     {encrypted, func(p *http.Protocols) { p.SetHTTP2(true) }, 2},
		"whichever, over TLS": {encrypted, func(p *http.Protocols) { p.SetHTTP1(true); p.SetHTTP2(true) }, 2},
		"whichever, in plain": {nil, func(p *http.Protocols) { p.SetHTTP1(true); p.SetHTTP2(true) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test
			if err != nil {
				t.Fatal(err)
			}
			run(t, open(t, server.Options{TLS: c.tls}), l)
			scheme := "http"
			if c.tls != nil {
				scheme = "https"
			}
			client := over(t, c.set, nil)
			for range 2 {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, scheme+"://"+l.Addr().String()+"/echo", strings.NewReader("tea"))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer alice")
				answer, err := client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || string(body) != "tea" || answer.ProtoMajor != c.major {
					t.Errorf("%s: %q, %v", answer.Proto, body, err)
				}
			}
		})
	}
}

// arrivals is a listener for given connections.
type arrivals chan net.Conn

func (a arrivals) Accept() (net.Conn, error) {
	c, ok := <-a
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (a arrivals) Close() error   { return nil }
func (a arrivals) Addr() net.Addr { return new(net.TCPAddr) }

// Time that the server spends between the bytes of a body or an answer does not end an
// HTTP/2 stream; time that the client spends does.
func TestStreamsEndWhenTheClientStallsAlone(t *testing.T) {
	const stall = 30 * time.Second
	for name, c := range map[string]struct {
		wait    time.Duration // of the server
		stalls  bool          // the client
		wantErr bool
	}{
		"a slow server":   {wait: 10 * stall},
		"a slow client":   {stalls: true, wantErr: true},
		"neither is slow": {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := make(arrivals, 1)
				client, conn := net.Pipe()
				l <- conn
				s := server.New(server.Options{
					Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics(), Surfaces: []server.Surface{long{wait: c.wait}},
					Timeouts: server.Timeouts{Stall: limit.Stall{Timeout: stall}}, Log: slog.New(slog.DiscardHandler),
				})
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- s.Serve(ctx, l) }()
				http2 := over(t, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }, func(context.Context, string, string) (net.Conn, error) { return client, nil })
				body, send := io.Pipe()
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					defer send.Close()
					for range 5 {
						if c.stalls {
							time.Sleep(2 * stall)
						}
						if _, err := send.Write([]byte("tea")); err != nil {
							return
						}
					}
				}()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://mneme/slow", body)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer alice")
				answer, err := http2.Do(r)
				var text []byte
				if err == nil {
					text, err = io.ReadAll(answer.Body)
					answer.Body.Close()
					if answer.StatusCode != http.StatusOK {
						err = errors.Join(err, os.ErrDeadlineExceeded)
					}
				}
				if (err != nil) != c.wantErr || !c.wantErr && string(text) != strings.Repeat("tea", 5) {
					t.Errorf("%q, %v", text, err)
				}
				body.Close()
				<-sent
				http2.CloseIdleConnections()
				client.Close()
				stop()
				close(l)
				if err := <-ended; err != nil && !errors.Is(err, net.ErrClosed) {
					t.Error(err)
				}
				synctest.Wait()
			})
		})
	}
}
