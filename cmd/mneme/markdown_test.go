package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/clients/go/api"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/markdown"
	"mneme/memory"
	"mneme/test/backendtest"
	"mneme/test/size"
)

// tree reads the files of a folder, except its export record.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == ".mneme-export.json" {
			return err
		}
		text, err := os.ReadFile(name)
		short, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(short)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var deletedAt = regexp.MustCompile(`(?m)^deleted_at: .*\n`)

// timeless removes the deletion times from a tree, since an import cannot preserve them.
func timeless(files map[string]string) map[string]string {
	for name, text := range files {
		if strings.HasPrefix(name, "trash/") {
			files[name] = deletedAt.ReplaceAllString(text, "")
		}
	}
	return files
}

// fill writes files into a new folder.
func fill(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// local opens a data folder as one agent.
func local(t testing.TB, dir, agent string, taint acl.Label) (*memory.Service, memory.Caller) {
	t.Helper()
	p := &program{out: t.Output(), err: t.Output()}
	config, err := p.configure(newRoot(p))
	if err != nil {
		t.Fatal(err)
	}
	config.DataDir = dir
	service, err := compose.OpenRows(t.Context(), config, p.logger(config.Log))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	return service.Service, memory.Caller{Principal: acl.Principal{Agent: agent, Taint: taint}, Internal: true}
}

// connected connects to a Service in this process as one agent.
func connected(r *rapid.T, service *memory.Service, as callerFlags) *connection {
	r.Helper()
	quiet := &program{out: io.Discard, err: io.Discard}
	to, err := quiet.connectTo(&compose.Instance{Service: service}, configs.Default(), as)
	if err != nil {
		r.Fatal(err)
	}
	return to
}

// sourceOf returns an agent's own store, accessed by itself.
func sourceOf(r *rapid.T, service *memory.Service, as callerFlags) *entrySource {
	r.Helper()
	source, err := connected(r, service, as).source(as.agent, as.agent)
	if err != nil {
		r.Fatal(err)
	}
	return source
}

const maestroFile = `---
name: preferred-language
type: user
description: User prefers Japanese output
---

Always respond in Japanese unless the user explicitly asks for another language.
`

func TestMAESTROFolderRoundTrip(t *testing.T) {
	files := map[string]string{
		"preferred-language.md": maestroFile,
		"MEMORY.md":             "- [preferred-language](preferred-language.md) — User prefers Japanese output\n",
		"trash/old-habit.md":    "---\nname: old-habit\ntype: feedback\ndescription: no longer so\n---\n\nUse tabs.\n",
	}
	from := fill(t, files)
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "out")
	counts := decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", "--agent", "ada", "--markdown", from))
	if counts.Created != 1 || counts.Trashed != 1 || len(counts.Refused)+len(counts.Notes) != 0 {
		t.Errorf("got %+v", counts)
	}
	must(t, dir, "", "export", "--agent", "ada", "--markdown", to)
	got := tree(t, to)
	if !strings.Contains(got["trash/old-habit.md"], "\ndeleted_at: 20") {
		t.Errorf("the file in the trash has no deletion time:\n%s", got["trash/old-habit.md"])
	}
	if got := timeless(got); !maps.Equal(got, files) {
		t.Errorf("got %q", got)
	}
	service, caller := local(t, dir, "ada", acl.Public)
	var trash []memory.Found
	_, err := service.EachTrashed(t.Context(), caller, memory.TrashRequest{Store: "ada", Limit: 10}, func(f memory.Found) error {
		trash = append(trash, f)
		return nil
	})
	if err != nil || len(trash) != 1 || trash[0].Key != "old-habit" {
		t.Fatalf("the trash lists %+v, %v", trash, err)
	}
	if _, err := service.Restore(t.Context(), caller, memory.RestoreRequest{Path: trash[0].Path}); err != nil {
		t.Errorf("it cannot be restored: %v", err)
	}
	found, err := service.Get(t.Context(), caller, memory.Path{Store: "ada", Key: "preferred-language"})
	if err != nil || string(found.Value) != `"Always respond in Japanese unless the user explicitly asks for another language."` {
		t.Errorf("got %s, %v", found.Value, err)
	}
}

// A folder written by macOS, with decomposed letters in file names and frontmatter, has
// the same entries as a folder written elsewhere, and so do the arguments of commands.
func TestAFolderOfMacOSHasTheSameNames(t *testing.T) {
	dir := t.TempDir()
	note := func(fields string) string { return "---\n" + fields + "---\n\nbody\n" }
	composed := fill(t, map[string]string{
		"caf\u00e9.md":        note(""),
		"@m\u00e9mo/x.md":     note(""),
		"\u00fcber/\u00e4.md": note("name: \u00fcber/\u00e4\ntags: [r\u00e9sum\u00e9]\n"),
		"trash/gel\u00f6s.md": note("name: gel\u00f6s\n"),
	})
	decomposed := fill(t, map[string]string{
		"cafe\u0301.md":         note(""),
		"@me\u0301mo/x.md":      note("namespace: me\u0301mo\n"),
		"u\u0308ber/a\u0308.md": note("name: u\u0308ber/a\u0308\ntags: [re\u0301sume\u0301]\n"),
		"trash/gelo\u0308s.md":  note("name: gelo\u0308s\n"),
	})
	for i, from := range []string{composed, decomposed, composed} {
		counts := decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", "--agent", "ada", "--markdown", from))
		if len(counts.Refused) > 0 || i == 0 && counts.Created != 3 || i > 0 && (counts.written() > 0 || counts.Unchanged != 4) {
			t.Errorf("import %d: %+v", i, counts)
		}
	}
	for key, namespace := range map[string]string{"cafe\u0301": "", "x": "me\u0301mo", "u\u0308ber/a\u0308": ""} {
		if out := must(t, dir, "", "get", "--agent", "ada", "--namespace", namespace, key); strings.TrimSpace(out) != "body" {
			t.Errorf("get %+q: %q", key, out)
		}
	}
	lines := must(t, dir, "", "export", "--agent", "ada")
	other := filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(other, []byte(norm.NFD.String(lines)), 0o600); err != nil {
		t.Fatal(err)
	}
	counts := decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", "--agent", "ada", other))
	if counts.Unchanged != 3 || counts.written() > 0 {
		t.Errorf("lines in the other form: %+v", counts)
	}
}

// aKey draws keys that entries may have.
func aKey() *rapid.Generator[string] {
	segment := rapid.OneOf(rapid.SampledFrom([]string{
		"a", "A", "MEMORY", "memory", "trash", "con", "a.md", ".git", "~", "%41", "a~2", "@ns", " a", "a ", "ß", "ss", "日本語", "a: b", "---", `"`, `\`,
		strings.Repeat("x", 200), "y", "1.0", "aux.txt", "CON", "com¹", "end.", "end. ", `12:30 <a>|?*`, "Å", "å", "ångström", strings.Repeat("語", 70),
	}), rapid.StringN(1, 8, 30))
	return rapid.Custom(func(t *rapid.T) string {
		return norm.NFC.String(strings.Join(rapid.SliceOfN(segment, 1, 3).Draw(t, "segments"), "/"))
	}).Filter(func(key string) bool { return memory.CheckKey(key) == nil })
}

func aValue() *rapid.Generator[json.RawMessage] {
	asJSON := func(text string) json.RawMessage {
		value, _ := json.Marshal(text)
		return value
	}
	return rapid.OneOf(
		rapid.Map(rapid.String(), asJSON),
		rapid.Map(rapid.SampledFrom([]string{"", "\n", "x\n", "\n\nx\n\n", "---\nx\n---\n", "\ufeffx", "x\r\ny", "\r", "\x00", "name: x"}), asJSON),
		rapid.Map(rapid.SampledFrom([]string{"null", "1.50", "{}", `{"a":[1,{"b":"\u00e9\n"}]}`, `"\ud800"`, `"caf\u00e9"`, `[[],""]`}), func(text string) json.RawMessage { return json.RawMessage(text) }),
	)
}

// A store is exported, imported into an empty store, and exported again: both folders are
// the same, byte for byte.
func TestMarkdownRoundTripLosesNothing(t *testing.T) {
	t.Parallel()
	from, _ := local(t, t.TempDir(), "ada", acl.Public)
	to, _ := local(t, t.TempDir(), "ada", acl.Public)
	n := 0
	property := func(r *rapid.T) {
		n++ // a new agent each time, so that both of its stores are empty
		agent := fmt.Sprintf("ada-%d", n)
		root, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			r.Fatal(err)
		}
		taint := rapid.SampledFrom([]acl.Label{acl.Public, acl.Confidential}).Draw(r, "taint")
		as := callerFlags{agent: agent, taint: taint.String()}
		caller := memory.Caller{Principal: acl.Principal{Agent: agent, Taint: taint}, Internal: true}
		drawEntries(r, from, caller)
		quiet := &program{out: io.Discard, err: io.Discard}
		export := func(service *memory.Service, dir string) map[string]string {
			r.Helper()
			origin := markdown.Origin{Store: agent, Agent: agent, Taint: taint.String()}
			if err := quiet.exportFolder(t.Context(), sourceOf(r, service, as), origin, dir, false); err != nil {
				r.Fatal(err)
			}
			return tree(t, dir)
		}
		imported := func(service *memory.Service, dir string) importCounts {
			r.Helper()
			i := importing{program: quiet, as: as, store: agent, markdown: dir}
			if err := i.writeFolder(t.Context(), connected(r, service, as)); err != nil {
				r.Fatal(err)
			}
			if len(i.counts.Refused)+len(i.counts.Notes) > 0 {
				r.Fatalf("got %+v of %q", i.counts, tree(t, dir))
			}
			return i.counts
		}
		first, second := filepath.Join(root, "first"), filepath.Join(root, "second")
		before := export(from, first)
		if c := imported(from, first); c.written() > 0 {
			r.Errorf("an import of an unchanged folder writes: %+v", c)
		}
		imported(to, first)
		if c := imported(to, first); c.written() > 0 {
			r.Errorf("a second import writes: %+v", c)
		}
		if after := export(from, first); !maps.Equal(before, after) {
			r.Errorf("an import of an unchanged folder changes the store:\n%q\nwas\n%q", after, before)
		}
		if got, want := timeless(export(to, second)), timeless(before); !maps.Equal(got, want) {
			r.Errorf("got\n%q\nwas\n%q", got, want)
		}
		if got, want := described(r, to, caller), described(r, from, caller); !slices.Equal(got, want) {
			r.Errorf("got\n%q\nwas\n%q", got, want)
		}
	}
	for range size.Of(1, 5) {
		rapid.Check(t, property)
	}
}

// described returns everything that an import preserves of a store's entries and trash.
// Values are decoded, so that escapes and white space do not matter.
func described(r *rapid.T, service *memory.Service, caller memory.Caller) (all []string) {
	describe := func(e *memory.Entry) {
		decoder := json.NewDecoder(bytes.NewReader(e.Value))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			r.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%q %q %v %q %q %q %v %v %v %v %v %#v", e.Namespace, e.Key, e.Label, e.Type, e.Description, e.Tags, e.InContext, e.Encrypted,
			e.ExpiresAt, !e.DeletedAt.IsZero(), e.OccurredAt, value))
	}
	source := sourceOf(r, service, callerFlags{agent: caller.Agent, taint: caller.Taint.String()})
	for _, entries := range []iter.Seq2[*memory.Entry, error]{source.entries(context.Background()), source.trash(context.Background())} {
		for e, err := range entries {
			if err != nil {
				r.Fatal(err)
			}
			describe(e)
		}
	}
	return all
}

// drawEntries writes entries, and deletes some of them.
func drawEntries(r *rapid.T, service *memory.Service, caller memory.Caller) {
	for range rapid.IntRange(1, 8).Draw(r, "writes") {
		put := memory.PutRequest{Path: memory.Path{Store: caller.Agent, Key: aKey().Draw(r, "key")}, Value: aValue().Draw(r, "value")}
		put.Path.Namespace = rapid.SampledFrom([]string{"", "", "ns", "NS", "a/b", "trash", "..", "con", "a:", "café"}).Draw(r, "namespace")
		kind := rapid.SampledFrom(append([]string{""}, memory.Types...)).Draw(r, "type")
		description := rapid.String().Filter(func(d string) bool { return memory.CheckDescription(d) == nil }).Draw(r, "description")
		tags := rapid.SliceOfNDistinct(rapid.StringN(1, 5, 20), 0, 3, rapid.ID[string]).Filter(func(tags []string) bool { return memory.CheckTags(tags) == nil }).Draw(r, "tags")
		sealed := rapid.Bool().Draw(r, "encrypted")
		occurred := rapid.SampledFrom([]string{"", "2023-05-08", "2023-05-08T13:56:00.5Z"}).Draw(r, "occurred")
		put.Type, put.Description, put.Tags, put.Encrypted, put.OccurredAt = &kind, &description, &tags, &sealed, &occurred
		if rapid.Bool().Draw(r, "expires") {
			ttl := 24 * time.Hour
			put.TTL = &ttl
		}
		if _, err := service.Put(context.Background(), caller, put); errors.Is(err, memory.ErrConflict) { // drawn twice, once encrypted
			continue
		} else if err != nil {
			r.Fatal(err)
		}
		if rapid.IntRange(0, 2).Draw(r, "deleted") == 0 {
			if err := service.Delete(context.Background(), caller, put.Path, memory.Preconditions{}); err != nil {
				r.Fatal(err)
			}
		}
	}
}

func TestRepeatedFolderImportChangesNothing(t *testing.T) {
	dir, folder := t.TempDir(), fill(t, map[string]string{
		"a.md": "---\nname: a\ntags: [t]\n---\n\nx\n", "trash/b.md": "---\nname: b\n---\n\n1\n", "trash/b~2.md": "---\nname: b\n---\n\n2\n",
		"@work/c.md": "---\nname: c\nexpires_at: 2099-01-01\n---\n\nx\n", "d/e.md": "---\n---\nno name\n",
	})
	for i, want := range []importCounts{{Created: 3, Trashed: 2}, {Unchanged: 5}, {Unchanged: 5}} {
		dry := decode[importCounts](t, must(t, dir, "", "import", "--dry-run", "--json", "--agent", "ada", "--markdown", folder))
		got := decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", "--agent", "ada", "--markdown", folder))
		for _, c := range []importCounts{dry, got} {
			if c.Created != want.Created || c.Trashed != want.Trashed || c.Unchanged != want.Unchanged || c.Updated != 0 || len(c.Refused) != 0 {
				t.Errorf("time %d: got %+v", i, c)
			}
		}
		if !dry.DryRun || got.DryRun {
			t.Error("dry_run is wrong in a report")
		}
	}
	text := must(t, dir, "", "export", "--agent", "ada")
	var got []string
	for line := range strings.Lines(text) {
		e := decode[api.Entry](t, line)
		got = append(got, fmt.Sprintf("%s %s %v", e.Namespace, e.Key, e.ExpiresAt))
	}
	if want := []string{" a <nil>", " d/e <nil>", "work c 2099-01-01 00:00:00 +0000 UTC"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestFileReplacesTheWholeEntry(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, `{"key":"a","value":"old","type":"user","description":"d","tags":["t"],"ttl":86400}
{"key":"sealed","value":"blob","encrypted":true}`, "import", "--no-wait", "--store", "ada", "-")
	folder := fill(t, map[string]string{"a.md": "---\nname: a\n---\n\nnew\n", "sealed.md": "---\nname: sealed\n---\n\nplain\n"})
	r := mneme(t, dir, "", "import", "--no-wait", "--agent", "ada", "--markdown", folder)
	if r.status != exitFailed || !strings.Contains(r.err, "sealed.md:5: ") && !strings.Contains(r.err, "sealed.md:1: ") || !strings.Contains(r.out, "updated 1") {
		t.Errorf("got %+v", r)
	}
	lines := strings.Split(must(t, dir, "", "export", "--agent", "ada"), "\n")
	if l := decode[api.Entry](t, lines[0]); string(l.Value) != `"new"` || l.Type != "" || l.Description != "" || len(l.Tags) != 0 || l.ExpiresAt != nil {
		t.Errorf("got %+v", l)
	}
	if l := decode[api.Entry](t, lines[1]); string(l.Value) != `"blob"` {
		t.Errorf("a plain value replaced an encrypted one: %+v", l)
	}
}

// Problems are reported with file and line, but without the text.
func TestDamagedFilesAreReportedAndTheRestImported(t *testing.T) {
	const hidden = "xyzzy"
	folder := fill(t, map[string]string{
		"good.md":          "---\nname: good\ntype: user\ndescription: fine\n---\n\nx\n",
		"unclosed.md":      "---\nname: unclosed\n\nxyzzy\n",
		"bare.md":          "xyzzy\n",
		"kind.md":          "---\nname: kind\ntype: xyzzy\n---\n\nx\n",
		"other.md":         "---\ntype: user\nname: xyzzy\n---\n\nx\n",
		"field.md":         "---\nname: field\nauthor: xyzzy\n---\n",
		"yaml.md":          "---\nname: yaml\ndescription: xyzzy: xyzzy\n---\n",
		"bytes.md":         "---\nname: bytes\n---\n\nxyzzy\n\xff\n",
		"control.md":       "---\nname: control\n---\n\nxyzzy\n\n\x07\n",
		"large.md":         "---\nname: large\n---\n\n" + strings.Repeat("xyzzy ", 20000),
		"over.md":          "---\nname: over\nexpires_at: 2001-01-01\n---\n",
		"above.md":         "---\nname: above\nlabel: RESTRICTED\n---\n",
		"elsewhere.md":     "---\nname: elsewhere\nstore: xyzzy\n---\n",
		"twin.md":          "---\nname: twin\n---\n\n1\n",
		"TWIN.md":          "---\nname: twin\n---\n\n2\n",
		"trash/live.md":    "---\nname: good\n---\n\nanother\n",
		"trash/damaged.md": "---\nname: good\ntype: xyzzy\n---\n",
		"notes.txt":        "xyzzy",
		"MEMORY.md":        "- [good](good.md) — fine\n- [gone](gone.md) — xyzzy\nxyzzy\n- [unclosed](unclosed.md) — xyzzy\n",
	})
	dir := t.TempDir()
	must(t, dir, `{"key":"good","value":"there"}`, "import", "--no-wait", "--store", "ada", "-")
	if files, err := os.ReadDir(folder); err != nil || len(files) != 18 {
		t.Skip("the file system ignores case")
	}
	r := mneme(t, dir, "", "import", "--no-wait", "--agent", "ada", "--markdown", folder)
	if r.status != exitFailed || strings.Contains(r.out+r.err, hidden) {
		t.Errorf("got %+v", r)
	}
	if want := "created 0, updated 1, deleted 0, unchanged 0, refused 16 files\n"; r.out != want {
		t.Errorf("got %q, want %q", r.out, want)
	}
	for _, want := range []string{
		"unclosed.md:1: the frontmatter is not closed", "bare.md:1: the frontmatter is missing", "kind.md:3: type: must be one of",
		"other.md:3: name: does not match the file name", "field.md:3: author: is an unknown field",
		"yaml.md:3: the frontmatter is not valid YAML: text with a colon in it needs quotes", "bytes.md:6: is not valid UTF-8",
		"control.md:7: has a control character", "large.md:5: value: must have at most", "over.md:3: expires_at: is in the past",
		"above.md:3: label: is above the label of this session", "elsewhere.md:3: store: names a different store",
		"TWIN.md:2: name: another file here has the same name", "twin.md:2: name: another file here has the same name", "trash/live.md:1: a live entry has this key",
		"trash/damaged.md:3: type: must be", "notes.txt:1: note: is not a .md file", "MEMORY.md:2: note: names an entry that has no file here",
		"MEMORY.md:3: note: is not an entry's line",
	} {
		if !strings.Contains(r.err, string(filepath.Separator)+filepath.FromSlash(want)) {
			t.Errorf("%s is not in\n%s", want, r.err)
		}
	}
	report := decode[importCounts](t, mneme(t, dir, "", "import", "--no-wait", "--json", "--agent", "ada", "--markdown", folder).out)
	if report.Unchanged != 1 || len(report.Refused) != 16 || len(report.Notes) < 3 {
		t.Errorf("got %+v", report)
	}
}

// A live entry may be one that cannot be listed, or newer than the comparison.
func TestRestoringToTheTrashLeavesALiveEntryAlone(t *testing.T) {
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Now: time.Now}})
	s := over(t, f.Service, t.TempDir(), "ada", acl.Public)
	s.put("live", `"kept"`)
	before, tag, _ := s.source.client.Get(t.Context(), s.entryPath("live"))
	later, past := time.Date(2099, 1, 1, 0, 0, 0, 500_000_000, time.UTC), time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		key     string
		expires *time.Time
		refused string
	}{
		{"live", nil, occupied}, {"live", &later, occupied}, {"free", &later, ""}, {"over", &past, "expires_at: is in the past"},
	} {
		put := memory.PutRequest{
			Path: memory.Path{Store: "ada", Key: c.key}, Value: json.RawMessage(`"deleted"`), ExpiresAt: c.expires,
			If: memory.Preconditions{NoneMatch: []string{"*"}},
		}
		if refused, err := s.source.restoreToTrash(t.Context(), put); err != nil || refused != c.refused {
			t.Errorf("%s until %v: got %q, %v", c.key, c.expires, refused, err)
		}
	}
	if _, now, _ := s.source.client.Get(t.Context(), s.entryPath("live")); string(before.Value) != `"kept"` || now != tag {
		t.Errorf("the live entry became %s", s.value("live"))
	}
	var trash []string
	for e, err := range s.source.trash(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		trash = append(trash, e.Key)
		if !e.ExpiresAt.Equal(later) {
			t.Errorf("%s expires at %v", e.Key, e.ExpiresAt)
		}
	}
	if !slices.Equal(trash, []string{"free"}) || s.value("free")+s.value("over") != "" {
		t.Errorf("the trash has %q", trash)
	}
}

func TestMovingAFileToTheTrashDeletesItsEntryAndBackRestoresIt(t *testing.T) {
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "f")
	must(t, dir, `{"key":"a","value":"x","type":"user","description":"d"}`, "import", "--no-wait", "--store", "ada", "-")
	export := func() { t.Helper(); must(t, dir, "", "export", "--agent", "ada", "--markdown", folder) }
	imported := func() importCounts {
		t.Helper()
		return decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", "--agent", "ada", "--markdown", folder))
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(folder, "trash"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(folder, from), filepath.Join(folder, to)); err != nil {
			t.Fatal(err)
		}
	}
	export()
	move("a.md", "trash/a.md")
	// A damaged file that may be the entry's keeps the entry alive.
	damaged := filepath.Join(folder, "a.md")
	if err := os.WriteFile(damaged, []byte("---\nname: [\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := mneme(t, dir, "", "import", "--no-wait", "--agent", "ada", "--markdown", folder); r.status != exitFailed || !strings.Contains(r.out, "deleted 0, unchanged 0, refused 2 files") {
		t.Errorf("got %+v", r)
	}
	if err := os.Remove(damaged); err != nil {
		t.Fatal(err)
	}
	if c := imported(); c.Trashed != 1 {
		t.Errorf("got %+v", c)
	}
	export()
	if files := slices.Sorted(maps.Keys(tree(t, folder))); !slices.Equal(files, []string{"MEMORY.md", "trash/a.md"}) {
		t.Errorf("got %v", files)
	}
	move("trash/a.md", "a.md")
	if c := imported(); c.Restored != 1 || c.Unchanged != 1 {
		t.Errorf("got %+v", c)
	}
}

func TestExportKeepsEditedFiles(t *testing.T) {
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "f")
	must(t, dir, `{"key":"a","value":"x"}
{"key":"b","value":"x"}`, "import", "--no-wait", "--store", "ada", "-")
	must(t, dir, "", "export", "--agent", "ada", "--markdown", folder)
	name := filepath.Join(folder, "a.md")
	edited := "---\nname: 'a' # mine\n---\nedited"
	if err := os.WriteFile(name, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	r := mneme(t, dir, "", "export", "--agent", "ada", "--markdown", folder)
	if r.status != exitFailed || !strings.Contains(r.err, "a.md: was edited since the last export") || !strings.Contains(r.out, "files written 0, unchanged 2, removed 0") {
		t.Errorf("got %+v", r)
	}
	must(t, dir, "", "import", "--no-wait", "--agent", "ada", "--markdown", folder)
	must(t, dir, "", "export", "--agent", "ada", "--markdown", folder) // the store now matches the file
	if got := tree(t, folder)["a.md"]; got != edited {
		t.Errorf("got %q", got)
	}
	must(t, dir, "", "export", "--agent", "ada", "--markdown", folder, "--force")
	for _, other := range [][]string{{"--agent", "bob"}, {"--agent", "ada", "--taint", "INTERNAL"}} {
		if r := mneme(t, dir, "", append([]string{"export", "--markdown", folder}, other...)...); r.status != exitFailed || !strings.Contains(r.err, "another store, agent or taint") {
			t.Errorf("%v: got %+v", other, r)
		}
	}
	// An empty store, as with a wrong --data-dir, removes nothing.
	if r := mneme(t, t.TempDir(), "", "export", "--agent", "ada", "--markdown", folder); r.status != exitFailed || len(tree(t, folder)) != 3 {
		t.Errorf("got %+v, %v", r, tree(t, folder))
	}
}

// SECURITY: an export contains only what the agent can list.
func TestExportedFolderHoldsOnlyWhatTheAgentCanList(t *testing.T) {
	dir := t.TempDir()
	for label, key := range map[string]string{"PUBLIC": "low", "INTERNAL": "mid", "RESTRICTED": "high"} {
		must(t, dir, fmt.Sprintf(`{"key":%q,"value":"x","type":"user","description":"d"}
{"key":"private-%s","value":"x","in_context":false}`, key, key), "import", "--no-wait", "--store", "ada", "--taint", label, "-")
	}
	folder := filepath.Join(t.TempDir(), "f")
	must(t, dir, "", "export", "--agent", "ada", "--taint", "INTERNAL", "--markdown", folder)
	files := tree(t, folder)
	if names := slices.Sorted(maps.Keys(files)); !slices.Equal(names, []string{"MEMORY.md", "low.md", "mid.md"}) {
		t.Errorf("got %v", names)
	}
	if !strings.Contains(files["mid.md"], "\nlabel: INTERNAL\n") || files["MEMORY.md"] != "- [low](low.md) — d\n- [mid](mid.md) — d\n" {
		t.Errorf("got %q", files)
	}
	// A file whose label is above the session's is refused.
	r := mneme(t, t.TempDir(), "", "import", "--no-wait", "--agent", "ada", "--markdown", folder)
	if r.status != exitFailed || !strings.Contains(r.err, "mid.md:5: label: is above") {
		t.Errorf("got %+v", r)
	}
	none := filepath.Join(t.TempDir(), "none")
	if r := mneme(t, dir, "", "export", "--agent", "bob", "--store", "ada", "--markdown", none); r.status != exitFailed {
		t.Errorf("got %+v", r)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a folder was created for a store that cannot be read")
	}
}

func TestFolderRoundTripThroughAServer(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir)
	folder := fill(t, map[string]string{
		"a.md": "---\nname: a\ntype: user\ndescription: d\ntags: [t]\n---\n\nx\n", "b/c.md": "---\nname: b/c\njson: true\n---\n\n{\n  \"a\": 1\n}\n",
		"@work/d e.md": "---\nname: d e\nnamespace: work\nexpires_at: 2099-01-01T00:00:00.5Z\n---\n\nx\n",
		"trash/g.md":   "---\nname: g\nnamespace: \"\"\ndeleted_at: 2026-01-02T00:00:00Z\n---\n\n2\n", "trash/g~2.md": "---\nname: g\ndeleted_at: 2026-01-01T00:00:00Z\n---\n\n1\n",
		"trash/h/i.md": "---\nname: h/i\nencrypted: true\nexpires_at: 2099-01-01T00:00:00.5Z\n---\n\nblob\n",
		"bad.md":       "---\nname: bad\n---\n\n" + strings.Repeat("x", 200_000),
	})
	url := s.address
	args := []string{"--agent", "ada", "--url", url, "--markdown"}
	first := mneme(t, dir, "", append([]string{"import", "--json"}, append(args, folder)...)...)
	if first.out == "" {
		t.Fatalf("got %+v", first)
	}
	if c := decode[importCounts](t, first.out); first.status != exitFailed || c.Created != 3 || c.Trashed != 3 || len(c.Refused) != 1 || c.Refused[0].Line != 5 {
		t.Errorf("got %+v", first)
	}
	if err := os.Remove(filepath.Join(folder, "bad.md")); err != nil {
		t.Fatal(err)
	}
	if c := decode[importCounts](t, must(t, dir, "", append([]string{"import", "--json"}, append(args, folder)...)...)); c.Unchanged != 6 {
		t.Errorf("got %+v", c)
	}
	remote, local := filepath.Join(t.TempDir(), "remote"), filepath.Join(t.TempDir(), "local")
	must(t, dir, "", append([]string{"export"}, append(args, remote)...)...)
	must(t, dir, "", "export", "--agent", "ada", "--markdown", local)
	if a, b := tree(t, remote), tree(t, local); !maps.Equal(a, b) || len(a) != 7 {
		t.Errorf("got\n%q\nand\n%q", a, b)
	}
	got := timeless(tree(t, remote))
	if !strings.HasSuffix(got["trash/g.md"], "\n2\n") || !strings.HasSuffix(got["trash/g~2.md"], "\n1\n") || got["MEMORY.md"] != "- [a](a.md) — d\n" {
		t.Errorf("got %q", got)
	}
}
