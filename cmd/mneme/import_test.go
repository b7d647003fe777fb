package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

const (
	sampleMemories = "../../examples/samples/memories.jsonl"
	sampleMarkdown = "../../examples/samples/preferred-tone.md"
)

func TestSamplesAnswerTheReadmesQuestions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	counts := decode[importCounts](t, must(t, dir, "", "import", sampleMemories, sampleMarkdown, "--json"))
	if counts.Created != 41 || len(counts.Refused) != 0 {
		t.Fatalf("got %+v", counts)
	}
	for _, c := range []struct{ agent, question, key string }{
		{"iris", "what must I not cook for Ben?", "diet/ben"},
		{"iris", "does Ben like long explanations?", "preferred-tone"},
		{"forge", "why was the shop unreachable in spring?", "incident/2026-03"},
	} {
		found := decode[answer](t, must(t, dir, "", "search", "--agent", c.agent, "--explain", "--json", c.question))
		if len(found.Hits) == 0 || found.Hits[0].Key != c.key {
			t.Errorf("%s: got %v", c.question, keys(found))
			continue
		}
		if first := found.Hits[0]; first.StoreID != c.agent || first.Explain == nil || first.Explain.Vector == nil || found.Took == nil {
			t.Errorf("%s: got %+v", c.question, first)
		}
		if len(found.Degraded) > 0 {
			t.Errorf("%s: degraded %v", c.question, found.Degraded)
		}
	}
	if found := decode[answer](t, must(t, dir, "", "search", "--agent", "stranger", "--json", "peanuts")); len(found.Hits) != 0 {
		t.Errorf("a stranger finds %v", keys(found))
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"go run ./cmd/mneme import examples/samples/memories.jsonl\n",
		`go run ./cmd/mneme search --agent iris --explain "what must I not cook for Ben?"`,
	} {
		if !strings.Contains(string(readme), line) {
			t.Errorf("the README does not say %s", line)
		}
	}
}

func TestAnswerIsReadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", sampleMemories)
	out := must(t, dir, "", "search", "--agent", "iris", "--explain", "--limit", "2", "what must I not cook for Ben?")
	for _, part := range []string{" 1. 0.", "relevance from cosine ", "iris  diet/ben  PUBLIC", "Ben is allergic to peanuts", "lexical #1 (", "vector #", "seen as own; model english; language en\n", "took "} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not in\n%s", part, out)
		}
	}
	for option, part := range map[string]string{
		"--limit=100":        "that entry: a hit, at rank 1\n    relevance ",
		"--tags=none":        "the search looked among the 0 that pass the filter\nthat entry: does not pass tags\n",
		"--namespace=absent": "that entry: not found\n",
		"--stores=iris":      "seen as own",
	} {
		if out := must(t, dir, "", "search", "--agent", "iris", "--why-not", "diet/ben", option, "what must I not cook for Ben?"); !strings.Contains(out, part) || !strings.Contains(out, "filter ") {
			t.Errorf("%s: %q is not in\n%s", option, part, out)
		}
	}
	if out := must(t, dir, "", "search", "--agent", "nobody", "peanuts"); out != "nothing found\n" {
		t.Errorf("got %q", out)
	}
}

func TestRepeatedImportChangesNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "import", "--no-wait", sampleMemories)
	before := must(t, dir, "", "export", "--agent", "iris")
	counts := decode[importCounts](t, must(t, dir, "", "import", "--no-wait", "--json", sampleMemories))
	if counts.Unchanged != 40 || counts.written() != 0 {
		t.Errorf("got %+v", counts)
	}
	if after := must(t, dir, "", "export", "--agent", "iris"); after != before {
		t.Error("the entries changed")
	}
}

func TestRepeatedImportOfAnExportKeepsExpiriesAndSources(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	must(t, from, `{"key":"k","value":"soon gone","ttl":86400,"source":{"tool":"<t>"}}`, "import", "--no-wait", "--store", "a", "-")
	exported := must(t, from, "", "export", "--agent", "a")
	if !strings.Contains(exported, `"expires_at":`) || !strings.Contains(exported, `"source":{"tool":"<t>"}`) {
		t.Fatalf("got %s", exported)
	}
	for _, want := range []importCounts{{Created: 1}, {Unchanged: 1}} {
		got := decode[importCounts](t, must(t, to, exported, "import", "--no-wait", "--json", "-"))
		if got.Created != want.Created || got.Unchanged != want.Unchanged {
			t.Errorf("got %+v", got)
		}
	}
}

func TestImportPrefersTheLinesStoreToTheFlags(t *testing.T) {
	dir := t.TempDir()
	corpus := `{"_id":"a:1","title":"Monday","text":"rain","store":"conv-1"}
{"_id":"a:2","title":"","text":"snow"}
`
	counts := decode[importCounts](t, must(t, dir, corpus, "import", "--json", "--no-wait", "--store", "conv-2", "-"))
	if counts.Created != 2 {
		t.Fatalf("got %+v", counts)
	}
	for store, want := range map[string]string{"conv-1": `"value":"Monday\nrain"`, "conv-2": `"value":"snow"`} {
		out := must(t, dir, "", "export", "--agent", store)
		if strings.Count(out, "\n") != 1 || !strings.Contains(out, want) || !strings.Contains(out, `"owner_id":"`+store+`"`) {
			t.Errorf("%s: got %s", store, out)
		}
	}
}

func TestRefusedLinesAreListedWithoutTheirText(t *testing.T) {
	r := mneme(t, t.TempDir(), `{"key":"fine","value":1}
{"key":"no value xyzzy"}
{"key":"/xyzzy","value":1}
{"key":"xyzzy","value":1,"store":".."}
{"key":"t","value":1,"type":"xyzzy `+strings.Repeat("x", 300)+`"}
`, "import", "--store", "a", "--no-wait", "-")
	if r.status != exitFailed || !strings.Contains(r.out, "created 1, updated 0, unchanged 0, refused 4") {
		t.Errorf("got %+v", r)
	}
	for line := 2; line <= 5; line++ {
		if !strings.Contains(r.err, fmt.Sprintf("-:%d: ", line)) {
			t.Errorf("line %d is not listed in\n%s", line, r.err)
		}
	}
	if strings.Contains(r.out+r.err, "xyzzy") {
		t.Errorf("memory text shows in\n%s", r.err)
	}
	if missing := mneme(t, t.TempDir(), `{"key":"k","value":1}`, "import", "-"); missing.status != exitFailed || !strings.Contains(missing.err, "names no store") {
		t.Errorf("got %+v", missing)
	}
}

func TestALineWithoutAStoreIsImportedIntoTheAgentsOwn(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, `{"key":"k","value":"green tea"}`, "import", "--agent", "ada", "-")
	if out := must(t, dir, "", "get", "--agent", "ada", "k"); !strings.Contains(out, "green tea") {
		t.Errorf("got %q", out)
	}
}

// A file that is a pipe, such as <(zcat backup.ndjson.gz) in a shell, is imported whole.
func TestPipeIsImportedWhole(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no /dev/fd")
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	_, err = in.WriteString("{\"key\":\"a\",\"value\":1}\n{\"key\":\"b\",\"value\":2}\n")
	if err := errors.Join(err, in.Close()); err != nil {
		t.Fatal(err)
	}
	counts := decode[importCounts](t, must(t, t.TempDir(), "", "import", "--json", "--no-wait", "--agent", "a", fmt.Sprintf("/dev/fd/%d", out.Fd())))
	if counts.Created != 2 || len(counts.Refused) != 0 {
		t.Errorf("got %+v", counts)
	}
}

func TestInterruptedImportSaysHowToResume(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := mnemeUntil(ctx, dir, "", "import", sampleMemories)
	if r.status != exitFailed || !strings.Contains(r.err, "interrupted") {
		t.Errorf("got %+v", r)
	}
	must(t, dir, "", "import", "--no-wait", sampleMemories)
}

func TestImportRestoresAnExport(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	must(t, from, "", "import", "--no-wait", "--taint", "INTERNAL", sampleMemories)
	exported := must(t, from, "", "export", "--agent", "iris", "--taint", "INTERNAL")
	if strings.Count(exported, "\n") != 24 {
		t.Fatalf("got %d lines", strings.Count(exported, "\n"))
	}
	if lower := must(t, from, "", "export", "--agent", "iris"); lower != "" {
		t.Error("a session of lower taint exported entries above it")
	}
	must(t, to, exported, "import", "--no-wait", "-")
	type content struct {
		Key, Value, Type, Description string
		Tags                          []string
	}
	read := func(text string) (all []content) {
		for line := range strings.Lines(text) {
			all = append(all, decode[content](t, line))
		}
		return all
	}
	if got := read(must(t, to, "", "export", "--agent", "iris")); !reflect.DeepEqual(got, read(exported)) {
		t.Errorf("got %+v", got)
	}
}

func TestDumpRestoresTheSameDatabase(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	must(t, from, "", "import", "--no-wait", sampleMemories)
	dump := must(t, from, "", "export", "--full")
	file := filepath.Join(t.TempDir(), "dump")
	if err := os.WriteFile(file, []byte(dump), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, to, "", "import", "--full", file)
	if got := must(t, to, "", "export", "--full"); got != dump {
		t.Error("the dump of the restored database differs")
	}
	if a, b := must(t, from, "", "export", "--agent", "iris"), must(t, to, "", "export", "--agent", "iris"); a != b {
		t.Error("the restored entries differ")
	}
	if again := mneme(t, to, "", "import", "--full", file); again.status != exitFailed {
		t.Errorf("a dump was restored into a database that is not empty: %+v", again)
	}
}

func TestPurgeKeepsLiveEntries(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "import", "--no-wait", sampleMemories)
	if out := must(t, dir, "", "purge", "--yes"); out != "erased 0 entries\n" {
		t.Errorf("got %q", out)
	}
	if exported := must(t, dir, "", "export", "--agent", "iris"); strings.Count(exported, "\n") != 24 {
		t.Error("live entries were erased")
	}
}

func TestReindexOfCompleteVectorsEmbedsNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, "", "import", sampleMarkdown)
	type report struct {
		Entries     int
		Fingerprint string
	}
	if r := decode[report](t, must(t, dir, "", "reindex", "--json")); r.Entries != 0 || r.Fingerprint == "" {
		t.Errorf("got %+v", r)
	}
}

func TestPrintedTextHasNoControlCharacters(t *testing.T) {
	if got := plain("a\x1b[2Jb\u202ec\r\nd\u0007 e"); got != "a[2Jbc d e" {
		t.Errorf("got %q", got)
	}
	if got := clip(strings.Repeat("é", 500)); len([]rune(got)) != shownRunes {
		t.Errorf("got %d characters", len([]rune(got)))
	}
}
