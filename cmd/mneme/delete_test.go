package main

import (
	"fmt"
	"strings"
	"testing"
)

// Delete deletes exactly the entries that a filter selects, even more than a batch holds.
func TestDeleteTakesTheFiltersOfList(t *testing.T) {
	dir := t.TempDir()
	var lines strings.Builder
	const drafts = maxDeleted + 50
	for i := range drafts {
		fmt.Fprintf(&lines, `{"key":"draft/%d","value":{"n":%d},"tags":["draft"]}`+"\n", i, i)
	}
	lines.WriteString(`{"key":"kept/a","value":"stays","namespace":"team"}` + "\n" + `{"key":"kept/b","value":{"n":-1,"parts":[{"id":"x"}]}}` + "\n")
	must(t, dir, lines.String(), "import", "--agent", "ada", "-")
	list := func() string { return must(t, dir, "", "list", "--agent", "ada", "--limit", "0") }
	for _, c := range []struct {
		says string
		args []string
	}{
		{"name keys, or select", nil},
		{"--prefix must not be empty", []string{"--prefix", ""}},
		{"--tags must not be empty", []string{"--tags", ""}},
		{"--where", []string{"--where", "{}"}},
		{"exclude", []string{"kept/a", "--prefix", "kept"}},
		{"exclude", []string{"kept/a", "--yes"}},
		{"would delete 1050 entries: --yes is required", []string{"--tags", "draft"}},
	} {
		r := mneme(t, dir, "", append([]string{"delete", "--agent", "ada"}, c.args...)...)
		if r.status != exitUsage || !strings.Contains(r.err, c.says) {
			t.Errorf("%v: status %d, %s", c.args, r.status, r.err)
		}
	}
	if out := must(t, dir, "", "delete", "--agent", "ada", "--where", `{"value.parts.id":{"eq":"x"}}`, "--dry-run"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "kept/b") {
		t.Errorf("a dry run: %s", out)
	}
	if out := list(); strings.Count(out, "\n") != drafts+2 {
		t.Fatalf("%d entries before anything was deleted", strings.Count(out, "\n"))
	}
	if out := must(t, dir, "", "delete", "--agent", "ada", "--prefix", "draft/", "--tags", "draft", "--yes"); out != "deleted 1050 entries\n" {
		t.Error(out)
	}
	if out := list(); strings.Count(out, "\n") != 2 || !strings.Contains(out, "team: kept/a") || !strings.Contains(out, "kept/b") {
		t.Errorf("left: %s", out)
	}
	if out := must(t, dir, "", "delete", "--agent", "ada", "--prefix", "draft/", "--yes", "--json"); !strings.Contains(out, `"deleted":0`) {
		t.Error(out)
	}
	must(t, dir, "", "delete", "--agent", "ada", "kept/a", "--namespace", "team")
	if out := list(); strings.Contains(out, "kept/a") {
		t.Errorf("left: %s", out)
	}
}
