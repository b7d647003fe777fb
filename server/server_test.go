package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"
	"go.uber.org/goleak"

	"mneme/acl"
	"mneme/indexer"
	"mneme/internal/fairqueue"
	"mneme/memory"
	"mneme/server"
	"mneme/server/limit"
	"mneme/server/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stub is a service that registers everyone but chat-1, and may be unavailable.
type stub struct {
	away      bool
	uncounted bool // the queue
	asked     int
}

func (s *stub) RegisterCaller(_ context.Context, p acl.Principal) error {
	switch {
	case s.away:
		return memory.ErrUnavailable
	case p.Agent == "chat-1":
		return memory.ErrNotCaller
	}
	return nil
}

func (s *stub) SearchLoad() fairqueue.Load { return fairqueue.Load{} }
func (s *stub) ReadLoad() fairqueue.Load   { return fairqueue.Load{} }
func (s *stub) WriteLoad() fairqueue.Load  { return fairqueue.Load{} }
func (s *stub) Activity() memory.Activity  { return memory.Activity{} }

func (s *stub) Status(context.Context) indexer.Status {
	s.asked++
	status := indexer.Status{Storage: !s.away, Vector: true, Serving: "m1", Configured: "m2"}
	if s.away || s.uncounted {
		return status
	}
	status.Counted, status.Queue = true, 3
	status.Waits = indexer.Waits{P50: time.Second, P90: 1100 * time.Millisecond, P99: 1200 * time.Millisecond, Max: 1500 * time.Millisecond}
	return status
}

// names verifies tokens that are agent names.
type names struct{}

func (n names) VerifyAtOnce(ctx context.Context, credential string) (acl.Principal, error) {
	return n.Verify(ctx, credential)
}

func (names) Verify(_ context.Context, credential string) (acl.Principal, error) {
	switch credential {
	case "bad":
		return acl.Principal{}, &token.Refusal{Reason: "the token is not valid"}
	case "unreadable":
		return acl.Principal{}, errors.New("open apikeys.json: permission denied")
	}
	return acl.Principal{Agent: credential, Taint: acl.Public, Platform: credential == "operator"}, nil
}

// surface has one call for each kind of outcome.
type surface struct{ running, release chan struct{} }

func (s surface) Mount(e *echo.Echo) []string {
	e.GET(`/who\:all`, func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	e.GET("/who/:path", func(c echo.Context) error {
		return c.String(http.StatusOK, server.Principal(c.Request().Context()).Agent)
	})
	e.GET("/panic/:path", func(echo.Context) error { panic("a memory: " + "secret text") })
	e.GET("/fail/:path", func(echo.Context) error { return errors.New("secret text") })
	e.GET("/break/:path", func(c echo.Context) error {
		if _, err := c.Response().Write([]byte("half")); err != nil {
			return err
		}
		c.Response().Flush()
		return errors.New("secret text")
	})
	e.GET("/slow/:path", func(c echo.Context) error {
		close(s.running)
		<-s.release
		return c.NoContent(http.StatusNoContent)
	})
	e.GET("/open", func(c echo.Context) error { return c.String(http.StatusOK, "open") })
	return []string{"/open"}
}

// journal is a log that can be read while it is written.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

func newServer(service *stub, s surface) (*server.Server, *journal) {
	log := &journal{}
	return server.New(server.Options{
		Service: service, Verifier: names{}, Metrics: server.NewMetrics(), Surfaces: []server.Surface{s},
		Log: slog.New(slog.NewJSONHandler(log, nil)),
	}), log
}

func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestWhoCallsIsFoundOutBeforeAnythingElse(t *testing.T) {
	s, _ := newServer(&stub{}, surface{})
	tests := []struct {
		rule   string
		target string
		header []string
		status int
	}{
		{"a bearer token", "/who/x", []string{"Authorization", "Bearer alice"}, 200},
		{"the scheme in another case", "/who/x", []string{"Authorization", "bearer alice"}, 200},
		{"a key header", "/who/x", []string{"X-API-Key", "alice"}, 200},
		{"both, the same", "/who/x", []string{"X-API-Key", "alice", "Authorization", "Bearer alice"}, 200},
		{"both, different", "/who/x", []string{"X-API-Key", "alice", "Authorization", "Bearer bob"}, 401},
		{"both, one empty", "/who/x", []string{"X-API-Key", "", "Authorization", "Bearer bob"}, 401},
		{"two bearers", "/who/x", []string{"Authorization", "Bearer alice", "Authorization", "Bearer alice"}, 401},
		{"two keys", "/who/x", []string{"X-API-Key", "alice", "X-API-Key", "alice"}, 401},
		{"another scheme", "/who/x", []string{"Authorization", "Basic alice"}, 401},
		{"no scheme", "/who/x", []string{"Authorization", "alice"}, 401},
		{"an empty bearer", "/who/x", []string{"Authorization", "Bearer "}, 401},
		{"a bad token", "/who/x", []string{"Authorization", "Bearer bad"}, 401},
		{"a chat's id", "/who/x", []string{"Authorization", "Bearer chat-1"}, 401},
		{"none", "/who/x", nil, 401},
		{"none, and an unknown call", "/nowhere", nil, 401},
		{"none, and another method", "/open", nil, 200},
		{"a token, and an unknown call", "/nowhere", []string{"Authorization", "Bearer alice"}, 404},
		{"tokens cannot be checked", "/who/x", []string{"Authorization", "Bearer unreadable"}, 503},
		{"an open call with a bad token", "/open", []string{"Authorization", "Bearer bad"}, 200},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			w := ask(s, "GET", test.target, test.header...)
			if w.Code != test.status {
				t.Fatalf("got %d %s, want %d", w.Code, w.Body, test.status)
			}
			challenge := w.Header().Get("WWW-Authenticate")
			if (w.Code == 401) != strings.HasPrefix(challenge, `Bearer realm="mneme"`) {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
			if w.Code >= 400 && w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("Content-Type: %q", w.Header().Get("Content-Type"))
			}
		})
	}
	if w := ask(s, "GET", "/who/x", "Authorization", "Bearer alice"); w.Body.String() != "alice" {
		t.Errorf("the caller is %q", w.Body)
	}
}

func TestAWrongMethodGetsTheAllowedOnes(t *testing.T) {
	s, _ := newServer(&stub{}, surface{})
	w := ask(s, "DELETE", "/who/x", "Authorization", "Bearer alice")
	if w.Code != 405 || !strings.Contains(w.Header().Get("Allow"), "GET") || !strings.Contains(w.Body.String(), "urn:mneme:problem:method-not-allowed") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestErrorsAndPanicsTellNothing(t *testing.T) {
	s, log := newServer(&stub{}, surface{})
	for _, target := range []string{"/panic/secret?secret=1", "/fail/secret?secret=1"} {
		w := ask(s, "GET", target, "Authorization", "Bearer alice")
		var p struct{ Type, Instance string }
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if w.Code != 500 || p.Type != "urn:mneme:problem:internal" || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		if !strings.Contains(log.String(), p.Instance) || p.Instance != "urn:uuid:"+w.Header().Get("X-Request-Id") {
			t.Errorf("%s: the log does not know request %s", target, p.Instance)
		}
	}
	if strings.Contains(log.String(), "secret") || strings.Contains(log.String(), "alice") {
		t.Errorf("the log holds what it must not: %s", log)
	}
	if !strings.Contains(log.String(), "/panic/:path") || !strings.Contains(log.String(), `"stack"`) {
		t.Error("the log lacks the route or the stack of the panic")
	}
}

func TestALogLineNamesTheRouteAndNothingOfTheRequest(t *testing.T) {
	s, log := newServer(&stub{}, surface{})
	ask(s, "GET", "/who/secret-path?secret=query", "Authorization", "Bearer secret-agent", "X-Request-Id", "secret id")
	ask(s, "SECRET", "/secret-nowhere", "Authorization", "Bearer secret-agent")
	if strings.Contains(strings.ToLower(log.String()), "secret") {
		t.Fatalf("the log holds what it must not: %s", log)
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(strings.SplitN(log.String(), "\n", 2)[0]), &line); err != nil {
		t.Fatal(err)
	}
	ask(s, "GET", "/who:all", "Authorization", "Bearer secret-agent")
	if !strings.Contains(log.String(), `"route":"/who:all"`) {
		t.Errorf("the log lacks the route of a custom method: %s", log)
	}
	if line["method"] != "GET" || line["route"] != "/who/:path" || line["status"] != 200.0 || line["duration_ms"] == nil || line["request_id"] == nil {
		t.Errorf("got %v", line)
	}
}

func TestABrokenAnswerIsNotTakenForAWholeOne(t *testing.T) {
	s, _ := newServer(&stub{}, surface{})
	live := httptest.NewServer(s)
	defer live.Close()
	defer live.Client().CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, live.URL+"/break/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer alice")
	response, err := live.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("read to the end: %q", body)
	}
}

func TestHealthNeedsNoTokenAndIsCorrect(t *testing.T) {
	service := &stub{}
	s, _ := newServer(service, surface{})
	if w := ask(s, "GET", "/livez"); w.Code != 200 {
		t.Errorf("livez: %d", w.Code)
	}
	for range 20 {
		w := ask(s, "GET", "/readyz")
		want := `{"status":"ready","storage":true,"vector":true,"serving":"m1","configured":"m2"}`
		if w.Code != 200 || strings.TrimSpace(w.Body.String()) != want {
			t.Fatalf("readyz: %d %s", w.Code, w.Body)
		}
	}
	if service.asked > 5 {
		t.Errorf("20 calls asked the service %d times", service.asked)
	}
	away, _ := newServer(&stub{away: true}, surface{})
	if w := ask(away, "GET", "/readyz"); w.Code != 503 || !strings.Contains(w.Body.String(), "unready") {
		t.Errorf("away: %d %s", w.Code, w.Body)
	}
	if w := ask(away, "GET", "/who/x", "Authorization", "Bearer alice"); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("a call while the storage is away: %d %v", w.Code, w.Header())
	}
}

func TestCountsOverAllAgentsAreForOperators(t *testing.T) {
	s, _ := newServer(&stub{}, surface{})
	from := server.New(server.Options{
		Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics(),
		Operators: limit.Operators{netip.MustParsePrefix("192.0.2.0/24")}, // httptest's requests come from there
	})
	const backlog = `"queue_depth":3,"queue_lag_s":1.5,"queue_waits_s":{"p50":1,"p90":1.1,"p99":1.2}}`
	for _, test := range []struct {
		who    string
		front  *server.Server
		header []string
		counts bool
	}{
		{"nobody", s, nil, false},
		{"an agent", s, []string{"Authorization", "Bearer alice"}, false},
		{"an agent with a key", s, []string{"X-API-Key", "alice"}, false},
		{"a token of the scope platform", s, []string{"Authorization", "Bearer operator"}, true},
		{"the operators' network", from, nil, true},
		{"a proxy in the operators' network", from, []string{"X-Forwarded-For", "192.0.2.7"}, false},
		{"another proxy there", from, []string{"Forwarded", "for=192.0.2.7"}, false},
		{"a page that a browser there shows", from, []string{"Sec-Fetch-Site", "cross-site"}, false},
	} {
		ready, metrics := ask(test.front, "GET", "/readyz", test.header...), ask(test.front, "GET", "/metrics", test.header...).Body.String()
		if ready.Code != 200 || strings.Contains(ready.Body.String(), "queue") != test.counts || test.counts && !strings.HasSuffix(strings.TrimSpace(ready.Body.String()), backlog) {
			t.Errorf("%s: readyz %d %s", test.who, ready.Code, ready.Body)
		}
		if strings.Contains(metrics, "mneme_queue_entries 3") != test.counts || strings.Contains(metrics, "go_goroutines") != test.counts {
			t.Errorf("%s: metrics %s", test.who, metrics)
		}
		for _, line := range []string{"mneme_storage_up 1", "mneme_vector_up 1", "mneme_reindex_needed 1"} {
			if !strings.Contains(metrics, line) {
				t.Errorf("%s: no line %s", test.who, line)
			}
		}
	}
	for _, path := range []string{"/readyz", "/metrics"} {
		if w := ask(s, "GET", path, "Authorization", "Bearer bad"); w.Code != http.StatusUnauthorized {
			t.Errorf("%s with a bad token: %d", path, w.Code)
		}
	}
}

// A queue that takes too long to count must neither restart a service nor end the alert
// on the queue.
func TestAQueueThatIsNotCountedMakesNothingUnready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &stub{}
		s, _ := newServer(service, surface{})
		for _, uncounted := range []bool{false, true} {
			service.uncounted = uncounted
			time.Sleep(time.Minute) // the status is read again
			ready := ask(s, "GET", "/readyz", "Authorization", "Bearer operator")
			if ready.Code != http.StatusOK || strings.Contains(ready.Body.String(), "queue") == uncounted {
				t.Errorf("uncounted %v: readyz %d %s", uncounted, ready.Code, ready.Body)
			}
			metrics := ask(s, "GET", "/metrics", "Authorization", "Bearer operator").Body.String()
			for _, line := range []string{"mneme_storage_up 1", "mneme_queue_entries 3", "mneme_queue_lag_seconds 1.5"} {
				if !strings.Contains(metrics, line) {
					t.Errorf("uncounted %v: no line %s", uncounted, line)
				}
			}
		}
	})
}

func TestMetricsKnowRoutesAndNobody(t *testing.T) {
	s, _ := newServer(&stub{}, surface{})
	ask(s, "GET", "/who/secret", "Authorization", "Bearer secret-agent")
	ask(s, "SECRET", "/who/secret", "Authorization", "Bearer secret-agent")
	text := ask(s, "GET", "/metrics", "Authorization", "Bearer operator").Body.String()
	for _, line := range []string{
		`mneme_http_requests_total{method="GET",route="/who/:path",status="200"} 1`,
		`mneme_queue_entries 3`, `mneme_queue_lag_seconds 1.5`,
		`mneme_queue_wait_seconds{quantile="0.5"} 1`, `mneme_queue_wait_seconds{quantile="0.9"} 1.1`, `mneme_queue_wait_seconds{quantile="0.99"} 1.2`,
		`mneme_search_degraded_total{leg="vector_lag"} 0`, `mneme_search_degraded_total{leg="vector"} 0`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(strings.ToLower(text), "secret") {
		t.Error("the metrics hold what they must not")
	}
}

func TestAnswersAreNotCached(t *testing.T) {
	s, _ := newServer(&stub{}, surface{})
	h := ask(s, "GET", "/who/x", "Authorization", "Bearer alice").Header()
	for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if h.Get(name) != want {
			t.Errorf("%s: %q", name, h.Get(name))
		}
	}
}

func TestRunningRequestsFinishAtShutdown(t *testing.T) {
	call := surface{running: make(chan struct{}), release: make(chan struct{})}
	s, _ := newServer(&stub{}, call)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served, answered := make(chan error, 1), make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/slow/x", nil)
		if err != nil {
			answered <- err
			return
		}
		r.Header.Set("Authorization", "Bearer alice")
		response, err := new(http.Transport).RoundTrip(r)
		if err == nil {
			response.Body.Close()
		}
		answered <- err
	}()
	<-call.running
	stop()
	close(call.release)
	if err := <-answered; err != nil {
		t.Errorf("the running request: %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// state is a service that is in it.
type state indexer.Status

func (state) RegisterCaller(context.Context, acl.Principal) error { return nil }
func (state) Activity() memory.Activity                           { return memory.Activity{Written: 4, ChangesWaiting: 5} }
func (state) SearchLoad() fairqueue.Load                          { return fairqueue.Load{Running: 6, Waiting: 8, Refused: 9} }
func (state) ReadLoad() fairqueue.Load                            { return fairqueue.Load{Running: 1, Waiting: 2, Refused: 3} }
func (state) WriteLoad() fairqueue.Load                           { return fairqueue.Load{Running: 4, Waiting: 5, Refused: 6} }
func (s state) Status(context.Context) indexer.Status             { return indexer.Status(s) }

func TestMetricsCoverAnOperatorsNeeds(t *testing.T) {
	metrics := server.NewMetrics()
	metrics.Build("v1", "abc")
	service := state{
		Storage: true, Serving: "old", Configured: "new", Counted: true, Queue: 3, Waits: indexer.Waits{Max: 2 * time.Second},
		Progress: indexer.Progress{Indexed: 7, IndexFailed: 5, Restored: 4, Reconciled: time.Unix(1700000000, 0)},
	}
	front := server.New(server.Options{Service: service, Verifier: names{}, Metrics: metrics})
	answer := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer operator")
	front.ServeHTTP(answer, r)
	for _, line := range []string{
		`mneme_storage_up 1`, `mneme_vector_up 0`, `mneme_reindex_needed 1`, `mneme_queue_entries 3`, `mneme_queue_lag_seconds 2`,
		`mneme_indexed_entries_total 7`, `mneme_index_failures_total{cause="vector_index"} 5`, `mneme_index_failures_total{cause="embedder"} 0`,
		`mneme_reconcile_repairs_total{kind="restored"} 4`, `mneme_reconcile_last_success_timestamp_seconds 1.7e+09`,
		`mneme_search_degraded_total{leg="vector"} 0`,
		`mneme_searches_running 6`, `mneme_changes_waiting 5`, `mneme_searches_waiting 8`, `mneme_searches_refused_total 9`,
		`mneme_reads_running 1`, `mneme_reads_waiting 2`, `mneme_reads_refused_total 3`,
		`mneme_writes_running 4`, `mneme_writes_waiting 5`, `mneme_writes_refused_total 6`,
		`mneme_refused_total{limit="connections"} 0`, `mneme_connections_open 0`,
	} {
		if !strings.Contains(answer.Body.String(), "\n"+line+"\n") {
			t.Errorf("/metrics lacks %s", line)
		}
	}
	if !strings.Contains(answer.Body.String(), `mneme_build_info{`) {
		t.Error("/metrics does not name the build")
	}
}

func TestHealthAnswersHEADToo(t *testing.T) {
	front := server.New(server.Options{Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics()})
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		w := httptest.NewRecorder()
		if front.ServeHTTP(w, httptest.NewRequest(http.MethodHead, path, nil)); w.Code != http.StatusOK {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestHealthIsNotLoggedWhileAllIsWell(t *testing.T) {
	for _, away := range []bool{false, true} {
		var log journal
		front := server.New(server.Options{Service: &stub{away: away}, Verifier: names{}, Metrics: server.NewMetrics(), Log: slog.New(slog.NewTextHandler(&log, nil))})
		for _, path := range []string{"/livez", "/readyz", "/metrics"} {
			front.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
		}
		want := 0
		if away {
			want = 1 // of /readyz
		}
		if got := strings.Count(log.String(), "msg=request"); got != want {
			t.Errorf("away %v: %s", away, log.String())
		}
	}
}
