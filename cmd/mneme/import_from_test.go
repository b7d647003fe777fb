package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/clients/go/api"
)

const sampleExports = "../../examples/samples/exports"

// exports are the sample of each system, the number of its entries, and a question with
// the key of its answer.
var exports = []struct {
	system, name  string
	entries       int64
	question, key string
}{
	{"mem0", "mem0.json", 3, "how does the user like to travel?", "0f5c1a52-6a1e-4e55-9d51-3c1b0a9f7e02"},
	{"letta", "letta.af", 3, "what kind of soil is there?", "Sample gardener/human"},
	{"zep", "zep.json", 5, "which database holds the orders?", "fact/5b0e7d6a-1f0e-4c53-8a1f-7f8f6a2d1001"},
	{"basic-memory", "basic-memory", 2, "how do I look after the cast-iron pot?", "kitchen/Cast-iron pot"},
	{"chatgpt", "chatgpt", 1, "when is a bicycle chain worn?", "conversation/69a41f20-0000-8000-8000-0000000000a1/001"},
	{"claude", "claude", 5, "which moon has an atmosphere?", "conversation/3d9f2c10-0000-4000-8000-0000000000c1/001"},
}

func TestExportsOfOtherSystemsAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, e := range exports {
		counts := decode[importCounts](t, must(t, dir, "", "import", "--json", "--agent", "iris", "--from", e.system, filepath.Join(sampleExports, e.name)))
		if counts.Created != e.entries || len(counts.Refused)+len(counts.Notes) > 0 {
			t.Errorf("%s: got %+v", e.system, counts)
		}
	}
	for _, e := range exports {
		found := decode[answer](t, must(t, dir, "", "search", "--json", "--agent", "iris", "--namespace", e.system, e.question))
		if len(found.Hits) == 0 || found.Hits[0].Key != e.key {
			t.Errorf("%s: got %v", e.system, keys(found))
		}
	}
}

func TestRepeatedImportOfAnotherSystemsExportChangesNothing(t *testing.T) {
	dir := t.TempDir()
	load := func() (all importCounts) {
		for _, e := range exports {
			counts := decode[importCounts](t, must(t, dir, "", "import", "--json", "--no-wait", "--agent", "iris", "--from", e.system, filepath.Join(sampleExports, e.name)))
			all.Created += counts.Created
			all.Updated += counts.Updated
			all.Unchanged += counts.Unchanged
		}
		return all
	}
	first := load()
	before := must(t, dir, "", "export", "--agent", "iris")
	if again := load(); again.Unchanged != first.Created || again.written() != 0 {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if after := must(t, dir, "", "export", "--agent", "iris"); after != before {
		t.Error("the entries changed")
	}
}

func TestNewerExportUpdatesItsEntries(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, `[{"id": "a", "memory": "one", "categories": ["x"]}, {"id": "b", "memory": "two"}]`, "import", "--no-wait", "--agent", "iris", "--from", "mem0", "-")
	counts := decode[importCounts](t, must(t, dir, `[{"id": "a", "memory": "one"}, {"id": "b", "memory": "two"}]`, "import", "--json", "--no-wait", "--agent", "iris", "--from", "mem0", "-"))
	if counts.Updated != 1 || counts.Unchanged != 1 {
		t.Errorf("got %+v", counts)
	}
	if out := must(t, dir, "", "export", "--agent", "iris"); strings.Contains(out, `"x"`) {
		t.Errorf("the tag is still there: %s", out)
	}
}

func TestRefusedItemsOfAnExportAreListedWithTheirPath(t *testing.T) {
	dir := t.TempDir()
	r := mneme(t, dir, `{"results": [
		{"id": "a", "memory": "fine"},
		{"id": "/xyzzy", "memory": "xyzzy"},
		{"memory": "xyzzy"},
		{"id": "b", "memory": "xyzzy", "expiration_date": "2020-01-01"}]}`, "import", "--no-wait", "--agent", "iris", "--from", "mem0", "-")
	if r.status != exitFailed || !strings.Contains(r.out, "created 1, updated 0, unchanged 0, refused 2") {
		t.Errorf("got %+v", r)
	}
	for _, line := range []string{"-:3: .results[1]: key: ", "-:4: .results[2]: id: is missing\n", "-:5: note: .results[3]: has expired there\n"} {
		if !strings.Contains(r.err, line) {
			t.Errorf("%q is not in\n%s", line, r.err)
		}
	}
	if strings.Contains(r.out+r.err, "xyzzy") {
		t.Errorf("memory text shows in\n%s", r.err)
	}
}

// An entry with a date that cannot be parsed is imported: its text stays, and a note
// reports it.
func TestDatesOfAnImport(t *testing.T) {
	dir := t.TempDir()
	r := mneme(t, dir, `[{"id": "a", "memory": "one", "created_at": "last xyzzy"}, {"id": "b", "memory": "two", "created_at": "June 30, 2026 at 9:00 AM"}]`,
		"import", "--no-wait", "--agent", "iris", "--from", "mem0", "--timezone", "Asia/Tokyo", "-")
	if r.status != exitDone || !strings.Contains(r.out, "created 2, updated 0, unchanged 0, refused 0") || !strings.Contains(r.err, "-:1: note: .[0]: its date is not understood") || strings.Contains(r.err, "xyzzy") {
		t.Errorf("got %+v", r)
	}
	counts := decode[importCounts](t, must(t, dir, `{"key":"c","value":"three","occurred_at":"in xyzzy"}
{"key":"d","value":"four","occurred_at":"2026/06"}
{"key":"e","value":"five","occurred_at":"2026-06-30T09:00"}
`, "import", "--json", "--no-wait", "--agent", "iris", "--store", "iris", "--timezone", "+09:00", "-"))
	if counts.Created != 3 || len(counts.Notes) != 1 || counts.Notes[0].Line != 1 {
		t.Errorf("got %+v", counts)
	}
	folder := fill(t, map[string]string{
		"f.md": "---\nname: f\ndescription: Trip\noccurred_at: last xyzzy\n---\n\nsix\n", "g.md": "---\nname: g\noccurred_at: 2026-06-30T09:00\n---\n\nseven\n",
	})
	for i, want := range []string{"created 2, updated 0", "unchanged 2"} {
		r := mneme(t, dir, "", "import", "--no-wait", "--agent", "iris", "--timezone", "+09:00", "--markdown", folder)
		if r.status != exitDone || !strings.Contains(r.out, want) || !strings.Contains(r.err, "f.md:4: note: occurred_at: its date is not understood") || strings.Contains(r.err, "xyzzy") {
			t.Errorf("time %d: got %+v", i, r)
		}
	}
	var got []string
	for line := range strings.Lines(must(t, dir, "", "export", "--agent", "iris")) {
		e, occurred := decode[api.Entry](t, line), ""
		if e.OccurredAt != nil {
			occurred = *e.OccurredAt
		}
		got = append(got, e.Key+"|"+e.Description+"|"+occurred)
	}
	want := "c|date: in xyzzy| d||2026-06 e||2026-06-30T00:00:00Z f|Trip (date: last xyzzy)| g||2026-06-30T00:00:00Z a|date: last xyzzy| b||2026-06-30T00:00:00Z"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestFilesOfOtherKindsAreRefused(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(t.TempDir(), "data.zip")
	if err := os.WriteFile(bad, []byte("not an archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, reason := range map[string]string{
		sampleMemories:                  "has none of the fields of such an export",
		bad:                             "not a valid zip file",
		sampleExports + "/basic-memory": "has no file that belongs to such an export",
	} {
		r := mneme(t, dir, "", "import", "--no-wait", "--agent", "iris", "--from", "claude", file)
		if r.status != exitFailed || !strings.Contains(r.err, reason) {
			t.Errorf("%s: got %+v", file, r)
		}
	}
}

func TestNamespaceOfAnImportFromAnotherSystem(t *testing.T) {
	for namespace, want := range map[string]string{"": `"namespace":""`, "old notes": `"namespace":"old notes"`} {
		dir := t.TempDir()
		must(t, dir, `[{"id": "a", "memory": "one"}]`, "import", "--no-wait", "--store", "iris", "--from", "mem0", "--namespace", namespace, "-")
		if out := must(t, dir, "", "export", "--agent", "iris"); !strings.Contains(out, want) {
			t.Errorf("%q: got %s", namespace, out)
		}
	}
}
