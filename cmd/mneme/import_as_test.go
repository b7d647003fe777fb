package main

import (
	"path/filepath"
	"strings"
	"testing"

	"mneme/clients/go/api"
)

func TestExportOfOneAgentIsImportedAsAnother(t *testing.T) {
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "ada")
	must(t, dir, `{"key":"a","value":"x","tags":["t"]}
{"key":"b","namespace":"n","value":{"y":1}}`, "import", "--no-wait", "--agent", "ada", "-")
	lines := must(t, dir, "", "export", "--agent", "ada")
	if r := mneme(t, dir, lines, "import", "--no-wait", "--agent", "bob", "-"); r.status == exitDone {
		t.Errorf("bob wrote into ada's store: %+v", r)
	}
	counts := decode[importCounts](t, must(t, dir, lines, "import", "--no-wait", "--json", "--as", "bob", "-"))
	if counts.Created != 2 {
		t.Errorf("got %+v", counts)
	}
	must(t, dir, "", "export", "--agent", "ada", "--markdown", folder)
	counts = decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", "--as", "cleo", "--markdown", folder))
	if counts.Created != 2 {
		t.Errorf("got %+v", counts)
	}
	named := fill(t, map[string]string{"c.md": "---\nname: c\nstore: ada\n---\n\nx\n"})
	must(t, dir, "", "import", "--no-wait", "--as", "cleo", "--markdown", named)
	for agent, want := range map[string]string{"ada": "a b", "bob": "a b", "cleo": "a c b"} {
		var got []string
		for line := range strings.Lines(must(t, dir, "", "export", "--agent", agent)) {
			e := decode[api.Entry](t, line)
			if e.StoreID != agent || e.OwnerID != agent {
				t.Errorf("%s of %s is in the store %s", e.Key, e.OwnerID, e.StoreID)
			}
			got = append(got, e.Key)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s has %q, want %s", agent, got, want)
		}
	}
}

func TestEntriesOfTwoStoresAreNotImportedOverEachOther(t *testing.T) {
	dir := t.TempDir()
	r := mneme(t, dir, `{"store":"ada","key":"a","value":"xyzzy"}
{"store":"bob","key":"a","value":"xyzzy"}
{"store":"ada","key":"a","value":"newer"}`, "import", "--no-wait", "--as", "cleo", "-")
	if r.status != exitFailed || !strings.Contains(r.err, "-:2: key: an entry of another store") || strings.Contains(r.err, "xyzzy") {
		t.Errorf("got %+v", r)
	}
	if out := must(t, dir, "", "export", "--agent", "cleo"); !strings.Contains(out, "newer") {
		t.Errorf("got %s", out)
	}
}

func TestNullAmongTagsIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	folder := fill(t, map[string]string{"a.md": "---\nname: a\ntags: [garden, null, ~]\n---\n\nx\n"})
	must(t, dir, "", "import", "--no-wait", "--agent", "ada", "--markdown", folder)
	if e := decode[api.Entry](t, must(t, dir, "", "export", "--agent", "ada")); strings.Join(e.Tags, ",") != "garden" {
		t.Errorf("got %q", e.Tags)
	}
}
