package main

import (
	"os"
	"strings"
	"testing"

	"mneme/clients/go/api"
)

func TestEntriesCanBePutReadListedAndDeleted(t *testing.T) {
	dir := t.TempDir()
	alice := func(in string, args ...string) result {
		t.Helper()
		return mneme(t, dir, in, append(args, "--agent", "alice")...)
	}
	ok := func(in string, args ...string) string {
		t.Helper()
		r := alice(in, args...)
		if r.status != exitDone {
			t.Fatalf("%v: status %d\n%s", args, r.status, r.err)
		}
		return r.out
	}
	if out := ok("", "put", "seat", "the window", "--type", "user", "--tag", "travel", "--tag", "trains", "--description", "a seat", "--occurred-at", "2023-05-08"); out != "seat\tPUBLIC\tversion 1\n" {
		t.Errorf("put printed %q", out)
	}
	if out := ok("", "get", "seat"); out != "the window\n" {
		t.Errorf("get printed %q", out)
	}
	ok("two\nlines\n", "put", "seat")
	ok("the aisle", "put", "seat", "-")
	entry := decode[api.Entry](t, ok("", "get", "seat", "--json"))
	if entry.Version != 3 || string(entry.Value) != `"the aisle"` || entry.Type != "user" || len(entry.Tags) != 2 || entry.Description != "a seat" {
		t.Errorf("the entry is %+v", entry)
	}
	if lines := strings.Split(strings.TrimSpace(ok("", "history", "seat")), "\n"); len(lines) != 3 || !strings.Contains(lines[1], "two lines") {
		t.Errorf("the history is %q", lines)
	}
	ok("", "put", "n", `{"a":1.50}`, "--value-json", "--namespace", "team")
	if out := ok("", "get", "n", "--namespace", "team"); out != `{"a":1.50}`+"\n" {
		t.Errorf("a value of JSON: %q", out)
	}
	for _, c := range [][3]string{
		{"2023", "Asia/Tokyo", "2023"}, {"2023-05", "UTC", "2023-05"}, {"2023-05-08T09:00", "Asia/Tokyo", "2023-05-08T00:00:00Z"}, {"2023-05-08T09:00", "", "2023-05-08T09:00:00Z"},
	} {
		ok("", "put", "seat", "x", "--occurred-at", c[0], "--timezone", c[1])
		if got := decode[api.Entry](t, ok("", "get", "seat", "--json")).OccurredAt; got == nil || *got != c[2] {
			t.Errorf("%v: %v", c, got)
		}
	}
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{exitFailed, "exists", []string{"put", "seat", "x", "--if-absent"}},
		{exitFailed, "no such entry", []string{"get", "absent"}},
		{exitFailed, "absent", []string{"delete", "seat", "absent"}},
		{exitFailed, "", []string{"get", "seat", "--store", "bob"}},
		{exitUsage, "not JSON", []string{"put", "seat", "{", "--value-json"}},
		{exitUsage, "--ttl", []string{"put", "seat", "x", "--ttl", "1ms"}},
		{exitUsage, "", []string{"get"}},
	} {
		if r := alice("", c.args...); r.status != c.status || !strings.Contains(r.err, c.says) {
			t.Errorf("%v: status %d, %s", c.args, r.status, r.err)
		}
	}
	ok("", "delete", "seat")
	if r := alice("", "get", "seat"); r.status != exitFailed {
		t.Errorf("after delete, get has status %d", r.status)
	}
}

// An entry that put wrote is found by its meaning, although no server runs that computes
// its vectors.
func TestPutEntriesAreFoundByMeaning(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "put", "hives", "the bees need sugar in March", "--agent", "alice")
	found := decode[answer](t, must(t, dir, "", "search", "when must insects be fed?", "--agent", "alice", "--json"))
	if len(found.Hits) != 1 || len(found.Degraded) != 0 {
		t.Errorf("%d hits, degraded %v", len(found.Hits), found.Degraded)
	}
}

func TestAStoreIsSharedAndUnshared(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "put", "seat", "the window", "--agent", "alice")
	if out := must(t, dir, "", "share", "bob", "--agent", "alice", "--ttl", "1h"); !strings.HasPrefix(out, "bob\tread\tup to PUBLIC\tuntil ") {
		t.Errorf("share printed %q", out)
	}
	if out := must(t, dir, "", "get", "seat", "--agent", "bob", "--store", "alice"); out != "the window\n" {
		t.Errorf("the grantee gets %q", out)
	}
	if out := must(t, dir, "", "stores", "--agent", "bob"); !strings.Contains(out, "alice  grant  read ") || !strings.Contains(out, "self") {
		t.Errorf("stores printed %q", out)
	}
	const chosen = "alice\tmultilingual\tmultilingual (0 of 1)\tMultilingual was chosen: the multilingual model reads every entry. It has read 0 of 1.\n"
	if out := must(t, dir, "", "stores", "language", "self", "multilingual", "--agent", "alice"); out != chosen {
		t.Errorf("stores language printed %q", out)
	}
	if out := strings.Join(strings.Fields(must(t, dir, "", "stores", "--agent", "bob")), " "); !strings.Contains(out, " multilingual multilingual (0 of 1) bob self") || !strings.HasSuffix(out, " no end auto english") {
		t.Errorf("stores printed %q", out)
	}
	if r := mneme(t, dir, "", "stores", "language", "alice", "english", "--agent", "bob"); r.status != exitFailed {
		t.Errorf("a guest chose the models of a store: status %d", r.status)
	}
	if r := mneme(t, dir, "", "stores", "language", "self", "german", "--agent", "alice"); r.status != exitUsage || !strings.Contains(r.err, "auto, english, multilingual") {
		t.Errorf("german: status %d, %s", r.status, r.err)
	}
	if out := must(t, dir, "", "doctor", "--addr", "127.0.0.1:0"); !strings.Contains(out, "models: the English model reads 0 stores, the multilingual one 1 store") {
		t.Errorf("doctor printed %q", out)
	}
	must(t, dir, "", "unshare", "bob", "--agent", "alice")
	if r := mneme(t, dir, "", "get", "seat", "--agent", "bob", "--store", "alice"); r.status != exitFailed {
		t.Errorf("after unshare: status %d", r.status)
	}
}

// A command that reads fails in a folder without a database, and creates none.
func TestReadingNeedsADatabase(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"get", "seat"}, {"history", "seat"}, {"list"}, {"stores"}, {"search", "a seat"}, {"export"},
	} {
		r := mneme(t, dir, "", append(args, "--agent", "alice")...)
		if r.status != exitFailed || !strings.Contains(r.err, "no memories here: "+dir) || !strings.Contains(r.err, "MNEME_DATA_DIR") {
			t.Errorf("%v: status %d, %s", args, r.status, r.err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
