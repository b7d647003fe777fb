package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/server/mcp"
)

// The server rejects methods of capabilities that it does not declare,
// although the SDK would answer some of them.
func TestMethodsOfUndeclaredCapabilitiesDoNotExist(t *testing.T) {
	h := open(t, mcp.Options{})
	capabilities := h.client(alice).InitializeResult().Capabilities
	if c := capabilities; c.Tools == nil || c.Resources == nil || c.Resources.Subscribe || c.Prompts != nil || c.Completions != nil {
		t.Errorf("declared: %+v", c)
	}
	for _, method := range []string{
		"prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
	} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":"x","uri":"mneme://self/MEMORY.md","level":"debug","ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":""}}}`, method)
		r := h.post(http.MethodPost, "/mcp", body, "Authorization", "Bearer "+h.Token(alice))
		if !strings.Contains(r.body, `"code":-32601`) {
			t.Errorf("%s: %d %s", method, r.status, r.body)
		}
	}
}

// The server announces no changes, so a subscription confirms none and ends: an open
// one would outlive its token and delay a shutdown.
func TestASubscriptionIsAnsweredAtOnce(t *testing.T) {
	h := open(t, mcp.Options{})
	r := h.post(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["mneme://self/MEMORY.md"]}}}`,
		"Authorization", "Bearer "+h.Token(alice))
	if r.status != http.StatusOK || !strings.Contains(r.body, `"notifications":{}`) || !strings.Contains(r.body, `"id":1,"result"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// The SDK decodes the schemas of each tool that a server has. A server gets tools only
// if its message concerns them.
func TestAMessagePreparesNoToolsButItsOwn(t *testing.T) {
	h := open(t, mcp.Options{})
	token := h.Token(alice)
	allocations := func(method, params string) float64 {
		return testing.AllocsPerRun(5, func() {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)))
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); !strings.Contains(w.Body.String(), `"result"`) {
				t.Errorf("%s: %s", method, w.Body)
			}
		})
	}
	list, ping, call := allocations("tools/list", "{}"), allocations("ping", "{}"), allocations("tools/call", `{"name":"kv_get","arguments":{"key":"tea"}}`)
	t.Logf("%.0f allocations of a list, %.0f of a ping, %.0f of a call", list, ping, call)
	if ping > list/2 || call > list*3/4 {
		t.Errorf("%.0f allocations of a list, %.0f of a ping, %.0f of a call", list, ping, call)
	}
}

// The prepared tool is the one that the SDK calls, however the message spells its
// name.
func TestACallPreparesTheToolThatIsCalled(t *testing.T) {
	h := open(t, mcp.Options{})
	token := h.Token(alice)
	for name, want := range map[string]string{
		`"name":"kv_get"`:                  `"result"`,
		`"\u006eame":"kv\u005fget"`:        `"result"`,
		`"name":"kv_set","name":"kv_get"`:  `"result"`,
		`"Name":"kv_get"`:                  `unknown tool`,
		`"name":"nothing"`:                 `unknown tool`,
		`"name":"kv_get","name":"nothing"`: `unknown tool`,
		`"name":"kv_get","name":null`:      `"result"`,
	} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s,"arguments":{"key":"tea"}}}`, name)
		if r := h.post(http.MethodPost, "/mcp", body, "Authorization", "Bearer "+token); !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

// Requests are counted by the protocol's methods, and tools as over HTTP.
func TestRequestsAreCountedByMethodAndOutcomeAlone(t *testing.T) {
	h := open(t, mcp.Options{})
	s := h.client(alice)
	call(t, s, "memory_save", map[string]any{"key": "marzipan", "content": "nougat"})
	call(t, s, "memory_save", map[string]any{"key": "/marzipan", "content": "nougat"})
	if _, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "marzipan"}); err == nil {
		t.Error("a tool that there is not was called")
	}
	if _, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://nougat"}); err == nil {
		t.Error("a resource that there is not was read")
	}
	h.post(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"marzipan/nougat"}`, "Authorization", "Bearer "+h.Token(alice))
	text := h.post(http.MethodGet, "/metrics", "").body
	for _, line := range []string{
		`mneme_tool_calls_total{outcome="ok",surface="mcp",tool="memory_save"} 1`,
		`mneme_tool_calls_total{outcome="refused",surface="mcp",tool="memory_save"} 1`,
		`mneme_mcp_requests_total{method="tools/call",outcome="ok"} 2`,
		`mneme_mcp_requests_total{method="tools/call",outcome="refused"} 1`,
		`mneme_mcp_requests_total{method="resources/read",outcome="refused"} 1`,
		`mneme_mcp_request_duration_seconds_count{method="tools/call"} 3`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	for _, secret := range []string{"marzipan", "nougat", "alice", "PUBLIC"} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics hold %s", secret)
		}
	}
}
