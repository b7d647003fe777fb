package tool_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/server"
	"mneme/server/servertest"
	"mneme/server/tool"
)

// web is the tools over HTTP.
type web struct {
	*harness
	server *servertest.Server
}

func openWeb(t *testing.T) *web {
	t.Helper()
	metrics := server.NewMetrics()
	h := openWith(t, memory.Limits{}, tool.Options{Meter: metrics})
	return &web{h, servertest.Open(t, h.clock.Now, server.Options{
		Service: h.service, Metrics: metrics, Surfaces: []server.Surface{tool.NewSurface(h.Tools.Over("http"))},
	})}
}

// call makes a request; headers come in pairs of name and value.
func (w *web) call(p acl.Principal, method, target, body string, header ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, target, strings.NewReader(body))
	if p.Agent != "" {
		r.Header.Set("Authorization", "Bearer "+w.server.Token(p))
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	answer := httptest.NewRecorder()
	w.server.ServeHTTP(answer, r)
	return answer
}

// Refusals by a tool are answered with 200. Only requests that do not reach a
// tool are problems.
func TestStatusesOfToolCalls(t *testing.T) {
	w := openWeb(t)
	nobody := acl.Principal{}
	for name, c := range map[string]struct {
		p            acl.Principal
		target, body string
		status       int
		failed       bool
	}{
		"done":                {alice, "/v1/tools/memory_save", `{"key": "a", "content": "b"}`, 200, false},
		"a schema refuses":    {alice, "/v1/tools/memory_save", `{"key": "a"}`, 200, true},
		"another type":        {alice, "/v1/tools/memory_save", `[1]`, 200, true},
		"a field twice":       {alice, "/v1/tools/memory_save", `{"key": "a", "key": "b"}`, 200, true},
		"a rule refuses":      {alice, "/v1/tools/memory_save", `{"key": "/a", "content": "b"}`, 200, true},
		"access refuses":      {alice, "/v1/tools/memory", `{"command": "view", "path": "/memories/shared/bob/a"}`, 200, true},
		"share without scope": {alice, "/v1/tools/memory", `{"command": "share", "agent": "bob"}`, 200, true},
		"a value too large":   {alice, "/v1/tools/memory_save", `{"key": "a", "content": "` + strings.Repeat("x", 100_001) + `"}`, 200, true},
		"no token":            {nobody, "/v1/tools/memory_save", `{}`, 401, false},
		"no token, no tool":   {nobody, "/v1/tools/none", `{}`, 401, false},
		"no such tool":        {alice, "/v1/tools/none", `{`, 404, false},
		"another case":        {alice, "/v1/tools/Memory", `{}`, 404, false},
		"not JSON":            {alice, "/v1/tools/memory", `{"command": `, 400, false},
		"nothing":             {alice, "/v1/tools/memory", ``, 400, false},
		"two objects":         {alice, "/v1/tools/memory", `{} {}`, 400, false},
		"too deep to read":    {alice, "/v1/tools/memory", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), 400, false},
		"a query parameter":   {alice, "/v1/tools/memory?agent=bob", `{}`, 400, false},
		"too large":           {alice, "/v1/tools/memory", `{"x": "` + strings.Repeat("x", 2<<20) + `"}`, 413, false},
	} {
		answer := w.call(c.p, http.MethodPost, c.target, c.body)
		if answer.Code != c.status {
			t.Errorf("%s: status %d, %s", name, answer.Code, answer.Body)
			continue
		}
		if c.status != 200 {
			if got := answer.Header().Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("%s: %s", name, got)
			}
			continue
		}
		var got struct {
			Content *string `json:"content"`
			IsError *bool   `json:"is_error"`
		}
		decoder := json.NewDecoder(answer.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&got); err != nil || got.Content == nil || *got.Content == "" || got.IsError == nil || *got.IsError != c.failed {
			t.Errorf("%s: %s, %v", name, answer.Body, err)
		}
	}
}

func TestDefinitionsHaveTheFormatsOfBothAPIs(t *testing.T) {
	w := openWeb(t)
	type anthropic struct {
		Name, Description string
		InputSchema       map[string]any `json:"input_schema"`
	}
	type openAI struct {
		Type     string
		Function struct {
			Name, Description string
			Parameters        map[string]any
		}
	}
	read := func(target string, into any) {
		t.Helper()
		answer := w.call(alice, http.MethodGet, target, "")
		decoder := json.NewDecoder(answer.Body)
		decoder.DisallowUnknownFields() // an API refuses fields that it does not know
		if err := decoder.Decode(into); err != nil || answer.Code != 200 {
			t.Fatalf("%s: status %d, %v", target, answer.Code, err)
		}
	}
	var both struct {
		Anthropic []anthropic
		OpenAI    []openAI
	}
	read("/v1/tools", &both)
	var a struct{ Tools []anthropic }
	read("/v1/tools?format=anthropic", &a)
	var o struct{ Tools []openAI }
	read("/v1/tools?format=openai", &o)
	want := slices.DeleteFunc(w.Definitions(alice), func(d tool.Definition) bool { return d.Unlisted })
	if len(both.Anthropic) != len(want) || len(both.OpenAI) != len(want) || len(a.Tools) != len(want) || len(o.Tools) != len(want) {
		t.Fatal("the lists differ in length")
	}
	for i, d := range want {
		if one := a.Tools[i]; one.Name != d.Name || one.Description != d.Description || one.InputSchema["type"] != "object" {
			t.Errorf("%+v", one)
		}
		if one := o.Tools[i]; one.Type != "function" || one.Function.Name != d.Name || one.Function.Description != d.Description || one.Function.Parameters["type"] != "object" {
			t.Errorf("%+v", one)
		}
	}
	for _, target := range []string{"/v1/tools?format=other", "/v1/tools?x=1", "/v1/tools?format=openai&format=openai", "/v1/tools?tools=some"} {
		if answer := w.call(alice, http.MethodGet, target, ""); answer.Code != 400 {
			t.Errorf("%s: status %d", target, answer.Code)
		}
	}
	read("/v1/tools?format=anthropic&tools=maestro,memory", &a)
	if len(a.Tools) != 3 || a.Tools[0].Name != "memory" || a.Tools[1].Name != "UpdateUserMemory" {
		t.Errorf("%+v", a)
	}
	if answer := w.call(sharer, http.MethodGet, "/v1/tools", ""); !strings.Contains(answer.Body.String(), `"unshare"`) {
		t.Error("a token with scope share is not offered share")
	}
}

func TestIndexOverHTTPHasAnETag(t *testing.T) {
	w := openWeb(t)
	w.must(alice, "UpdateUserMemory", "action", "upsert", "name", "a", "type", "user", "description", "about a", "body", "b")
	first := w.call(alice, http.MethodGet, "/v1/stores/self/MEMORY.md", "")
	tag := first.Header().Get("ETag")
	if first.Code != 200 || first.Body.String() != "- [a](a.md) — about a (2026-03-01)\n" || !strings.HasPrefix(first.Header().Get("Content-Type"), "text/markdown") || len(tag) < 10 {
		t.Fatalf("%d %v %s", first.Code, first.Header(), first.Body)
	}
	bare := strings.Trim(tag, `"`)
	for _, known := range []string{tag, "W/" + tag, `"x", ` + tag, "*", `"` + bare + `-gzip"`, `W/"` + bare + `-zstd", "x"`} {
		again := w.call(alice, http.MethodGet, "/v1/stores/alice/MEMORY.md", "", "If-None-Match", known)
		if again.Code != 304 || again.Body.Len() > 0 || again.Header().Get("ETag") != tag {
			t.Errorf("%s: %d %s", known, again.Code, again.Body)
		}
	}
	// A write above the session's taint has no effect visible to the session.
	w.must(acl.Principal{Agent: "alice", Taint: acl.Restricted}, "UpdateUserMemory", "action", "upsert", "name", "b", "type", "user", "description", "x", "body", "b")
	if again := w.call(alice, http.MethodGet, "/v1/stores/self/MEMORY.md", "", "If-None-Match", tag); again.Code != 304 {
		t.Errorf("status %d after a write above", again.Code)
	}
	w.must(alice, "UpdateUserMemory", "action", "upsert", "name", "a", "type", "user", "description", "changed", "body", "b")
	changed := w.call(alice, http.MethodGet, "/v1/stores/self/MEMORY.md", "", "If-None-Match", tag)
	if changed.Code != 200 || changed.Header().Get("ETag") == tag {
		t.Errorf("status %d after a change", changed.Code)
	}
	for target, status := range map[string]int{
		"/v1/stores/alice/MEMORY.md": 403, "/v1/stores/nowhere/MEMORY.md": 403, "/v1/stores/a%2Fb/MEMORY.md": 400,
		"/v1/stores/shared/MEMORY.md": 400, "/v1/stores/self/MEMORY.md?x=1": 400,
	} {
		if answer := w.call(bob, http.MethodGet, target, ""); answer.Code != status {
			t.Errorf("%s: status %d, want %d", target, answer.Code, status)
		}
	}
	if answer := w.call(acl.Principal{}, http.MethodGet, "/v1/stores/self/MEMORY.md", ""); answer.Code != 401 {
		t.Errorf("status %d without a token", answer.Code)
	}
	// MEMORY.md is also a valid key; the routes do not collide.
	w.put(alice, "alice", "MEMORY.md", `"x"`, func(r *memory.PutRequest) {})
}
