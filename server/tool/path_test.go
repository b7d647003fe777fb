package tool_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"mneme/acl"
)

// No command accepts a path that could escape when a file system, a URL decoder
// or a normaliser processes it.
func TestEveryEscapeIsRefused(t *testing.T) {
	h := open(t)
	h.put(bob, "bob", "secret", `"of bob"`)
	h.put(alice, "alice", "a", `"text"`)
	for _, path := range []string{
		"", "/", "memories/a", "/memoriesx", "/Memories/a", "//memories/a", " /memories/a", "/etc/passwd", "file:///memories/a",
		"/memories/..", "/memories/../memories/a", "/memories/a/../../etc", "/memories/a/../../memories/a", "/memories/./../x", "/memories/a/ .. /b",
		"/memories%2e%2e", "/memories%2f", "/memories/%2e%2e/x", "/memories/%2E%2E%2Fx", "/memories/.%2e/x", "/memories/%2e./x", "/memories%2f..%2fx", "/memories/a%2fb",
		"/memories/%252e%252e%252fx", "/memories/%25252e%25252e/x", "/memories/%2525252e%2525252e/x", "/memories/100%/%2e%2e/x",
		"/memories/%c0%ae%c0%ae/x", "/memories/a/../%2e%2e/x", "/memories/a%00b", "/memories/a\x00b", "/memories/a%0ab", "/memories/a\nb",
		`/memories\..\x`, `/memories/..\x`, `/memories/a\b`, "/memories/%5c..%5cx", "/memories/%255c..", `\memories\a`,
		"/memories/．．/x", "/memories/‥/x", "/memories/a\u2028b", "/memories/a\u202eb", "/memories/a\u200bb", "/memories/\ufeffa",
		"/memories/shared/bob/../../../etc", "/memories/shared/%2e%2e/secret", "/memories/shared/../../etc", "/memories/shared/bob%2fsecret",
		"/memories/shared/bob/../self/a", "/memories/shared/self/a", "/memories/shared/shared/a", "/memories/shared/b ob/secret", "/memories/shared/bob;x/secret",
		"/memories/" + strings.Repeat("x", 513), "/memories/" + strings.Repeat("x/", 2000), "/memories/" + strings.Repeat("é", 300),
		"/memories/" + strings.Repeat("%25", 600) + "2e", "/memories/shared/" + strings.Repeat("x", 129) + "/a",
	} {
		for _, call := range [][]any{
			{"command", "view", "path", path},
			{"command", "create", "path", path, "file_text", "x"},
			{"command", "create", "path", path, "content", "x"},
			{"command", "edit", "path", path, "old_str", "t", "new_str", "x"},
			{"command", "insert", "path", path, "insert_line", 0, "insert_text", "x"},
			{"command", "delete", "path", path},
			{"command", "rename", "old_path", path, "new_path", "/memories/new"},
			{"command", "rename", "old_path", "/memories/a", "new_path", path},
			{"command", "search", "query", "text", "path", path},
		} {
			got := h.try(alice, "memory", call...)
			if !got.IsError {
				t.Errorf("%q of %q: %s", call[1], path, got.Text)
			}
			if len(got.Text) > 1000 {
				t.Errorf("%q of %q repeats %d bytes", call[1], path, len(got.Text))
			}
			if strings.Contains(got.Text, "of bob") {
				t.Errorf("%q of %q shows another's memory", call[1], path)
			}
		}
	}
	if got := h.value(alice, "alice", "a"); got != `"text"` {
		t.Errorf("the entry became %s", got)
	}
}

func TestHarmlessPathsAreCanonicalised(t *testing.T) {
	h := open(t)
	h.share(bob, "alice", acl.ReadWrite)
	for path, c := range map[string]struct{ store, key, shown string }{
		"/memories/a":                           {"alice", "a", "/memories/a"},
		"/memories//c/./d":                      {"alice", "c/d", "/memories/c/d"},
		"/memories/b/../f":                      {"alice", "f", "/memories/f"},
		"/memories/b/c/../../g/e":               {"alice", "g/e", "/memories/g/e"},
		"/memories/shared/../bob/b":             {"alice", "bob/b", "/memories/bob/b"},
		"/memories/x/../shared/alice/../bob/c":  {"bob", "c", "/memories/shared/bob/c"},
		"/memories/100%":                        {"alice", "100%", "/memories/100%"},
		"/memories/50%25":                       {"alice", "50%25", "/memories/50%25"},
		"/memories/..a/b..":                     {"alice", "..a/b..", "/memories/..a/b.."},
		"/memories/... ":                        {"alice", "... ", "/memories/... "},
		"/memories/e\u0301":                     {"alice", "\u00e9", "/memories/\u00e9"},
		"/memories/Shared/bob":                  {"alice", "Shared/bob", "/memories/Shared/bob"},
		"/memories/shared/bob/a":                {"bob", "a", "/memories/shared/bob/a"},
		"/memories/shared/alice/own":            {"alice", "own", "/memories/shared/alice/own"},
		"/memories/shared/alice/shared/bob":     {"alice", "shared/bob", "/memories/shared/alice/shared/bob"},
		"/memories/shared/bob/shared/x":         {"bob", "shared/x", "/memories/shared/bob/shared/x"},
		"/memories/" + strings.Repeat("y", 512): {"alice", strings.Repeat("y", 512), "/memories/" + strings.Repeat("y", 512)},
	} {
		if got := h.must(alice, "memory", "command", "create", "path", path, "file_text", "x"); got != "File created successfully at: "+c.shown {
			t.Errorf("%q: %s", path, got)
		}
		if h.value(acl.Principal{Agent: c.store, Taint: acl.Public}, c.store, c.key) == "" {
			t.Errorf("%q is not at %s %q", path, c.store, c.key)
		}
	}
}

func TestStoreIsAnotherWayToNameASharedStore(t *testing.T) {
	h := open(t)
	h.share(bob, "alice", acl.ReadWrite)
	got := h.must(alice, "memory", "command", "create", "path", "/memories/a", "store", "bob", "content", "x")
	if got != "File created successfully at: /memories/shared/bob/a" || h.value(bob, "bob", "a") != `"x"` {
		t.Error(got)
	}
	h.refused(alice, "memory", "command", "view", "path", "/memories/shared/bob/a", "store", "bob")
	h.refused(alice, "memory", "command", "view", "path", "/memories/a", "store", "../bob")
}

// SECURITY: after a first segment "shared" comes a store's name, even if a key
// begins with "shared/".
func TestSharedIsNeverAKey(t *testing.T) {
	h := open(t)
	h.put(alice, "alice", "shared/bob/x", `"mine"`)
	h.put(alice, "alice", "shared", `"mine"`)
	h.put(bob, "bob", "x", `"of bob"`)
	for _, path := range []string{"/memories/shared/bob/x", "/memories/shared/bob/"} {
		if text := h.refused(alice, "memory", "command", "view", "path", path); strings.Contains(text, "mine") {
			t.Errorf("%s: %s", path, text)
		}
	}
	if text := h.must(alice, "memory", "command", "view", "path", "/memories"); strings.Contains(text, "shared") {
		t.Errorf("the root lists keys that its paths cannot name: %s", text)
	}
	if text := h.must(alice, "memory", "command", "view", "path", "/memories/shared/alice/shared/bob/x"); !strings.Contains(text, "mine") {
		t.Error(text)
	}
	if text := h.must(alice, "memory", "command", "view", "path", "/memories/shared"); !strings.HasSuffix(text, "\n0B\t/memories/shared") {
		t.Error(text)
	}
	h.refused(alice, "memory", "command", "delete", "path", "/memories/shared")
	h.refused(alice, "memory", "command", "delete", "path", "/memories/shared/alice/")
	h.refused(alice, "memory", "command", "rename", "old_path", "/memories/shared/alice", "new_path", "/memories/x")
}

func TestSharedStoresAreListedAsDirectories(t *testing.T) {
	h := open(t)
	carol := acl.Principal{Agent: "carol", Taint: acl.Public}
	h.share(bob, "alice", acl.Read)
	h.share(carol, "alice", acl.Search)
	h.put(bob, "bob", "a/b", `"12"`)
	got := h.must(alice, "memory", "command", "view", "path", "/memories/shared/")
	want := "Here're the files and directories up to 2 levels deep in /memories/shared, excluding hidden items and node_modules:\n" +
		"2B\t/memories/shared\n2B\t/memories/shared/bob/\n2B\t/memories/shared/bob/a/\n(/memories/shared/bob: language auto; models: english)"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	got = h.must(alice, "memory", "command", "view", "path", "/memories/shared/bob")
	if !strings.HasSuffix(got, "\n2B\t/memories/shared/bob\n2B\t/memories/shared/bob/a/\n2B\t/memories/shared/bob/a/b") {
		t.Error(got)
	}
}

// Indentation can make a value seventy times as long. The text that a view renders to show
// the sizes of values is bounded for the whole call, whatever stores it shows.
func TestAViewOfADirectoryIndentsFewValues(t *testing.T) {
	const most = 512 << 20 // bytes allocated; 200 values are 1.3 GB as text, each made several times
	h := open(t)
	deep := strings.Repeat("[", 99) + strings.Repeat("[],", 33_000) + "[]" + strings.Repeat("]", 99)
	for i := range 200 {
		h.put(alice, "alice", fmt.Sprintf("%03d", i), deep)
	}
	for i := range 10 {
		owner := acl.Principal{Agent: fmt.Sprint("owner", i), Taint: acl.Public}
		h.share(owner, "bob", acl.Read)
		for k := range 10 {
			h.put(owner, owner.Agent, fmt.Sprint(k), deep)
		}
	}
	for _, c := range []struct {
		p                 acl.Principal
		path, first, last string
	}{
		{alice, "/memories", "M\t/memories/000\n", "\n96.9K\t/memories/199"},
		{bob, "/memories/shared", "M\t/memories/shared/owner0/0\n", "\n96.9K\t/memories/shared/owner9/9\n"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text := h.must(c.p, "memory", "command", "view", "path", c.path)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("%s: %d MB allocated", c.path, used>>20)
		}
		if !strings.Contains(text, c.first) || !strings.Contains(text, c.last) { // as text, and as JSON
			t.Errorf("%s: %s", c.path, text)
		}
	}
}

func TestWithoutATrailingSlashAPathMeansTheKey(t *testing.T) {
	h := open(t)
	h.put(alice, "alice", "a", `"the key"`)
	h.put(alice, "alice", "a/b", `"below"`)
	if text := h.must(alice, "memory", "command", "view", "path", "/memories/a"); !strings.Contains(text, "the key") {
		t.Error(text)
	}
	if text := h.must(alice, "memory", "command", "view", "path", "/memories/a/"); !strings.HasSuffix(text, "5B\t/memories/a/b") {
		t.Error(text)
	}
	if text := h.must(alice, "memory", "command", "view", "path", "/memories"); !strings.HasSuffix(text, "7B\t/memories/a\n5B\t/memories/a/\n5B\t/memories/a/b") {
		t.Error(text)
	}
	h.must(alice, "memory", "command", "delete", "path", "/memories/a")
	if h.value(alice, "alice", "a") != "" || h.value(alice, "alice", "a/b") == "" {
		t.Error("the folder was deleted, or the key was not")
	}
	h.put(alice, "alice", "a", `"the key"`)
	h.must(alice, "memory", "command", "delete", "path", "/memories/a/")
	if h.value(alice, "alice", "a") == "" || h.value(alice, "alice", "a/b") != "" {
		t.Error("the key was deleted, or the folder was not")
	}
}
