package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// An edit finds its text whatever the line ends of either, new lines take the text's line
// ends, and views show none.
func TestLineEndsAreThoseOfTheText(t *testing.T) {
	h := open(t)
	for i, c := range []struct {
		name, text, old, new, want string
	}{
		{"CRLF, asked by LF", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "uno\ndos", "uno\r\ndos\r\nthree\r\n"},
		{"LF, asked by CRLF", "one\ntwo\nthree\n", "two\r\nthree", "dos\r\ntres", "one\ndos\ntres\n"},
		{"CRLF by CRLF", "one\r\ntwo\r\n", "one\r\ntwo", "uno\r\ndos", "uno\r\ndos\r\n"},
		{"begins at an end", "one\r\ntwo\r\n", "\ntwo", "\ndos", "one\r\ndos\r\n"},
		{"ends at an end", "one\r\ntwo\r\n", "one\n", "", "two\r\n"},
		{"mixed, most CRLF", "one\ntwo\r\nthree\r\n", "one\ntwo\nthree", "1\n2\n3", "1\r\n2\r\n3\r\n"},
		{"mixed, elsewhere", "one\ntwo\r\nthree\r\nfour\n", "three", "3", "one\ntwo\r\n3\r\nfour\n"},
		{"a lone CR stays", "one\rtwo\r\nthree\r\n", "three\n", "3\n", "one\rtwo\r\n3\r\n"},
		{"one line", "one", "one", "1\r\n2\n3", "1\r\n2\n3"},
		{"letters of more bytes", "é\r\nü\r\n", "é\nü", "ü\né", "ü\r\né\r\n"},
	} {
		for _, command := range []string{"str_replace", "edit"} {
			key := fmt.Sprint(command, i)
			h.must(alice, "memory", "command", "create", "path", "/memories/"+key, "file_text", c.text)
			shown := h.must(alice, "memory", "command", command, "path", "/memories/"+key, "old_str", c.old, "new_str", c.new)
			if got := decoded(t, h.value(alice, "alice", key)); got != c.want {
				t.Errorf("%s, %s: %q, want %q", c.name, command, got, c.want)
			}
			if !strings.Contains(c.want, "\rt") && strings.Contains(shown, "\r") {
				t.Errorf("%s, %s: shown %q", c.name, command, shown)
			}
		}
	}
	h.must(alice, "memory", "command", "create", "path", "/memories/a", "file_text", "one\r\ntwo\r\none\r\ntwo\r\n")
	if got := h.must(alice, "memory", "command", "view", "path", "/memories/a"); strings.Contains(got, "\r") || !strings.Contains(got, "     2\ttwo\n") {
		t.Errorf("%q", got)
	}
	if got := h.refused(alice, "memory", "command", "str_replace", "path", "/memories/a", "old_str", "one\ntwo", "new_str", ""); !strings.Contains(got, "in lines: 1, 3.") {
		t.Error(got)
	}
	h.must(alice, "memory", "command", "insert", "path", "/memories/a", "insert_line", 1, "insert_text", "x\ny")
	h.must(alice, "memory", "command", "insert", "path", "/memories/a", "insert_line", 6, "insert_text", "z")
	if got := decoded(t, h.value(alice, "alice", "a")); got != "one\r\nx\r\ny\r\ntwo\r\none\r\ntwo\r\nz\r\n" {
		t.Errorf("inserted: %q", got)
	}
}

func decoded(t *testing.T, value string) (text string) {
	t.Helper()
	if err := json.Unmarshal([]byte(value), &text); err != nil {
		t.Fatal(err)
	}
	return text
}
