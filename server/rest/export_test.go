package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/server/servertest"
)

func TestAnImportOfAnExportKeepsSources(t *testing.T) {
	h := open(t)
	hidden := h.want(201, bob, "PUT", "/v1/stores/self/memories/hidden", `{"value":1}`).json(t)["id"].(string)
	h.want(201, alice, "PUT", seat, `{"value":1,"source":{"tool":"t","session":"s","read":["`+hidden+`"]}}`)
	out := h.want(200, alice, "GET", "/v1/stores/self/export", "").body
	const source = `"source":{"tool":"t","session":"s"}`
	if !strings.Contains(out, source) || strings.Contains(out, hidden) {
		t.Fatalf("exported: %s", out)
	}
	moved := strings.ReplaceAll(out, `"store_id":"alice"`, `"store_id":"bob"`)
	for _, c := range []struct {
		as          acl.Principal
		text, count string
	}{
		{alice, out, "unchanged"}, {alice, strings.ReplaceAll(out, `"session":"s"`, `"session":"s","read":["`+hidden+`"]`), "unchanged"},
		{bob, moved, "created"}, {bob, moved, "unchanged"},
		{bob, strings.ReplaceAll(moved, `"session":"s"`, `"session":"other"`), "updated"},
		{bob, moved, "updated"},
	} {
		if got := h.want(200, c.as, "POST", imports, c.text).json(t); got[c.count] != 1.0 {
			t.Errorf("want it %s: %v", c.count, got)
		}
	}
	if e := h.want(200, bob, "GET", seat, "").body; !strings.Contains(e, source) {
		t.Errorf("imported: %s", e)
	}
}

func TestAnExportGoesBackAsAnImport(t *testing.T) {
	h := open(t)
	owner := agent("alice", acl.Internal)
	for i := range 130 {
		h.want(201, owner, "PUT", fmt.Sprintf("/v1/stores/self/memories/k%03d", i), fmt.Sprintf("{\"value\":[%d,\n\"x\"],\"tags\":[\"t\"]}", i))
	}
	h.want(201, owner, "PUT", "/v1/stores/self/memories/private", `{"value":1,"in_context":false}`)
	h.want(201, agent("alice", acl.Restricted), "PUT", "/v1/stores/self/memories/above", `{"value":1}`)
	out := h.want(200, owner, "GET", "/v1/stores/self/export", "")
	if out.header.Get("Content-Type") != "application/x-ndjson" || strings.Count(out.body, "\n") != 130 || strings.Contains(out.body, "private") || strings.Contains(out.body, "above") {
		t.Fatalf("%v, %d lines", out.header, strings.Count(out.body, "\n"))
	}
	back := h.want(200, owner, "POST", imports, out.body).json(t)
	if back["unchanged"].(float64)+back["updated"].(float64) != 130 || back["refused"] != 0.0 {
		t.Errorf("into the same store: %v", back)
	}
	if again := h.want(200, owner, "POST", imports, out.body).json(t); again["unchanged"] != 130.0 {
		t.Errorf("once more: %v", again)
	}
	moved := h.want(200, bob, "POST", imports, strings.ReplaceAll(out.body, `"store_id":"alice"`, `"store_id":"bob"`)).json(t)
	if moved["created"] != 130.0 {
		t.Errorf("into another store: %v", moved)
	}
	e := h.want(200, bob, "GET", "/v1/stores/self/memories/k001", "").json(t)
	if e["owner_id"] != "bob" || e["label"] != "PUBLIC" || e["version"] != 1.0 {
		t.Errorf("imported entry: %v", e)
	}
	if empty := h.want(200, agent("carol", acl.Public), "GET", "/v1/stores/self/export", ""); empty.body != "" || empty.header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("an empty store: %v %q", empty.header, empty.body)
	}
	h.want(403, bob, "GET", "/v1/stores/alice/export", "")
}

// An export to a slow reader ends with its token.
func TestAnExportEndsWithItsToken(t *testing.T) {
	h := open(t)
	var lines strings.Builder
	for i := range 500 {
		fmt.Fprintf(&lines, "{\"key\":\"k%03d\",\"value\":%q}\n", i, strings.Repeat("x", 1000))
	}
	h.want(200, alice, "POST", imports, lines.String())
	r := httptest.NewRequest(http.MethodGet, "/v1/stores/self/export", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+h.Token(alice))
	for _, c := range []struct {
		pause  time.Duration
		broken bool
	}{{time.Minute, false}, {2 * time.Hour, true}} {
		a, broken := servertest.Paused(h, r, func() { h.clock.Advance(c.pause) })
		if lines := strings.Count(a.Body.String(), "\n"); broken != c.broken || (lines == 500) == c.broken {
			t.Errorf("after a pause of %v: %d lines, broken off: %t", c.pause, lines, broken)
		}
	}
}
