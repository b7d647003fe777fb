package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestVaultIsImportedAndOnlyChangesAreWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"Kitchen/Bread.md": "# Bread\n\nFold four times.", "b.md": "x", "p.png": "x", "q.png": "x", "e.md": "", "bad.md": "xyzzy\xff"}
	load := func() (importCounts, result) {
		folder := fill(t, files)
		r := mneme(t, dir, "", "import", "--no-wait", "--json", "--agent", "ada", folder)
		return decode[importCounts](t, r.out), r
	}
	counts, r := load()
	if counts.Created != 2 || counts.LeftOut[".png"] != 2 || len(counts.Refused) != 1 || strings.Count(r.err, "left out") != 1 ||
		!strings.Contains(r.err, "left out: 2 .png, 1 empty\n") || !strings.Contains(r.err, "bad.md:1: is not valid UTF-8") || strings.Contains(r.err, "xyzzy") {
		t.Errorf("got %+v, %s", counts, r.err)
	}
	files["b.md"] = "y"
	if counts, _ := load(); counts.Updated != 1 || counts.Unchanged != 1 || counts.Created != 0 {
		t.Errorf("got %+v", counts)
	}
	if out := must(t, dir, "", "get", "--agent", "ada", "Kitchen/Bread"); !strings.Contains(out, "Fold four times.") {
		t.Errorf("got %s", out)
	}
	must(t, dir, "", "import", "--no-wait", "--as", "bob", "--namespace", "wiki", fill(t, map[string]string{"a.md": "x"}))
	must(t, dir, "", "get", "--agent", "bob", "--namespace", "wiki", "a")
}

func TestExportedFolderGivenAsAFileIsImportedAsOne(t *testing.T) {
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "f")
	must(t, dir, `{"key":"a","value":"x","description":"d"}
{"key":"b","value":"y"}`, "import", "--no-wait", "--agent", "ada", "-")
	must(t, dir, "", "delete", "--agent", "ada", "b")
	must(t, dir, "", "export", "--agent", "ada", "--markdown", folder)
	counts := decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", "--as", "bob", folder))
	if counts.Created != 1 || counts.Trashed != 1 {
		t.Errorf("got %+v", counts)
	}
}
