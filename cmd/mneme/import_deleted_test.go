package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A repeated import, from any source, does not restore entries that were deleted here.
func TestImportLeavesWhatWasDeletedHere(t *testing.T) {
	t.Parallel()
	vault := fill(t, map[string]string{"a/one.md": "one\n", "two.md": "two\n"})
	lines := filepath.Join(t.TempDir(), "memories.ndjson")
	if err := os.WriteFile(lines, []byte(`{"key":"l1","value":"one"}`+"\n"+`{"key":"l2","value":"two"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	type source struct {
		args      []string
		namespace string
		key       string
	}
	all := map[string]source{
		"a folder": {[]string{vault}, "", "a/one"},
		"lines":    {[]string{"--store", "iris", lines}, "", "l1"},
	}
	for _, e := range exports {
		all[e.system] = source{[]string{"--from", e.system, filepath.Join(sampleExports, e.name)}, e.system, e.key}
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			load := func(more ...string) (importCounts, string) {
				r := mneme(t, dir, "", append(append([]string{"import", "--json", "--no-wait", "--agent", "iris"}, more...), c.args...)...)
				if r.status != exitDone {
					t.Fatalf("got %+v", r)
				}
				return decode[importCounts](t, r.out), r.err
			}
			first, _ := load()
			must(t, dir, "", "delete", "--agent", "iris", "--namespace", c.namespace, c.key)
			again, said := load()
			if again.Deleted != 1 || again.written() != 0 || again.Unchanged != first.Created-1 || !strings.Contains(said, "1 was deleted here and stays in the trash: --restore brings it back") {
				t.Errorf("got %+v, %s", again, said)
			}
			if changed, _ := load("--restore=changed"); changed.Deleted != 1 || changed.written() != 0 {
				t.Errorf("only what has changed: got %+v", changed)
			}
			back, said := load("--restore")
			if back.Deleted != 0 || back.Restored != 1 || back.Created != 0 || !strings.Contains(said, "1 was restored from the trash") {
				t.Errorf("got %+v, %s", back, said)
			}
			if last, _ := load(); last.Unchanged != first.Created || last.Deleted != 0 {
				t.Errorf("afterwards: got %+v", last)
			}
		})
	}
}

// The flag --restore decides whether an import restores entries that the source has changed
// since they were deleted here.
func TestImportOfWhatWasDeletedHereAndChangedThere(t *testing.T) {
	dir := t.TempDir()
	load := func(text string, more ...string) (importCounts, string) {
		r := mneme(t, dir, text, append([]string{"import", "--json", "--no-wait", "--agent", "iris", "--from", "mem0", "-"}, more...)...)
		return decode[importCounts](t, r.out), r.err
	}
	load(`[{"id": "a", "memory": "one"}, {"id": "b", "memory": "two"}, {"id": "c", "memory": "three"}]`)
	for _, key := range []string{"a", "b"} {
		must(t, dir, "", "delete", "--agent", "iris", "--namespace", "mem0", key)
	}
	const newer = `[{"id": "a", "memory": "one, changed"}, {"id": "b", "memory": "two"}, {"id": "c", "memory": "three"}, {"id": "d", "memory": "four"}]`
	counts, said := load(newer)
	if counts.Deleted != 2 || counts.DeletedChanged != 1 || counts.Created != 1 || counts.Unchanged != 1 ||
		!strings.Contains(said, "2 were deleted here and stay in the trash") || !strings.Contains(said, "1 was changed at the source") {
		t.Errorf("got %+v, %s", counts, said)
	}
	if counts, _ := load(newer, "--restore=changed"); counts.Deleted != 1 || counts.Restored != 1 || counts.Updated != 1 || counts.Created != 0 {
		t.Errorf("got %+v", counts)
	}
	if out := must(t, dir, "", "export", "--agent", "iris"); !strings.Contains(out, "one, changed") || strings.Contains(out, `"two"`) {
		t.Errorf("got %s", out)
	}
	if out := must(t, dir, "", "history", "--agent", "iris", "--namespace", "mem0", "a"); !strings.Contains(out, "2") {
		t.Errorf("its history is %s", out)
	}
	if r := mneme(t, dir, newer, "import", "--agent", "iris", "--from", "mem0", "--restore=some", "-"); r.status == exitDone {
		t.Errorf("got %+v", r)
	}
	// A new entry with the key of a deleted one is updated as before.
	must(t, dir, "", "put", "--agent", "iris", "--namespace", "mem0", "b", "mine")
	if counts, _ := load(newer); counts.Deleted != 0 || counts.Updated != 1 {
		t.Errorf("got %+v", counts)
	}
}

// A conversation that was deleted here stays deleted even if it continues at the source.
func TestImportOfAConversationThatWasDeletedHere(t *testing.T) {
	dir := t.TempDir()
	chat := func(messages int) string {
		var all []string
		for range messages {
			all = append(all, `{"sender": "human", "text": "`+strings.Repeat("word ", 3000)+`"}`)
		}
		return `[{"uuid": "u", "name": "Talk", "chat_messages": [` + strings.Join(all, ",") + `]}]`
	}
	load := func(text string, more ...string) importCounts {
		return decode[importCounts](t, mneme(t, dir, text, append([]string{"import", "--json", "--no-wait", "--agent", "iris", "--from", "claude", "-"}, more...)...).out)
	}
	first := load(chat(4))
	if first.Created < 2 {
		t.Fatalf("got %+v", first)
	}
	must(t, dir, "", "delete", "--agent", "iris", "--namespace", "claude", "conversation/u/001")
	if counts := load(chat(8)); counts.Deleted != 1 || counts.Created == 0 {
		t.Errorf("one part was deleted: got %+v", counts)
	}
	for line := range strings.Lines(must(t, dir, "", "export", "--agent", "iris")) {
		must(t, dir, "", "delete", "--agent", "iris", "--namespace", "claude", decode[struct{ Key string }](t, line).Key)
	}
	counts := load(chat(12))
	if counts.Created != 0 || counts.Deleted < 5 || counts.DeletedChanged != counts.Deleted {
		t.Errorf("all were deleted: got %+v", counts)
	}
	if back := load(chat(12), "--restore=changed"); back.Restored != counts.Deleted || back.Deleted != 0 || back.Created == 0 {
		t.Errorf("got %+v", back)
	}
}

// A file of an exported folder does not restore an entry that was deleted here, unless the
// file was moved back from the folder's trash.
func TestImportOfAFolderWhoseEntriesWereDeletedHere(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(t.TempDir(), "memory")
	must(t, dir, "", "put", "--agent", "iris", "a", "one")
	must(t, dir, "", "put", "--agent", "iris", "b", "two")
	must(t, dir, "", "export", "--agent", "iris", "--markdown", folder)
	must(t, dir, "", "delete", "--agent", "iris", "a")
	for _, args := range [][]string{{"--dry-run"}, {}} {
		counts := decode[importCounts](t, must(t, dir, "", append([]string{"import", "--json", "--no-wait", "--agent", "iris", "--markdown", folder}, args...)...))
		if counts.Deleted != 1 || counts.Created != 0 || counts.Unchanged != 1 {
			t.Errorf("%q: got %+v", args, counts)
		}
	}
	must(t, dir, "", "export", "--agent", "iris", "--markdown", folder)
	if err := os.Rename(filepath.Join(folder, "trash", "a.md"), filepath.Join(folder, "a.md")); err != nil {
		t.Fatal(err)
	}
	counts := decode[importCounts](t, must(t, dir, "", "import", "--json", "--no-wait", "--agent", "iris", "--markdown", folder))
	if counts.Deleted != 0 || counts.Restored != 1 || counts.Unchanged != 2 {
		t.Errorf("moved back: got %+v", counts)
	}
	// Another database gets both entries of a key: the deleted one, and the live one.
	must(t, dir, "", "delete", "--agent", "iris", "b")
	must(t, dir, "", "put", "--agent", "iris", "b", "three")
	must(t, dir, "", "export", "--agent", "iris", "--markdown", folder)
	counts = decode[importCounts](t, must(t, t.TempDir(), "", "import", "--json", "--no-wait", "--agent", "iris", "--markdown", folder))
	if counts.Deleted != 0 || counts.Created != 2 || counts.Trashed != 1 {
		t.Errorf("elsewhere: got %+v", counts)
	}
}
