package importer

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mneme/memory"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func read(t *testing.T, name, text string) []Line {
	t.Helper()
	var lines []Line
	err := Read(name, strings.NewReader(text), now, time.FixedZone("", 2*3600), func(l Line) error {
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
	if l := read(t, "-", `{"key":"k","value":1,"source":{"tool":"t"}}`)[0]; l.Err != nil || string(l.Put.Source) != `{"tool":"t"}` {
		t.Errorf("got %+v", l)
	}
	minimal := read(t, "x.ndjson", `{"key":"k","value":null}`)[0]
	if minimal.Err != nil || string(minimal.Put.Value) != "null" || minimal.Put.Type != nil || minimal.Put.OccurredAt != nil || minimal.Put.TTL != nil {
		t.Errorf("got %+v", minimal)
	}
}

func TestDatesMayHaveAnyUsualForm(t *testing.T) {
	for date, want := range map[string]string{ // local times are two hours ahead of UTC
		`"2026"`: "2026", `"2026-06"`: "2026-06", `"2026/06/30"`: "2026-06-30", `"30 June 2026"`: "2026-06-30", `"June 30, 2026"`: "2026-06-30",
		`"2026-06-30T12:00"`: "2026-06-30T10:00:00Z", `"Tue, 30 Jun 2026 12:00:00 GMT"`: "2026-06-30T12:00:00Z",
		`1782820800`: "2026-06-30T12:00:00Z", `1782820800000`: "2026-06-30T12:00:00Z", `"1782820800"`: "2026-06-30T12:00:00Z", `2026`: "2026",
		`""`: "", `"0001-01-01T00:00:00Z"`: "",
	} {
		l := read(t, "-", `{"key":"k","value":1,"occurred_at":`+date+`}`)[0]
		if l.Err != nil || *l.Put.OccurredAt != want || l.Put.Description != nil || len(l.Notes) > 0 {
			t.Errorf("%s: %+v", date, l)
		}
		if strings.HasPrefix(date, `"`) && want != "" {
			note := read(t, "a.md", "---\nname: n\noccurred_at: "+date+"\n---\nx")[0]
			if note.Err != nil || *note.Put.OccurredAt != want || len(note.Notes) > 0 {
				t.Errorf("%s in Markdown: %+v", date, note)
			}
		}
	}
	if l := read(t, "-", `{"key":"k","value":1,"occurred_at":null}`)[0]; l.Err != nil || l.Put.OccurredAt != nil {
		t.Errorf("null: %+v", l)
	}
	for date, want := range map[string]string{`"last\tspring"`: "last spring", `"03/04/2026"`: "03/04/2026", `true`: "true", `["x"]`: `["x"]`} {
		for fields, description := range map[string]string{`,"description":"Trip"`: "Trip (date: " + want + ")", ``: "date: " + want} {
			l := read(t, "-", `{"key":"k","value":1,"occurred_at":`+date+fields+`}`)[0]
			if l.Err != nil || *l.Put.OccurredAt != "" || *l.Put.Description != description || len(l.Notes) != 1 || strings.Contains(l.Notes[0], want) {
				t.Errorf("%s: %+v", date, l)
			}
		}
	}
	if l := read(t, "a.md", "---\nname: n\ndescription: Trip\noccurred_at: last spring\n---\nx")[0]; l.Err != nil || *l.Put.Description != "Trip (date: last spring)" || len(l.Notes) != 1 {
		t.Errorf("Markdown: %+v", l)
	}
	for expires, reason := range map[string]string{`"next year"`: "expires_at: is not a date", `"2026-11-21"`: "in the past", `1`: "in the past"} {
		if l := read(t, "-", `{"key":"k","value":1,"expires_at":`+expires+`}`)[0]; l.Err == nil || !strings.Contains(l.Err.Error(), reason) {
			t.Errorf("it expires %s: %+v", expires, l)
		}
	}
	l := read(t, "-", `{"key":"k","value":1,"expires_at":"2026-11-21T15:00"}`)[0]
	if l.Err != nil || l.Put.ExpiresAt.Sub(now) != time.Hour {
		t.Errorf("a local time of expiry: %+v", l)
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
	err := Read("x.jsonl", strings.NewReader("{}\n{}\n"), now, time.UTC, func(Line) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func FuzzReadNeverFailsOnContent(f *testing.F) {
	f.Add("corpus.jsonl", `{"_id":"1","text":"x"}`)
	f.Add("-", `{"key":"k","value":{"a":1},"ttl":5}`)
	f.Add("a.md", "---\nname: n\n---\nbody")
	f.Add("-", `{"key":"k","value":1,"description":"d","occurred_at":"in\u0000 June","expires_at":1e12}`)
	f.Add("a.md", "---\nname: n\noccurred_at: in June\n---\nbody")
	f.Add("a.md", "\xff\xfex\x00y") // truncated UTF-16
	f.Fuzz(func(t *testing.T, name, text string) {
		err := Read(name, strings.NewReader(text), now, time.FixedZone("", 2*3600), func(l Line) error {
			if l.Err == nil && !json.Valid(l.Put.Value) {
				t.Error("a value that is not JSON")
			}
			if len(l.Notes) > 0 && memory.CheckDescription(*l.Put.Description) != nil {
				t.Errorf("the description is %q", *l.Put.Description)
			}
			if l.Put.OccurredAt != nil {
				if _, err := memory.ParseMoment(*l.Put.OccurredAt); err != nil {
					t.Errorf("it occurred at %q", *l.Put.OccurredAt)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
