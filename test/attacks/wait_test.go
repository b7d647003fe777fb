package attacks

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"mneme/test/wait"
)

// changePage is the answer to GET /changes.
type changePage struct {
	Changes []map[string]any `json:"changes"`
	Next    string           `json:"next_cursor"`
}

// follow returns the path of a call that waits for a store's changes.
func (c caller) follow(t testing.TB, store, seconds string) string {
	t.Helper()
	path := "/v1/stores/" + store + "/changes"
	page := decode[changePage](t, c.call(http.MethodGet, path, nil).want(t, 200))
	return path + "?wait=" + seconds + "&since=" + url.QueryEscape(page.Next)
}

// A waiting call must return no data if the caller loses access meanwhile, and must end with
// the server.
func TestAWaitOutlivesNeitherAccessNorServer(t *testing.T) {
	t.Parallel()
	s := start(t)
	owner, mallory := s.as("owner", "--scope", "share"), s.as("mallory")
	owner.put("first", "hello").want(t, 201)

	waiting := func(n int) {
		t.Helper()
		wait.Until(t, fmt.Sprint(n, " calls wait"), func() error {
			if now, err := s.metric("mneme_changes_waiting"); err != nil || int(now) != n {
				return fmt.Errorf("%v wait, %v", now, err) //nolint:errorlint // there may be none
			}
			return nil
		})
	}
	// A wait that ends before the access does may return changes: the test then repeats
	// it with a longer wait.
	var got reply
	for _, seconds := range []string{"1", "5", "30"} {
		owner.call(http.MethodPut, "/v1/stores/self/grants/mallory", map[string]any{"level": "read"}).want(t, 200)
		path, answer := mallory.follow(t, "owner", seconds), make(chan reply, 1)
		go func() { answer <- mallory.call(http.MethodGet, path, nil) }()
		wait.Until(t, "the call waits", func() error {
			if now, err := s.metric("mneme_changes_waiting"); err != nil || now == 0 && len(answer) == 0 {
				return fmt.Errorf("%v wait, %v", now, err) //nolint:errorlint // there may be none
			}
			return nil
		})
		owner.call(http.MethodDelete, "/v1/stores/self/grants/mallory", nil).want(t, 204)
		if got = <-answer; got.status != http.StatusOK {
			break
		}
	}
	if got.status != http.StatusForbidden {
		t.Errorf("a wait of a former reader: %v", got)
	}

	// An agent has at most four waits, over all its tokens. Each is repeated until the
	// server ends, because a wait takes at most half a minute.
	path := owner.follow(t, "self", "30")
	const waits = 4
	var ending atomic.Bool
	answers := make(chan reply, waits)
	for range waits {
		go func() {
			r := owner.call(http.MethodGet, path, nil)
			for r.status == http.StatusOK && !ending.Load() {
				r = owner.call(http.MethodGet, path, nil)
			}
			answers <- r
		}()
	}
	waiting(waits)
	wait.Until(t, "a wait above the limit is refused", func() error {
		if got := owner.call(http.MethodGet, path, nil); got.status != http.StatusTooManyRequests || !strings.HasSuffix(got.problem(t).Type, "too-many-waits") {
			return fmt.Errorf("a wait above the limit: %v", got)
		}
		return nil
	})
	waiting(waits)
	ending.Store(true)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.End(t, syscall.SIGTERM)
	}()
	for range waits {
		if got := wait.For(t, "a wait ends with the server", answers); got.status != http.StatusOK || len(decode[changePage](t, got).Changes) > 0 {
			t.Errorf("a wait at the end of the server: %v", got)
		}
	}
	<-ended
}
