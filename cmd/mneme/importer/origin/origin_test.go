package origin

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mneme/cmd/mneme/importer"
	"mneme/memory"
)

var update = flag.Bool("update", false, "update the golden files")

const samples = "../../../../examples/samples/exports"

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// result is a line in the format of the golden files.
type result struct {
	File        string          `json:"file,omitempty"`
	Line        int             `json:"line"`
	Place       string          `json:"place,omitempty"`
	Key         string          `json:"key,omitempty"`
	Namespace   string          `json:"namespace,omitempty"`
	Type        string          `json:"type,omitempty"`
	Description string          `json:"description,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
	OccurredAt  string          `json:"occurred_at,omitempty"`
	ExpiresAt   *time.Time      `json:"expires_at,omitempty"`
	Value       json.RawMessage `json:"value,omitempty"`
	Refused     string          `json:"refused,omitempty"`
	Skipped     string          `json:"skipped,omitempty"`
}

func resultOf(file string, l importer.Line) result {
	r := result{File: filepath.Base(file), Line: l.Number, Place: l.Place}
	switch {
	case l.Skipped:
		r.Skipped = l.Err.Error()
	case l.Err != nil:
		r.Refused = l.Err.Error()
	default:
		put := l.Put
		r.Key, r.Namespace, r.Value = put.Path.Key, put.Path.Namespace, put.Value
		r.Type, r.Description, r.Tags, r.OccurredAt, r.ExpiresAt = *put.Type, *put.Description, *put.Tags, *put.OccurredAt, put.ExpiresAt
	}
	return r
}

func reader(t testing.TB, system string) *Reader {
	t.Helper()
	r, err := New(system, system, now, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read reads a file, a folder or an archive.
func read(t testing.TB, system, name string) (results []result) {
	t.Helper()
	err := reader(t, system).Read(name, nil, func(file string, l importer.Line) error {
		results = append(results, resultOf(file, l))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// readText reads standard input.
func readText(t testing.TB, system, text string) (results []result) {
	t.Helper()
	err := reader(t, system).Read("-", strings.NewReader(text), func(_ string, l importer.Line) error {
		r := resultOf("", l)
		r.File = ""
		results = append(results, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestSamplesBecomeTheseEntries(t *testing.T) {
	for system, name := range map[string]string{
		"mem0": "mem0.json", "letta": "letta.af", "zep": "zep.json", "graphiti": "zep.json",
		"basic-memory": "basic-memory", "chatgpt": "chatgpt", "claude": "claude",
	} {
		t.Run(system, func(t *testing.T) {
			var got bytes.Buffer
			encoder := json.NewEncoder(&got)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			for _, r := range read(t, system, filepath.Join(samples, name)) {
				if r.Refused != "" || r.Skipped != "" {
					t.Errorf("%s%s: %s%s", r.File, r.Place, r.Refused, r.Skipped)
				}
				if err := encoder.Encode(r); err != nil {
					t.Fatal(err)
				}
			}
			golden := filepath.Join("testdata", system+".golden")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("the entries differ from %s (go test -update updates it):\n%s", golden, got.String())
			}
		})
	}
}

func TestArchiveIsReadLikeItsFolder(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "data.zip")
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, file := range []string{"conversations.json", "memories.json", "projects.json"} {
		text, err := os.ReadFile(filepath.Join(samples, "claude", file))
		if err != nil {
			t.Fatal(err)
		}
		add(t, w, "data-2026/"+file, text)
	}
	add(t, w, "data-2026/users.json", []byte(`[{"uuid": "u", "full_name": "", "email_address": "a@example.com"}]`))
	add(t, w, "__MACOSX/conversations.json", []byte("junk"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, "claude", archive), read(t, "claude", filepath.Join(samples, "claude")); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func add(t *testing.T, w *zip.Writer, name string, text []byte) {
	t.Helper()
	f, err := w.Create(name)
	if err == nil {
		_, err = f.Write(text)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestBackupOfOpenMemoryIsReadWithItsCategories(t *testing.T) {
	var lines bytes.Buffer
	packed := gzip.NewWriter(&lines)
	fmt.Fprintln(packed, `{"id": "a", "content": "one", "metadata": {}, "created_at": "2026-01-02T03:04:05+00:00", "state": "active", "app": "openmemory", "categories": ["work"]}`)
	fmt.Fprintln(packed, `{"id": "b", "content": "two", "state": "deleted", "categories": []}`)
	fmt.Fprintln(packed, `{"id": "c", "content": "three", "state": "archived", "categories": []}`)
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string][]byte{
		"memories.jsonl.gz": lines.Bytes(),
		"memories.json":     []byte(`{"categories": [{"id": "x", "name": "work"}], "memories": [{"id": "a", "content": "one", "state": "active", "category_ids": ["x"]}]}`),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, "mem0", folder)
	if len(got) != 3 || !reflect.DeepEqual(got[0].Tags, []string{"work", "app:openmemory"}) || got[0].OccurredAt != "2026-01-02T03:04:05Z" ||
		got[1].Skipped != "is deleted there" || got[1].Line != 2 || !reflect.DeepEqual(got[2].Tags, []string{"archived"}) {
		t.Errorf("got %+v", got)
	}
	alone := read(t, "mem0", filepath.Join(folder, "memories.json"))
	if len(alone) != 1 || !strings.Contains(alone[0].Refused, "import the archive") {
		t.Errorf("got %+v", alone)
	}
}

func TestInvalidItemsAreReportedWithTheirPath(t *testing.T) {
	for name, c := range map[string]struct {
		system, text string
		line         int
		place, why   string // of the first line that is not an entry
		entries      int
	}{
		"another document":        {"mem0", `{"foo": 1}`, 1, "", "has none of the fields", 0},
		"nothing":                 {"mem0", ``, 1, "", "has none of the fields", 0},
		"no identifier":           {"mem0", "[\n{\"id\": \"a\", \"memory\": \"one\"},\n{\"memory\": \"xyzzy\"}]", 3, ".[1]", "id: is missing", 1},
		"another type":            {"mem0", `{"results": [{"id": "a", "memory": ["xyzzy"]}, {"id": "b", "memory": "two"}]}`, 1, ".results[0]", "memory: has the wrong type", 1},
		"an expiry":               {"mem0", `[{"id": "a", "memory": "xyzzy", "expiration_date": "xyzzy"}]`, 1, ".[0]", "expiration_date: is not a date", 0},
		"expired":                 {"mem0", `[{"id": "a", "memory": "one", "expiration_date": "2026-11-20"}]`, 1, ".[0]", "has expired there", 0},
		"broken in the middle":    {"zep", "[{\"uuid\": \"a\", \"fact\": \"one\"},\n\n{\"uuid\": xyzzy", 3, "", "not valid JSON at byte", 1},
		"cut short":               {"zep", "[{\"uuid\": \"a\", \"fact\": \"one\"},\n{\"uuid\": \"xyzzy", 2, "", "ends before the document does", 1},
		"not UTF-8":               {"zep", "[{\"uuid\": \"a\", \"fact\": \"xyzzy\xff\"}]", 1, ".[0]", "not valid UTF-8", 0},
		"an edge without a fact":  {"graphiti", `{"edges": [{"uuid": "a", "source_node_uuid": "b"}]}`, 1, ".edges[0]", "is an edge without a fact", 0},
		"the same key":            {"graphiti", `{"facts": [{"uuid": "a", "fact": "one"}, {"uuid": "a", "fact": "xyzzy"}]}`, 1, ".facts[1]", "key: another entry", 1},
		"an empty block":          {"letta", `{"agents": [], "blocks": [{"id": "b", "label": "human", "value": ""}]}`, 1, ".blocks[0]", "is empty", 0},
		"no label":                {"letta", `{"agents": [], "blocks": [{"id": "b", "value": "xyzzy"}]}`, 1, ".blocks[0]", "label: is missing", 0},
		"not to be remembered":    {"chatgpt", `[{"id": "a", "mapping": {}, "is_do_not_remember": true}]`, 1, ".[0]", "is marked", 0},
		"a bad message":           {"chatgpt", `[{"id": "a", "mapping": {"xyzzy": 5}}]`, 1, ".[0]", "mapping: has no message that can be read", 0},
		"an account":              {"claude", `[{"uuid": "a", "email_address": "xyzzy"}]`, 1, ".[0]", "is an account", 0},
		"an example":              {"claude", `[{"uuid": "a", "name": "xyzzy", "prompt_template": "xyzzy", "docs": [], "is_starter_project": true}]`, 1, ".[0]", "made as an example", 0},
		"files of memories":       {"claude", `{"conversations_memory": "one", "project_memories": {}, "memory_files": [{"xyzzy": 1}]}`, 1, "", "memory_files: are not imported", 1},
		"a note without key":      {"basic-memory", "---\ntitle: xyzzy\n---\nbody", 1, "", "permalink: is missing", 0},
		"frontmatter left open":   {"basic-memory", "---\ntitle: xyzzy\nbody", 1, "", "not closed", 0},
		"frontmatter that is bad": {"basic-memory", "---\ntitle: [xyzzy\n---\nbody", 1, "", "not valid YAML", 0},
		"two documents":           {"basic-memory", "---\npermalink: a\n--- # xyzzy\nmore\n---\nbody", 1, "", "more than one YAML document", 0},
		"tags that are no list":   {"basic-memory", "---\npermalink: a\ntags: {xyzzy: 1}\n---\nbody", 1, "", "tags: must be", 0},
	} {
		t.Run(name, func(t *testing.T) {
			entries := 0
			var first *result
			for _, r := range readText(t, c.system, c.text) {
				if r.Refused == "" && r.Skipped == "" {
					entries++
				} else if first == nil {
					first = &r
				}
				if strings.Contains(r.Refused+r.Skipped+r.Place, "xyzzy") {
					t.Errorf("the reason has the text: %+v", r)
				}
			}
			if first == nil || first.Line != c.line || first.Place != c.place || !strings.Contains(first.Refused+first.Skipped, c.why) || entries != c.entries {
				t.Errorf("got %d entries, %+v", entries, first)
			}
		})
	}
}

func TestDocumentInAStringIsRead(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(samples, "letta.af"))
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readText(t, "letta", string(quoted)), readText(t, "letta", string(text)); len(got) != 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestOlderAgentFileHasItsBlocksInCoreMemory(t *testing.T) {
	got := readText(t, "letta", `{"agent_type": "memgpt_agent", "core_memory": [{"label": "human", "value": "v", "created_at": "2025-04-01T10:00:00", "updated_at": "2025-04-02T10:00:00+00:00"}], "messages": [{"name": null}], "name": "a/b"}`)
	if len(got) != 1 || got[0].Key != "a-b/human" || got[0].OccurredAt != "2025-04-02T10:00:00Z" || got[0].Type != "user" {
		t.Errorf("got %+v", got)
	}
}

func TestConversationGrowsAtItsEnd(t *testing.T) {
	var messages []message
	for n := range 40 {
		messages = append(messages, message{role: "User", text: strings.Repeat(fmt.Sprintf("word%d \"\n", n), 300)})
	}
	before := conversation("c", "t", importer.Date{}, messages[:30])
	after := conversation("c", "t", importer.Date{}, messages)
	if len(before) < 3 || len(after) <= len(before) || !reflect.DeepEqual(after[:len(before)-1], before[:len(before)-1]) {
		t.Errorf("%d parts became %d", len(before), len(after))
	}
	for _, d := range after {
		if size := len(d.line(item{}).Put.Value); size > maxPart+2 {
			t.Errorf("%s has %d bytes", d.key, size)
		}
	}
}

func TestLongMessageIsCutIntoAllOfIt(t *testing.T) {
	for name, text := range map[string]string{
		"lines":   strings.Repeat("one line of a message\n", 5000),
		"words":   strings.Repeat("word ", 20000),
		"no gaps": strings.Repeat("é", 50000),
		"escapes": strings.Repeat("\x01", 30000),
	} {
		squeeze := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
		var all strings.Builder
		for _, d := range conversation("c", "", importer.Date{}, []message{{role: "User", text: text}}) {
			all.WriteString(strings.TrimPrefix(d.text, "User: "))
			if size := len(d.line(item{}).Put.Value); size > maxPart+2 {
				t.Errorf("%s: a part has %d bytes", name, size)
			}
		}
		if squeeze(all.String()) != squeeze(text) {
			t.Errorf("%s: text was lost", name)
		}
	}
}

// Entries are yielded while the file is still being read: it need not fit into memory.
func TestEntriesAreReadBeforeTheFileEnds(t *testing.T) {
	in, out := io.Pipe()
	got := make(chan string)
	go func() {
		_ = reader(t, "mem0").Read("-", in, func(_ string, l importer.Line) error {
			got <- l.Put.Path.Key
			return nil
		})
		close(got)
	}()
	for n, text := range []string{`{"results": [{"id": "0", "memory": "m"}`, `, {"id": "1", "memory": "m"}`} {
		if _, err := io.WriteString(out, text); err != nil {
			t.Fatal(err)
		}
		if key := <-got; key != fmt.Sprint(n) {
			t.Errorf("got %q", key)
		}
	}
	if _, err := io.WriteString(out, "]}"); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	if key, more := <-got; more {
		t.Errorf("got %q", key)
	}
}

func TestReadStopsAtAnErrorOfYield(t *testing.T) {
	stop := errors.New("stop")
	for _, system := range Names() {
		text := map[string]string{"basic-memory": "---\npermalink: a\n---\nb"}[system]
		if text == "" {
			text = "{}"
		}
		calls := 0
		err := reader(t, system).Read("-", strings.NewReader(text), func(string, importer.Line) error {
			calls++
			return stop
		})
		if !errors.Is(err, stop) || calls != 1 {
			t.Errorf("%s: got %v after %d calls", system, err, calls)
		}
	}
}

func TestTimesOfExportsAreUnderstood(t *testing.T) {
	for text, want := range map[string]string{
		`1772359200.25`:                      "2026-03-01T10:00:00.25Z",
		`"2025-11-21T03:05:34.027937+00:00"`: "2025-11-21T03:05:34.027937Z",
		`"2026-02-14T09:30:00-08:00"`:        "2026-02-14T17:30:00Z",
		`"2026-01-18T07:45:00"`:              "2026-01-18T07:45:00Z",
		`"2026-01-18 07:45:00.5"`:            "2026-01-18T07:45:00.5Z",
		`"2026-01-18T07:45:00+0100"`:         "2026-01-18T06:45:00Z",
		`"2026-01-18"`:                       "2026-01-18",
		`"2026-01-18T07:45:00.123456789Z"`:   "2026-01-18T07:45:00.123456Z",
		`null`:                               "",
		`""`:                                 "",
		`0`:                                  "",
	} {
		var at importer.Date
		if err := json.Unmarshal([]byte(text), &at); err != nil || at.Moment(time.UTC).String() != want || at.Undated != "" {
			t.Errorf("%s: got %+v, %v", text, at, err)
		}
	}
	for _, text := range []string{`"yesterday"`, `1e300`, `true`, `{}`, `"2026-13-01"`, `"03/04/2026"`} {
		var at importer.Date
		if err := json.Unmarshal([]byte(text), &at); err != nil || !at.Moment(time.UTC).IsZero() || at.Undated != strings.Trim(text, `"`) {
			t.Errorf("%s: got %+v, %v", text, at, err)
		}
	}
}

// An entry with an unparsable date is imported, with the text of the date in its
// description and a note that does not quote it.
func TestDatesThatAreNotUnderstoodStayAsText(t *testing.T) {
	lines := func(system, text string) (all []importer.Line) {
		r, err := New(system, system, now, time.FixedZone("", 2*3600))
		if err != nil {
			t.Fatal(err)
		}
		err = r.Read("-", strings.NewReader(text), func(_ string, l importer.Line) error {
			all = append(all, l)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, c := range []struct{ name, system, text, occurred, description string }{
		{"mem0", "mem0", `[{"id": "a", "memory": "one", "created_at": "last\nspring"}]`, "", "date: last spring"},
		{"another date", "mem0", `[{"id": "a", "memory": "one", "created_at": "last spring", "updated_at": "June 30, 2026"}]`, "2026-06-30", "date: last spring"},
		{"a number", "mem0", `[{"id": "a", "memory": "one", "created_at": 1e300}]`, "", "date: 1e300"},
		{"zep", "zep", `[{"uuid": "a", "fact": "one", "name": "ONE", "valid_at": "xyzzy"}]`, "", "ONE (date: xyzzy)"},
		{"basic-memory", "basic-memory", "---\ntitle: One day\npermalink: one\ncreated: in June\n---\ntext\n", "", "One day (date: in June)"},
		{"long", "zep", `[{"uuid": "a", "fact": "one", "name": "` + strings.Repeat("ü", 400) + `", "valid_at": "` + strings.Repeat("x", 400) + `"}]`, "",
			strings.Repeat("ü", 300-1-9-100) + "… (date: " + strings.Repeat("x", 99) + "…)"},
	} {
		got := lines(c.system, c.text)
		if len(got) != 1 || got[0].Err != nil || len(got[0].Notes) != 1 || strings.Contains(got[0].Notes[0], "spring") {
			t.Errorf("%s: got %+v", c.name, got)
			continue
		}
		put := got[0].Put
		if *put.OccurredAt != c.occurred || *put.Description != c.description || memory.CheckDescription(*put.Description) != nil {
			t.Errorf("%s: occurred at %q, description %q", c.name, *put.OccurredAt, *put.Description)
		}
	}
	local := lines("mem0", `[{"id": "a", "memory": "one", "created_at": "2026-06-30 12:00"}, {"id": "b", "memory": "two", "created_at": "2026-06"}]`)
	if len(local) != 2 || *local[0].Put.OccurredAt != "2026-06-30T10:00:00Z" || *local[1].Put.OccurredAt != "2026-06" || len(local[0].Notes) > 0 {
		t.Errorf("local times: %+v", local)
	}
	expires := lines("mem0", `[{"id": "a", "memory": "one", "expiration_date": "2026-12-01 12:00"}, {"id": "b", "memory": "two", "expiration_date": "2026-12-01"},
		{"id": "c", "memory": "three", "expiration_date": "2026-11-21 13:00"}, {"id": "d", "memory": "four", "expiration_date": "2026-11-21"},
		{"id": "e", "memory": "five", "expiration_date": "9999-12-31"}]`)
	if len(expires) != 5 || !expires[0].Put.ExpiresAt.Equal(time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)) ||
		!expires[1].Put.ExpiresAt.Equal(time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC)) || !expires[2].Skipped ||
		!expires[3].Put.ExpiresAt.Equal(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)) || expires[4].Put.ExpiresAt.Year() != 9999 {
		t.Errorf("local expiries: %+v", expires)
	}
	ended := lines("zep", `[{"uuid": "a", "fact": "one", "invalid_at": "last spring"}]`)
	if len(ended) != 1 || string(ended[0].Put.Value) != `"one (no longer true since last spring)"` {
		t.Errorf("a fact that ended: %+v", ended)
	}
}

// Frontmatter fields that an entry does not have stay in the note's text.
func TestOtherFieldsOfANoteStayWithItsText(t *testing.T) {
	for text, want := range map[string]string{
		"---\npermalink: a\nstatus: active # since May\ndue:\n  - 2026-12-01\ntags: [x]\n---\nbody\n": "---\nstatus: active # since May\ndue:\n  - 2026-12-01\n---\n\nbody",
		"---\n{permalink: a, status: active}\n---\nbody":                                              "---\nstatus: active\n---\n\nbody",
		"---\npermalink: a\ntags: [x]\n...\nbody\n\n---\nmore":                                        "body\n\n---\nmore",
		"---\npermalink: a\ntype: note\n---\nbody":                                                    "body",
		"---\n# mine\npermalink: a\nbase: &b {x: 1}\nagain: *b\n---\nbody":                            "---\n# mine\nbase: &b {x: 1}\nagain: *b\n---\n\nbody",
	} {
		got := readText(t, "basic-memory", text)
		var value string
		if len(got) != 1 || json.Unmarshal(got[0].Value, &value) != nil || value != want {
			t.Errorf("%q became %+v, value %q", text, got, value)
		}
	}
	got := readText(t, "basic-memory", "---\npermalink: a\ntags: [garden, null, ~]\n---\nbody")
	if len(got) != 1 || strings.Join(got[0].Tags, ",") != "garden" {
		t.Errorf("got %+v", got)
	}
}
