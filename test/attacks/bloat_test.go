package attacks

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/test/size"
)

// Updates of one key must not fill the disk: the history of an entry is bounded.
func TestUpdatesOfOneKeyAreBounded(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage)
		alice := s.as("alice")
		s.secret("history history")
		value := strings.Repeat("history ", 12_000)[:size.Of(45_000, 90_000)]
		updates := size.Of(250, 600) // a hundred versions are retained; the log has up to 16 MB
		for i := range updates {
			// Encrypted values are not indexed, which makes the attack faster.
			body := map[string]any{"value": fmt.Sprintf("%06d %s", i, value), "encrypted": true}
			alice.call(http.MethodPut, memories+"k", body).want(t, map[bool]int{true: 201, false: 200}[i == 0])
		}
		page := alice.call(http.MethodGet, memories+"k/versions?limit=100", nil).want(t, 200)
		items := decode[struct {
			Items []struct{ Version int }
			Next  string `json:"next_cursor"`
		}](t, page)
		if n := len(items.Items); n != 100 || items.Items[0].Version != updates || items.Items[n-1].Version != updates-99 || items.Next != "" {
			t.Errorf("%d versions from %d, cursor %q", n, items.Items[n-1].Version, items.Next)
		}
		// A version that was dropped from the history does not exist.
		alice.call(http.MethodPost, memories+"k/restore", map[string]any{"version": updates - 100}).want(t, 404)
		alice.call(http.MethodPost, memories+"k/restore", map[string]any{"version": updates - 98}).want(t, 200)
		stored := s.storageBytes()
		t.Logf("%d updates of %d kB take %d bytes", updates, len(value)/1000, stored)
		if stored > int64(size.Of(26_000_000, 40_000_000)) {
			t.Errorf("the database has %d bytes", stored)
		}
	})
}

// storageBytes returns the size of the SQLite database's files, or 0 on PostgreSQL.
func (s *server) storageBytes() (total int64) {
	paths, err := filepath.Glob(filepath.Join(s.dir, "mneme.db*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	return total
}

// A store has a maximum number of grants.
func TestGrantsOfAStoreAreBounded(t *testing.T) {
	eachStorage(t, func(t *testing.T, storage option) {
		s := start(t, storage, environment("MNEME_LIMITS_GRANTS=20"))
		alice := s.as("alice", "--scope", "share")
		for i := range 20 {
			alice.call(http.MethodPut, fmt.Sprint("/v1/stores/self/grants/bob-", i), map[string]any{"level": "read"}).want(t, 200)
		}
		refused := alice.call(http.MethodPut, "/v1/stores/self/grants/bob-20", map[string]any{"level": "read"}).want(t, 429)
		if p := refused.problem(t); p.Type != "urn:mneme:problem:quota" || p.Limit != "grants" || !strings.Contains(p.Detail, "20 grants") || refused.header.Get("Retry-After") == "" {
			t.Errorf("%+v", p)
		}
		// An existing grant can be changed, and a revoked grant no longer counts.
		alice.call(http.MethodPut, "/v1/stores/self/grants/bob-3", map[string]any{"level": "search"}).want(t, 200)
		alice.call(http.MethodDelete, "/v1/stores/self/grants/bob-4", nil).want(t, 204)
		alice.call(http.MethodPut, "/v1/stores/self/grants/bob-20", map[string]any{"level": "read"}).want(t, 200)
	})
}
