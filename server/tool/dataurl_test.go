package tool_test

import (
	"strings"
	"testing"
)

// A picture in a text is replaced by a note for models. Reading the memory returns it as
// stored.
func TestToolsThatFindShowNoDataURLs(t *testing.T) {
	h, me := openWithModel(t), alice
	const url, mark = "data:image/png;base64,aGlkZGVuIHBpeGVscw==", "[image/png, 13 B]"
	h.put(me, "alice", "gate", `"The gate of the garden `+url+` is blue."`)
	h.put(me, "alice", "turn", `{"text": "The gate is in the garden.", "picture": "`+url+`"}`)
	h.index()
	question := "where is the gate of the garden?"
	for _, call := range [][]any{
		{"memory_search", "query", question},
		{"memory_search", "query", question, "passages", false, "max_tokens", 100_000},
		{"memory", "command", "search", "query", question, "passages", false},
		{"memory_list"},
	} {
		answer := h.must(me, call[0].(string), call[1:]...)
		if strings.Contains(answer, "base64") || strings.Contains(answer, "aGlk") || call[0] != "memory_list" && !strings.Contains(answer, mark) {
			t.Errorf("%v: %s", call, answer)
		}
	}
	if answer := h.must(me, "memory_get", "key", "gate"); !strings.Contains(answer, url) {
		t.Errorf("memory_get: %s", answer)
	}
}
