package importer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func read(t *testing.T, name, text string) []Line {
	t.Helper()
	var lines []Line
	err := Read(name, strings.NewReader(text), now, func(l Line) error {
		lines = append(lines, l)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestBEIRDocumentBecomesAnEntry(t *testing.T) {
	lines := read(t, "corpus.jsonl", `{"_id": "conv-1:D1", "title": "8 May", "text": "A & B went <home>", "store": "conv-1", "session": 1}
{"_id": "2", "title": "", "text": "no title"}
`)
	if len(lines) != 2 || lines[0].Err != nil || lines[1].Err != nil {
		t.Fatalf("got %+v", lines)
	}
	first := lines[0]
	if first.Store != "conv-1" || first.Put.Path.Key != "conv-1:D1" || string(first.Put.Value) != `"8 May\nA & B went <home>"` {
		t.Errorf("got %+v, value %s", first, first.Put.Value)
	}
	if lines[1].Store != "" || string(lines[1].Put.Value) != `"no title"` || lines[1].Number != 2 {
		t.Errorf("got %+v, value %s", lines[1], lines[1].Put.Value)
	}
}

func TestParseExportedEntry(t *testing.T) {
	lines := read(t, "-", "\ufeff"+`
{"id":"0","store_id":"a","owner_id":"b","namespace":"n","key":"k/1","label":"PUBLIC","value":{"x": [1.50]},"type":"project","description":"d","tags":["t"],"in_context":true,"encrypted":false,"expires_at":"2026-11-21T13:00:00Z","version":3,"created_at":"2026-11-20T00:00:00Z","updated_at":"2026-11-20T00:00:00Z","updated_by":"b","occurred_at":"2023-05-08","type_by":"c","description_by":"","source":null}
`)
	if len(lines) != 1 || lines[0].Err != nil {
		t.Fatalf("got %+v", lines)
	}
	l := lines[0]
	if l.Number != 2 || l.Store != "a" || l.Put.Path.Namespace != "n" || l.Put.Path.Key != "k/1" ||
		string(l.Put.Value) != `{"x": [1.50]}` || *l.Put.Type != "project" || (*l.Put.Tags)[0] != "t" ||
		l.Put.ExpiresAt.Sub(now) != time.Hour || l.Put.Source != nil || *l.Put.OccurredAt != "2023-05-08" || !*l.Put.InContext {
		t.Errorf("got %+v", l)
	}
	minimal := read(t, "x.ndjson", `{"key":"k","value":null}`)[0]
	if minimal.Err != nil || string(minimal.Put.Value) != "null" || minimal.Put.Type != nil || minimal.Put.OccurredAt != nil || minimal.Put.TTL != nil {
		t.Errorf("got %+v", minimal)
	}
}

func TestErrorsNeverIncludeTheLine(t *testing.T) {
	const hidden = "xyzzy"
	for reason, text := range map[string]string{
		"not valid JSON":              `{"key": "xyzzy", "value": xyzzy}`,
		"not a JSON object":           `["xyzzy"]`,
		"JSON object":                 `null`,
		"key: is missing":             `{"value":"xyzzy"}`,
		"value: is missing":           `{"key":"xyzzy"}`,
		"tags: has the wrong type":    `{"key":"k","value":1,"tags":"xyzzy"}`,
		"has an unknown field":        `{"key":"k","value":1,"said xyzzy to":2}`,
		"vallue: is an unknown field": `{"key":"k","vallue":"xyzzy","value":1}`,
		"UTF-8":                       "{\"key\":\"k\",\"value\":\"xyzzy\xff\"}",
		"is in the past":              `{"key":"k","value":1,"expires_at":"2026-11-21T12:00:00Z"}`,
		"out of range":                `{"key":"k","value":1,"ttl":9223372036854775807}`,
		"both ttl":                    `{"key":"k","value":1,"ttl":5,"expires_at":"2026-11-21T13:00:00Z"}`,
	} {
		line := read(t, "x.jsonl", text)[0]
		if line.Err == nil || !strings.Contains(line.Err.Error(), reason) || strings.Contains(line.Err.Error(), hidden) {
			t.Errorf("%s: got %v", reason, line.Err)
		}
	}
}

func TestMarkdownFileIsOneEntry(t *testing.T) {
	for name, c := range map[string]struct{ file, text, key, value string }{
		"frontmatter":         {"a.md", "---\nname: preferred-language\ntype: user\ndescription: Writes in Catalan\ntags: [language]\nauthor: someone\n---\n\nAnswers in Catalan.\n", "preferred-language", `"Answers in Catalan."`},
		"CRLF line ends":      {"a.md", "---\r\nname: n\r\n---\r\nbody\r\n", "n", `"body"`},
		"no frontmatter":      {"dir/habits.md", "# Habits\n---\ntext", "habits", `"# Habits\n---\ntext"`},
		"frontmatter only":    {"a.md", "---\nname: n\n---", "n", `""`},
		"from standard input": {"-", "\n# no\n", "", ""},
	} {
		lines := read(t, c.file, c.text)
		if len(lines) != 1 {
			t.Fatalf("%s: got %+v", name, lines)
		}
		if l := lines[0]; c.key == "" && l.Err == nil || c.key != "" && (l.Err != nil || l.Put.Path.Key != c.key || string(l.Put.Value) != c.value) {
			t.Errorf("%s: got %+v, value %s", name, l, l.Put.Value)
		}
	}
	l := read(t, "a.md", "---\nname: preferred-language\ntype: user\ndescription: d\ntags: [t]\n---\nx")[0]
	if *l.Put.Type != "user" || *l.Put.Description != "d" || (*l.Put.Tags)[0] != "t" {
		t.Errorf("got %+v", l)
	}
	if l := read(t, "a.md", "---\nname: [\n---\nx")[0]; l.Err == nil {
		t.Error("malformed frontmatter was accepted")
	}
}

func TestReadStopsAtAnErrorOfYield(t *testing.T) {
	stop := errors.New("stop")
	err := Read("x.jsonl", strings.NewReader("{}\n{}\n"), now, func(Line) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func FuzzReadNeverFailsOnContent(f *testing.F) {
	f.Add("corpus.jsonl", `{"_id":"1","text":"x"}`)
	f.Add("-", `{"key":"k","value":{"a":1},"ttl":5}`)
	f.Add("a.md", "---\nname: n\n---\nbody")
	f.Fuzz(func(t *testing.T, name, text string) {
		err := Read(name, strings.NewReader(text), now, func(l Line) error {
			if l.Err == nil && !json.Valid(l.Put.Value) {
				t.Error("a value that is not JSON")
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
