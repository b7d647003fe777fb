package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mneme/memory"
)

func TestAnUnknownParameterIsNamedWithTheOneThatIsMeant(t *testing.T) {
	h := open(t)
	for _, c := range []struct{ tool, name, want string }{
		{"memory", "filters", "did you mean `where`?"},
		{"memory", "max_results", "did you mean `limit`?"},
		{"memory", "file_txt", "did you mean `file_text`?"},
		{"memory", "store_id", "did you mean `store`?"},
		{"memory_save", "tag", "did you mean `tags`?"},
		{"memory_save", "text", "did you mean `content`?"},
		{"memory_save", "dry_run", "it takes content, key, namespace, occurred_at, source, tags, timezone"},
		{"memory_delete", "dry_run", "it takes key, namespace"},
		{"UpdateUserMemory", "content", "did you mean `body`?"},
		{"kv_set", "expires_in", "did you mean `ttl`?"},
		{"kv_delete", "kye", "did you mean `key`?"},
	} {
		want := "Error: unknown parameter `" + c.name + "`; " + c.want
		if got := h.refused(alice, c.tool, c.name, 1); got != want {
			t.Errorf("%s: %s\nwant %s", c.tool, got, want)
		}
	}
}

// A search-only parameter is not suggested to other commands.
func TestACommandsErrorNamesItsOwnParameters(t *testing.T) {
	h := open(t)
	got := h.refused(alice, "memory", "command", "create", "path", "/memories/a", "file_text", "x", "labels", []string{"t"})
	if !strings.HasPrefix(got, "Error: unknown parameter `labels`; it takes action, command, content") || strings.Contains(got, "where") {
		t.Error(got)
	}
	if got := h.value(alice, "alice", "a"); got != "" {
		t.Errorf("a refused call wrote %s", got)
	}
}

func TestAConditionThatACommandWouldIgnoreIsRefused(t *testing.T) {
	h := open(t)
	h.put(alice, "alice", "a", `"x"`)
	for name, condition := range map[string]any{
		"where": map[string]any{"key": map[string]any{"eq": "b"}}, "match": map[string]any{"all": []string{"y"}}, "query": "y", "queries": []string{"y", "z"},
	} {
		for _, command := range []string{"view", "delete", "stores"} {
			got := h.refused(alice, "memory", "command", command, "path", "/memories/a", name, condition)
			if want := "Error: `" + name + "` is for search alone"; got != want {
				t.Errorf("%s: %s, want %s", command, got, want)
			}
		}
	}
	// A client that fills in every parameter sets no restriction with empty ones.
	h.must(alice, "memory", "command", "view", "path", "/memories/a", "where", map[string]any{}, "query", "", "queries", []string{}, "limit", 0)
}

// Lists and objects may be sent as strings of JSON.
func TestListsAndObjectsMayComeAsTheirJSON(t *testing.T) {
	h := open(t)
	h.must(alice, "memory_save", "key", "tea", "content", "green tea", "tags", `["drinks", "warm"]`, "source", `{"session": "s"}`)
	e, err := h.service.Get(t.Context(), memory.Caller{Principal: alice}, memory.Path{Store: "alice", Key: "tea"})
	if err != nil || strings.Join(e.Tags, " ") != "drinks warm" || string(e.Source) != `{"tool":"memory_save","session":"s"}` {
		t.Errorf("%+v, %v", e, err)
	}
	h.must(alice, "memory_save", "key", "milk", "content", "milk tea")
	for name, s := range searchers {
		for _, pairs := range [][]any{
			{"query", "tea", "where", `{"tags": {"contains": "warm"}}`},
			{"query", "tea", "match", ` {"none": ["milk"]} `, "recency", `{"half_life": "30d"}`},
			{"queries", `["green tea", "tea that is green"]`, "where", `{"key": {"eq": "tea"}}`},
		} {
			got := h.must(alice, name, append(append([]any{}, s.command...), pairs...)...)
			if !strings.Contains(got, `"key":"tea"`) || strings.Contains(got, `"key":"milk"`) {
				t.Errorf("%s %v: %s", name, pairs, got)
			}
		}
	}
	if got := h.must(alice, "memory_search", "query", "tea", "stores", `["self"]`); !strings.Contains(got, `"key":"tea"`) {
		t.Error(got)
	}
	h.put(alice, "alice", "lines", `"one\ntwo\nthree"`)
	if got := h.must(alice, "memory", "command", "view", "path", "/memories/lines", "view_range", "[2, 2]"); !strings.HasSuffix(got, "     2\ttwo") {
		t.Error(got)
	}
}

// Malformed input is refused, and changes nothing.
func TestMalformedListsAndObjectsAreRefused(t *testing.T) {
	h := open(t)
	h.must(alice, "memory_save", "key", "tea", "content", "green", "tags", []string{"drinks"})
	for want, all := range map[string][]any{
		"Error: `tags` must be an array of strings": {
			"drinks", "drinks, warm", `["drinks"`, `{"a": 1}`, `[1]`, `"drinks"`, 7, true, []any{"a", 7}, []any{"a", []string{"b"}}, map[string]any{"a": "b"},
		},
		"Error: `tags` each must have 1 to 64 bytes":           {[]any{"a", nil}, []string{""}, `["a", ""]`},
		"Error: `tags` must not contain an unpaired surrogate": {`["\ud800"]`},
	} {
		for _, tags := range all {
			if got := h.refused(alice, "memory_save", "key", "tea", "content", "black", "tags", tags); got != want {
				t.Errorf("%v: %s, want %s", tags, got, want)
			}
		}
	}
	if got := h.must(alice, "memory_get", "key", "tea"); !strings.Contains(got, `"content":"green"`) || !strings.Contains(got, `"tags":["drinks"]`) {
		t.Error(got)
	}
	for name, s := range searchers {
		for parameter, all := range map[string][]any{
			"where": {"tags=warm", `{"tags"`, `[]`, 1}, "match": {"tea", `["tea"]`}, "recency": {"30d", `["30d"]`}, "queries": {"tea", `{"a": "b"}`}, "explain": {"yes"},
		} {
			for _, value := range all {
				pairs := append([]any{}, s.command...)
				if parameter != "queries" {
					pairs = append(pairs, "query", "tea")
				}
				if got := h.refused(alice, name, append(pairs, parameter, value)...); !strings.HasPrefix(got, "Error: `"+parameter+"` must be ") {
					t.Errorf("%s, %s %v: %s", name, parameter, value, got)
				}
			}
		}
	}
}

// A string is a string, whatever it contains, unless is_json says that it is
// JSON.
func TestATextIsJSONOnlyIfTheCallSaysSo(t *testing.T) {
	h := open(t)
	write := map[string]func(value any, more ...any) (string, bool){
		"memory": func(value any, more ...any) (string, bool) {
			got := h.try(alice, "memory", append([]any{"command", "create", "path", "/memories/v", "content", value}, more...)...)
			return got.Text, got.IsError
		},
		"kv_set": func(value any, more ...any) (string, bool) {
			got := h.try(alice, "kv_set", append([]any{"key", "v", "value", value}, more...)...)
			return got.Text, got.IsError
		},
	}
	for name, write := range write {
		for _, c := range []struct {
			value  any
			json   bool
			stored string
		}{
			{`{"a": 1}`, false, `"{\"a\": 1}"`}, {`[1]`, false, `"[1]"`}, {`7`, false, `"7"`}, {`plain`, false, `"plain"`},
			{`{"a": 1}`, true, `{"a": 1}`}, {` [1] `, true, `[1]`}, {`7`, true, `7`}, {`"plain"`, true, `"plain"`},
			{json.RawMessage(`{"a":1}`), false, `{"a":1}`}, {[]int{1}, false, `[1]`}, {7, false, `7`}, {true, false, `true`},
			{json.RawMessage(`{"a":1}`), true, `{"a":1}`}, {7, true, `7`},
		} {
			text, failed := write(c.value, "is_json", c.json)
			if got := h.value(alice, "alice", "v"); failed || got != c.stored {
				t.Errorf("%s: %v, json %v: stored %s, want %s: %s", name, c.value, c.json, got, c.stored, text)
			}
		}
		for value, rule := range map[string]string{
			"plain": "must be JSON, since `is_json` is true", `{"a"`: "must be JSON, since `is_json` is true", "": "must be JSON, since `is_json` is true",
			"null": "must not be null", `"\ud800"`: "must not contain an unpaired surrogate",
		} {
			text, failed := write(value, "is_json", true)
			if !failed || !strings.HasSuffix(text, "` "+rule) {
				t.Errorf("%s: %q: %s", name, value, text)
			}
		}
	}
	if got := h.value(alice, "alice", "v"); got != "7" {
		t.Errorf("a refused write stored %s", got)
	}
}

// A reading call ignores unknown parameters. Its answer, or the error for a missing
// parameter, names them with the parameter that was likely meant.
func TestAReadingCallIgnoresUnknownParameters(t *testing.T) {
	h := open(t)
	h.must(alice, "memory_save", "key", "k", "content", "a green lamp")
	h.must(alice, "UpdateUserMemory", "action", "upsert", "name", "n", "type", "user", "description", "d", "body", "b")
	needed := map[string][]any{"memory_search": {"query", "lamp"}, "memory_get": {"key", "k"}, "kv_get": {"key", "k"}, "ReadUserMemory": {"name", "n"}, "memory_list": nil}
	for _, c := range []struct{ tool, name, meant string }{
		{"memory_search", "limit", "max_results"},
		{"memory_search", "top_k", "max_results"},
		{"memory_search", "filter", "where"},
		{"memory_search", "labels", "where"},
		{"memory_search", "created_after", "where"},
		{"memory_search", "Query", "query"},
		{"memory_search", "min_relevanc", "min_relevance"},
		{"memory_search", "store", "stores"},
		{"memory_get", "id", "key"},
		{"memory_get", "limit", "length"},
		{"memory_list", "labels", "tags"},
		{"memory_list", "max_results", "limit"},
		{"memory_list", "filter", "tags"},
		{"ReadUserMemory", "key", "name"},
		{"kv_get", "path", "key"},
		{"kv_get", "namespace", ""},
	} {
		want := c.name
		if c.meant != "" {
			want += " (did you mean " + c.meant + "?)"
		}
		var got struct{ Ignored []string }
		text := h.must(alice, c.tool, append([]any{c.name, 1}, needed[c.tool]...)...)
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Ignored) != 1 || got.Ignored[0] != want {
			t.Errorf("%s: %s, want %s", c.tool, text, want)
		}
		if needed[c.tool] == nil {
			continue
		}
		if text := h.refused(alice, c.tool, c.name, 1); !strings.HasSuffix(text, "; ignored: "+want) {
			t.Errorf("%s: %s", c.tool, text)
		}
	}
	many := []any{"query", "lamp"}
	for i := range maxIgnoredParameters + 1 {
		many = append(many, fmt.Sprint("p", i), i)
	}
	if text := h.refused(alice, "memory_search", many...); !strings.Contains(text, "unknown parameter") {
		t.Error(text)
	}
	if text := h.must(alice, "memory", "command", "view", "path", "/memories/k", "depth", 2, "action", "sendMessage"); !strings.HasSuffix(text, `{"ignored":["depth"]}`) {
		t.Error(text)
	}
	if text := h.refused(alice, "memory_search", "query", "lamp", "recency", map[string]any{"halflife": "1d"}); !strings.Contains(text, "recency.half") {
		t.Error(text)
	}
}

// maxIgnoredParameters is the maximum number of unknown parameters in a call.
const maxIgnoredParameters = 20
