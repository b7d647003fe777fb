package attacks

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mneme/test/size"
)

// Every surface refuses a query above the limit, and names the field and the limit.
func TestALongQueryIsRefusedOnEverySurface(t *testing.T) {
	t.Parallel()
	s := start(t)
	alice := s.as("alice")
	most, long := strings.Repeat("tea ", 4000), strings.Repeat("tea ", 4000)+"!"
	s.secret(most)
	alice.search(most).want(t, http.StatusOK)
	mcp := func(tool string, arguments map[string]any) reply {
		return alice.call(http.MethodPost, "/mcp", map[string]any{
			"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
		}, "Accept", "application/json, text/event-stream")
	}
	for name, attack := range map[string]struct {
		reply  reply
		status int
	}{
		"rest":          {alice.search(long), http.StatusUnprocessableEntity},
		"robutler":      {alice.call(http.MethodGet, "/api/storage/memory?action=search&q="+url.QueryEscape(long), nil), http.StatusUnprocessableEntity},
		"tool":          {alice.call(http.MethodPost, "/v1/tools/memory_search", map[string]any{"query": long}), http.StatusOK},
		"mcp":           {mcp("memory_search", map[string]any{"query": long}), http.StatusOK},
		"mcp, commands": {mcp("memory", map[string]any{"command": "search", "query": long}), http.StatusOK},
	} {
		answer := string(attack.reply.body)
		if attack.reply.status != attack.status || !strings.Contains(answer, "16000 bytes") || !strings.Contains(answer, "q") || len(answer) > 1000 {
			t.Errorf("%s: %v", name, attack.reply)
		}
	}
	if p := alice.search(long).problem(t); p.Field != "query" || p.Type != "urn:mneme:problem:rule" {
		t.Errorf("got %+v", p)
	}
	out, err := s.command("search", "--agent", "alice", long).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "16000 bytes") {
		t.Errorf("the command prints %.300s", out)
	}
}

// Each of many queries is as long as a body may be. The server must refuse all of them
// and release their memory.
func TestManyHugeQueriesTakeNoMemory(t *testing.T) {
	t.Parallel()
	queries, room := size.Of(100, 1100), size.Of(64, 200) // MB
	s := start(t)
	alice := s.as("alice")
	alice.put("tea", "I like my tea green.").want(t, http.StatusCreated)
	alice.search("what tea?").want(t, http.StatusOK)
	_, before := s.memory()
	huge := strings.Repeat("what kind of tea is it ", 1_000_000/23)
	s.secret(huge)
	for i := range queries {
		// The body is concatenated, because encoding so many queries is slow.
		r := alice.call(http.MethodPost, "/v1/search", `{"query": "`+strings.Repeat("x", i)+huge+`"}`)
		if r.status != http.StatusUnprocessableEntity && r.status != http.StatusRequestEntityTooLarge {
			t.Fatalf("query %d: %v", i, r)
		}
	}
	_, after := s.memory()
	t.Logf("%d MB of queries: the peak of memory rose from %d to %d MB", queries, before>>20, after>>20)
	if after-before > int64(room)<<20 {
		t.Errorf("the process took %d MB more", (after-before)>>20)
	}
}
