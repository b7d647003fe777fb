package attacks

import (
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

// changePage is an answer of /changes.
type changePage struct {
	Changes []map[string]any `json:"changes"`
	Next    string           `json:"next_cursor"`
}

// follow returns the path of a call that waits for changes of a store.
func (c caller) follow(t testing.TB, store, seconds string) string {
	t.Helper()
	path := "/v1/stores/" + store + "/changes"
	page := decode[changePage](t, c.call(http.MethodGet, path, nil).want(t, 200))
	return path + "?wait=" + seconds + "&since=" + url.QueryEscape(page.Next)
}

// A wait must give nothing to who may no longer read at its end, and end with the
// server.
func TestAWaitOutlivesNeitherAccessNorServer(t *testing.T) {
	s := start(t)
	owner, mallory := s.as("owner", "--scope", "share"), s.as("mallory")
	owner.put("first", "hello").want(t, 201)
	owner.call(http.MethodPut, "/v1/stores/self/grants/mallory", map[string]any{"level": "read"}).want(t, 200)

	asked := func(c caller, path string) <-chan reply {
		answer := make(chan reply, 1)
		go func() { answer <- c.call(http.MethodGet, path, nil) }()
		return answer
	}
	revoked := asked(mallory, mallory.follow(t, "owner", "4"))
	owner.call(http.MethodDelete, "/v1/stores/self/grants/mallory", nil).want(t, 204)
	if got := <-revoked; got.status != http.StatusForbidden {
		t.Errorf("a wait of a former reader: %v", got)
	}

	// Four waits of an agent, over all its tokens, and no more.
	path := owner.follow(t, "self", "30")
	const waits = 4
	answers := make(chan reply, 2*waits)
	for range 2 * waits {
		go func() { answers <- owner.call(http.MethodGet, path, nil) }()
	}
	for range waits {
		if got := <-answers; got.status != http.StatusTooManyRequests || !strings.HasSuffix(got.problem(t).Type, "too-many-waits") {
			t.Errorf("a wait too many: %v", got)
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.End(t, syscall.SIGTERM)
	}()
	for range waits {
		if got := <-answers; got.status != http.StatusOK || len(decode[changePage](t, got).Changes) > 0 {
			t.Errorf("a wait at the end of the server: %v", got)
		}
	}
	<-ended
}
