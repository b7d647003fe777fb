package tool_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// No metric contains a caller's input or identity.
func TestMetricsCountCallsByToolAndOutcomeOnly(t *testing.T) {
	w := openWeb(t)
	post := func(name, body string) { w.call(alice, http.MethodPost, "/v1/tools/"+name, body) }
	post("memory_save", `{"key": "marzipan", "content": "nougat"}`)
	post("memory_save", `{"key": "marzipan", "content": "nougat"}`)
	post("memory_save", `{"key": "marzipan"}`)                                               // the schema
	post("memory_save", `{"key": "/marzipan", "content": "nougat"}`)                         // a rule
	post("memory", `{"command": "view", "path": "/memories/shared/marzipan/nougat"}`)        // access
	post("memory", `{"command": "view", "path": "/memories/marzipan/nougat"}`)               // absent
	post("memory_delete", `{"key": "nougat"}`)                                               // absent
	post("memory_search", `{"query": "marzipan"}`)                                           // finds
	post("memory", `{"command": "search", "query": "marzipan", "store": "marzipan-nougat"}`) // finds no store
	post("marzipan", `{}`)                                                                   // no tool
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := w.Tools.Over("http").Call(gone, alice, "memory_get", input("key", "marzipan")); err == nil {
		t.Error("a call without a caller was answered")
	}
	text := w.call(alice, http.MethodGet, "/metrics", "").Body.String()
	var calls []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "mneme_tool_calls_total{") {
			calls = append(calls, strings.TrimSpace(strings.TrimPrefix(line, "mneme_tool_calls_total")))
		}
	}
	want := []string{
		`{outcome="canceled",surface="http",tool="memory_get"} 1`,
		`{outcome="ok",surface="http",tool="memory_save"} 2`,
		`{outcome="ok",surface="http",tool="memory_search"} 1`,
		`{outcome="refused",surface="http",tool="memory"} 3`,
		`{outcome="refused",surface="http",tool="memory_delete"} 1`,
		`{outcome="refused",surface="http",tool="memory_save"} 2`,
	}
	if strings.Join(calls, "\n") != strings.Join(want, "\n") {
		t.Errorf("counted:\n%s", strings.Join(calls, "\n"))
	}
	for _, line := range []string{
		`mneme_tool_call_duration_seconds_count{surface="http",tool="memory_save"} 4`, "mneme_searches_total 1\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no line %s", line)
		}
	}
	for _, secret := range []string{"marzipan", "nougat", "alice", "PUBLIC"} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics hold %s", secret)
		}
	}
}
