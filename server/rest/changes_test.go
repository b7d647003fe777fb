package rest_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"mneme/memory"
	"mneme/server"
	"mneme/server/limit"
	"mneme/server/rest"
	"mneme/server/servertest"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

func TestAFeedIsFollowedPageByPage(t *testing.T) {
	h := open(t)
	const feed = "/v1/stores/self/changes"
	start := h.want(200, alice, "GET", feed, "").json(t)
	if changes, ok := start["changes"].([]any); !ok || len(changes) > 0 {
		t.Errorf("without a cursor: %v", start)
	}
	h.want(201, alice, "PUT", seat, `{"value":"window"}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/plan?namespace=work", `{"value":"x","ttl":60}`)
	h.want(200, alice, "PUT", seat, `{"value":"aisle"}`)
	since := func(cursor any) string { return feed + "?since=" + url.QueryEscape(cursor.(string)) }
	page := h.want(200, alice, "GET", since(start["next_cursor"])+"&limit=1&wait=30", "").json(t)
	first := page["changes"].([]any)[0].(map[string]any)
	if len(page["changes"].([]any)) != 1 || first["key"] != "seat" || first["version"] != 2.0 || first["deleted"] != false || first["at"] != "2026-03-01T12:00:00Z" {
		t.Errorf("first page: %v", page)
	}
	h.clock.Advance(time.Hour)
	h.want(204, alice, "DELETE", seat, "")
	changes := h.want(200, alice, "GET", since(page["next_cursor"]), "").items(t, "changes")
	if len(changes) != 2 {
		t.Fatalf("second page: %v", changes)
	}
	for _, c := range changes {
		if _, versioned := c["version"]; versioned || c["deleted"] != true {
			t.Errorf("an entry that expired or was deleted: %v", c)
		}
	}
	h.want(200, alice, "GET", since(page["next_cursor"])+"&wait=0", "")
	h.want(400, alice, "GET", feed+"?since=AAAA", "")
	h.want(400, alice, "GET", feed+"?cursor=x", "")
	h.want(400, alice, "GET", feed+"?wait=1.5", "")
	h.want(422, alice, "GET", feed+"?wait=31", "")
	h.want(422, alice, "GET", feed+"?wait=-1", "")
	h.want(422, alice, "GET", feed+"?limit=1001", "")
	h.want(403, alice, "GET", "/v1/stores/stranger/changes?limit=0", "")
}

// A token that expires while its call waits is verified again before the
// answer, here at the server's shutdown, which ends waits.
func TestATokenThatExpiresDuringAWaitIsRefused(t *testing.T) {
	h := open(t)
	start := h.want(200, alice, "GET", "/v1/stores/self/changes", "").json(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, shutDown := context.WithCancel(t.Context())
	served, answered := make(chan error, 1), make(chan answer, 1)
	go func() { served <- h.Serve(ctx, listener) }()
	token := h.Token(alice)
	go func() {
		answered <- get("http://"+listener.Addr().String()+"/v1/stores/self/changes?wait=30&since="+url.QueryEscape(start["next_cursor"].(string)), token)
	}()
	backendtest.Eventually(t, "the call waits", func() bool { return h.service.Activity().ChangesWaiting == 1 })
	if text := h.metrics(); !strings.Contains(text, "\nmneme_changes_waiting 1\n") {
		t.Error("the gauge does not count the call")
	}
	h.clock.Advance(2 * time.Hour)
	// Each call of want has a new token.
	h.want(201, alice, "PUT", seat, `{"value":"window"}`)
	shutDown()
	if a := <-answered; a.status != http.StatusUnauthorized || strings.Contains(a.body, "seat") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if text := h.metrics(); !strings.Contains(text, "\nmneme_changes_waiting 0\n") {
		t.Error("the gauge counts a call that ended")
	}
}

// The token is verified on each commit during a wait. Only a refusal that is the answer
// is counted.
func TestATokenThatExpiresDuringAWaitIsOneRefusal(t *testing.T) {
	h := open(t)
	surface, err := rest.New(h.service, h.market, server.NewMetrics(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Open(t, h.clock.Now, server.Options{
		Service: h.process, Metrics: server.NewMetrics(), Surfaces: []server.Surface{surface},
		Rates: server.Rates{Refusals: limit.Rate{PerSecond: 3}, Now: h.clock.Now},
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, shutDown := context.WithCancel(t.Context())
	served, answered := make(chan error, 1), make(chan answer, 3)
	go func() { served <- s.Serve(ctx, listener) }()
	start := h.want(200, alice, "GET", "/v1/stores/self/changes", "").json(t)["next_cursor"].(string)
	token := s.Token(alice)
	for range 3 {
		go func() {
			answered <- get("http://"+listener.Addr().String()+"/v1/stores/self/changes?wait=30&since="+url.QueryEscape(start), token)
		}()
	}
	backendtest.Eventually(t, "the calls wait", func() bool { return h.service.Activity().ChangesWaiting == 3 })
	h.clock.Advance(2 * time.Hour)
	follower := memory.Caller{Principal: alice, Internal: true}
	follows := memory.ChangesRequest{Store: "alice", Since: start, Limit: 100}
	// Each commit wakes the follower, and with it the waiting calls.
	for i := range 5 {
		follows.Wait = memory.MaxChangeWait
		told := make(chan memory.ChangePage, 1)
		go func() {
			page, err := h.service.Changes(t.Context(), follower, follows)
			if err != nil {
				t.Error(err)
			}
			told <- page
		}()
		backendtest.Eventually(t, "the follower waits", func() bool { return h.service.Activity().ChangesWaiting == 4 || len(answered) > 0 })
		h.want(201, alice, "PUT", fmt.Sprint("/v1/stores/self/memories/", i), `{"value":"x"}`)
		follows.Since = wait.For(t, "the follower is told", told).Next
	}
	shutDown()
	for range 3 {
		if a := wait.For(t, "an answer", answered); a.status != http.StatusUnauthorized {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// get makes a call over the network. An error is returned as the body with
// status 0.
func get(target, token string) answer { return send(http.MethodGet, target, token, http.NoBody) }

// send sends a request over a connection.
func send(method, target, token string, body io.Reader) answer {
	r, err := http.NewRequest(method, target, body)
	if err != nil {
		return answer{body: err.Error()}
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/x-ndjson")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{body: err.Error()}
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{body: err.Error()}
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// metrics returns the text of /metrics.
func (h *harness) metrics() string {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	return w.Body.String()
}
