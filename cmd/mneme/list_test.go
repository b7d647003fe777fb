package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mneme/clients/go/api"
)

const listed = `{"key":"b","value":"two","tags":["x","y"],"description":"the second"}
{"key":"a","value":"one\nline\u001b[31m","type":"project","tags":["x"]}
{"key":"c/d","value":{"n":3},"namespace":"team"}
`

func TestListPrintsEntriesInOrder(t *testing.T) {
	dir := t.TempDir()
	today := time.Now().UTC().Format(time.DateOnly)[:8]
	must(t, dir, listed, "import", "--agent", "alice", "--store", "alice", "-")
	tomorrow := time.Now().UTC().Format(time.DateOnly)[:8] // sometimes in another month
	lines := strings.Split(strings.TrimSpace(must(t, dir, "", "list", "--agent", "alice")), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	if !strings.Contains(lines[0], today) && !strings.Contains(lines[0], tomorrow) {
		t.Errorf("line 0 lacks %q: %q", today, lines[0])
	}
	for i, want := range [][]string{
		{"a  ", "PUBLIC", "one line[31m"},
		{"b  ", "the second"},
		{"team: c/d  ", `{"n":3}`},
	} {
		for _, part := range want {
			if !strings.Contains(lines[i], part) {
				t.Errorf("line %d lacks %q: %q", i, part, lines[i])
			}
		}
	}
}

func TestListFilters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, listed, "import", "--agent", "alice", "--store", "alice", "-")
	for _, c := range []struct{ flags, keys string }{
		{"", "a b c/d"},
		{"--namespace team", "c/d"},
		{"--namespace=", "a b"},
		{"--tags x", "a b"},
		{"--tags x,y", "b"},
		{"--type project", "a"},
		{"--prefix c", "c/d"},
		{`--where {"tags":{"contains":"y"}}`, "b"},
		{`--match {"none":["nothing"]} --limit 1`, "a"},
		{`--where {"value.n":{"gte":3}}`, "c/d"},
		{"--limit 2", "a b"},
		{"--limit 0", "a b c/d"},
		{"--store alice", "a b c/d"},
	} {
		out := must(t, dir, "", append([]string{"list", "--agent", "alice", "--json"}, strings.Fields(c.flags)...)...)
		var keys []string
		for line := range strings.Lines(out) {
			keys = append(keys, decode[api.Entry](t, line).Key)
		}
		if got := strings.Join(keys, " "); got != c.keys {
			t.Errorf("list %s: %q, want %q", c.flags, got, c.keys)
		}
	}
}

// --since compares with the time when an entry occurred or, if it has none, when it was
// last changed.
func TestSince(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, `{"key":"now","value":"tea"}
{"key":"old","value":"tea","occurred_at":"2020-05-08"}
{"key":"later","value":"tea","occurred_at":"2020-05-09T10:00:00Z"}
`, "import", "--agent", "alice", "--store", "alice", "-")
	for _, c := range []struct{ flags, keys string }{
		{"--since 7d", "now"},
		{"--since 2020-05-09", "later now"},
		{"--since 2020-05-09T10:00:00Z", "later now"},
		{"--since 2020-05-09T10:00:01Z", "now"},
		{"--since 2020-05-08", "later now old"},
		{"--since 2020-05", "later now old"},
		{"--since 2020", "later now old"},
		{"--since 2020-06", "now"},
		{"--since 2020-05-09T12:00 --timezone +02:00", "later now"},
		{"--since 2020-05-09T12:01 --timezone +02:00", "now"},
		{`--where {"occurred_at":{"lte":"2020-05-09"}}`, "later old"},
		{`--where {"occurred_at":{"lte":"2020-05-09"}} --timezone +14:00`, "old"},
		{`--where {"occurred_at":{"eq":"2020-05-10"}} --timezone Pacific/Kiritimati`, "later"},
		{`--since 2020-05-08 --where {"key":{"lt":"n"}}`, "later"},
	} {
		args := strings.Fields(c.flags)
		var keys []string
		for line := range strings.Lines(must(t, dir, "", append([]string{"list", "--agent", "alice", "--json"}, args...)...)) {
			keys = append(keys, decode[api.Entry](t, line).Key)
		}
		if got := strings.Join(keys, " "); got != c.keys {
			t.Errorf("list %s: %q, want %q", c.flags, got, c.keys)
		}
		found := decode[answer](t, must(t, dir, "", append([]string{"search", "--agent", "alice", "--json", "tea"}, args...)...))
		if len(found.Hits) != len(keys) {
			t.Errorf("search %s: %d hits, want %q", c.flags, len(found.Hits), c.keys)
		}
	}
	for _, bad := range []string{"", "7", "d7", "-7d", "yesterday", "2020-13-01", "7d\"", "7d,now"} {
		if r := mneme(t, dir, "", "list", "--agent", "alice", "--since", bad); r.status != exitUsage || !strings.Contains(r.err, "such as 7d") {
			t.Errorf("--since %q: %+v", bad, r)
		}
	}
}

func TestListSaysWhatItLacks(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, listed, "import", "--agent", "alice", "--store", "alice", "-")
	if r := mneme(t, dir, "", "list", "--agent", "alice", "--limit", "2"); !strings.Contains(r.err, "more than 2 entries") {
		t.Errorf("a cut list: %+v", r)
	}
	if out := must(t, dir, "", "list", "--agent", "bob"); out != "no entries\n" {
		t.Errorf("an empty list: %q", out)
	}
	if r := mneme(t, dir, "", "list", "--agent", "bob", "--store", "alice"); r.status != exitFailed || r.out != "" {
		t.Errorf("another's store: %+v", r)
	}
	for _, line := range []string{"list", "list --agent a --limit -1", "list --agent a --store ..", "list --agent a extra"} {
		if r := mneme(t, dir, "", strings.Fields(line)...); r.status != exitUsage {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

func TestFlagsComplete(t *testing.T) {
	for line, want := range map[string]string{
		"list --type ":      "user feedback project reference",
		"search --ranking ": "relevance rrf",
		"sales --by ":       "day buyer offer",
		"search --taint ":   "PUBLIC INTERNAL CONFIDENTIAL RESTRICTED",
		"list --storage ":   "sqlite postgres",

		"stores language --agent a self ": "auto english multilingual",
	} {
		var out, errOut bytes.Buffer
		words := append([]string{"__complete"}, strings.Split(line, " ")...)
		if status := run(t.Context(), words, strings.NewReader(""), &out, &errOut); status != exitDone {
			t.Fatalf("%s: status %d: %s", line, status, errOut.String())
		}
		values, _, _ := strings.Cut(out.String(), ":")
		if got := strings.Join(strings.Fields(values), " "); got != want {
			t.Errorf("%s completes %q, want %q", line, got, want)
		}
	}
}
