package tool_test

import (
	"strings"
	"testing"

	"mneme/memory"
)

// For a tool, an entry that is not in context is absent to read, delete and rename,
// even for its owner. A write to its key is refused, since it can neither replace the
// entry nor coexist with it.
func TestAToolNeitherReadsNorChangesEntriesNotInContext(t *testing.T) {
	h := open(t)
	h.put(alice, "alice", "oauth", `"a marzipan state"`, func(r *memory.PutRequest) { r.InContext = new(false) })
	h.must(alice, "memory_save", "key", "other", "content", "plain")
	type call struct {
		name  string
		pairs []any
	}
	for _, read := range []call{
		{"memory", []any{"command", "view", "path", "/memories"}},
		{"memory_list", nil},
		{"memory_get", []any{"key", "oauth"}},
		{"memory_search", []any{"query", "which state?"}},
	} {
		if text := h.must(alice, read.name, read.pairs...); strings.Contains(text, "marzipan") || read.name != "memory_get" && strings.Contains(text, "oauth") {
			t.Errorf("%s shows it: %s", read.name, text)
		}
	}
	for _, absent := range []call{
		{"memory", []any{"command", "view", "path", "/memories/oauth"}},
		{"memory", []any{"command", "delete", "path", "/memories/oauth"}},
		{"memory", []any{"command", "rename", "old_path", "/memories/oauth", "new_path", "/memories/shown"}},
		{"memory", []any{"command", "str_replace", "path", "/memories/oauth", "old_str", "state", "new_str", "x"}},
		{"ReadUserMemory", []any{"name", "oauth"}},
		{"memory_delete", []any{"key", "oauth"}},
	} {
		if text := h.try(alice, absent.name, absent.pairs...).Text; strings.Contains(text, "marzipan") {
			t.Errorf("%s %v: %s", absent.name, absent.pairs, text)
		}
	}
	for _, write := range []call{
		{"memory", []any{"command", "create", "path", "/memories/oauth", "content", "x"}},
		{"memory", []any{"command", "rename", "old_path", "/memories/other", "new_path", "/memories/oauth"}},
		{"memory_save", []any{"key", "oauth", "content", "x"}},
		{"kv_set", []any{"key", "oauth", "value", "x"}},
	} {
		if result := h.try(alice, write.name, write.pairs...); !result.IsError || strings.Contains(result.Text, "marzipan") {
			t.Errorf("%s %v: %s", write.name, write.pairs, result.Text)
		}
	}
	if h.value(alice, "alice", "oauth") != `"a marzipan state"` || h.value(alice, "alice", "other") != `"plain"` {
		t.Errorf("left %s and %s", h.value(alice, "alice", "oauth"), h.value(alice, "alice", "other"))
	}
}
