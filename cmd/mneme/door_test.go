package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// foundKeys are the keys in an answer, in its order.
type foundKeys []struct {
	Key string `json:"key"`
}

// first returns the first key; "" if there is none.
func (f foundKeys) first() string {
	if len(f) == 0 {
		return ""
	}
	return f[0].Key
}

// door is a surface on which an agent can search. ask returns the key of the first hit or,
// if no hit is relevant, of the nearest entry.
type door struct {
	name string
	ask  func(t *testing.T, s *serving, agent, question string) string
}

// doors are all surfaces for searching an agent's own entries.
var doors = []door{
	{"REST", func(t *testing.T, s *serving, agent, question string) string {
		return firstHit(t, s.asked(t, agent, http.MethodPost, "/v1/search", map[string]any{"query": question}))
	}},
	{"memory_search", func(t *testing.T, s *serving, agent, question string) string {
		return firstOfTool(t, s.asked(t, agent, http.MethodPost, "/v1/tools/memory_search", map[string]any{"query": question}))
	}},
	{"memory", func(t *testing.T, s *serving, agent, question string) string {
		return firstOfTool(t, s.asked(t, agent, http.MethodPost, "/v1/tools/memory", map[string]any{"command": "search", "query": question}))
	}},
	{"memory_search over MCP", func(t *testing.T, s *serving, agent, question string) string {
		return s.firstOverMCP(t, agent, "memory_search", map[string]any{"query": question})
	}},
	{"memory over MCP", func(t *testing.T, s *serving, agent, question string) string {
		return s.firstOverMCP(t, agent, "memory", map[string]any{"command": "search", "query": question})
	}},
	{"mneme search", func(t *testing.T, s *serving, agent, question string) string {
		return firstHit(t, must(t, s.dir, "", "search", "--agent", agent, "--json", question))
	}},
	{"Robutler", func(t *testing.T, s *serving, agent, question string) string {
		return decode[struct{ Results foundKeys }](t, s.asked(t, agent, http.MethodGet, "/api/storage/memory?"+url.Values{"action": {"search"}, "agentId": {agent}, "q": {question}}.Encode(), nil)).Results.first()
	}},
}

// asked makes a call as an agent and returns the answer.
func (s *serving) asked(t *testing.T, agent, method, path string, body map[string]any) string {
	t.Helper()
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(encoded)
	}
	status, answer := s.call(strings.TrimSpace(must(t, s.dir, "", "token", "--agent", agent)), method, path, text)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d, %s", path, status, answer)
	}
	return answer
}

func firstHit(t *testing.T, answer string) string {
	t.Helper()
	return decode[struct{ Hits foundKeys }](t, answer).Hits.first()
}

// firstOfTool returns the first key of a tool's answer over HTTP.
func firstOfTool(t *testing.T, answer string) string {
	t.Helper()
	called := decode[struct {
		Content string `json:"content"`
		IsError bool   `json:"is_error"`
	}](t, answer)
	if called.IsError {
		t.Fatal(answer)
	}
	return firstOfText(t, called.Content)
}

// firstOverMCP calls a tool over MCP and returns the first key of its answer.
func (s *serving) firstOverMCP(t *testing.T, agent, tool string, arguments map[string]any) string {
	t.Helper()
	answer := s.asked(t, agent, http.MethodPost, "/mcp", map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	called := decode[struct {
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			IsError bool `json:"isError"`
		} `json:"result"`
	}](t, answer)
	if called.Result.IsError || len(called.Result.Content) == 0 {
		t.Fatal(answer)
	}
	return firstOfText(t, called.Result.Content[0].Text)
}

// firstOfText returns the first key of a tool's answer.
func firstOfText(t *testing.T, text string) string {
	t.Helper()
	found := decode[struct{ Results, Nearest foundKeys }](t, text)
	if len(found.Results) > 0 {
		return found.Results.first()
	}
	return found.Nearest.first()
}
