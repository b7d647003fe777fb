package markdown

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/internal/period"
	"mneme/memory"
)

// keys draws valid keys, mostly unusual ones.
func keys() *rapid.Generator[string] {
	segment := rapid.OneOf(
		rapid.SampledFrom([]string{
			"a", "A", "MEMORY", "memory", "trash", "Trash", "con", "NUL.txt", "a.md", "A.MD", ".git", "~", "%41", "a~2", "@ns", " a", "a ", "a.",
			"ß", "ss", "ſ", "é", "日本語", "👩\u200d", "y", "null", "1", "2026-11-21", "a: b", "a #b", "- x", "---", "[x]", `"`, `\`, "CON", "lpt¹",
			strings.Repeat("x", 200), strings.Repeat("%", 90), strings.Repeat("語", 60), "A:\u0301",
		}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return norm.NFC.String(strings.Join(rapid.SliceOfN(segment, 1, 4).Draw(t, "segments"), "/"))
	}).Filter(func(key string) bool { return memory.CheckKey(key) == nil })
}

func namespaces() *rapid.Generator[string] {
	return rapid.OneOf(rapid.Just(""), rapid.SampledFrom([]string{"ns", "NS", "a/b", "..", ".", "/", "trash", "@x"}),
		rapid.String()).Filter(func(n string) bool { return memory.CheckNamespace(n) == nil })
}

// values draws JSON values, mostly texts that look like parts of a file.
func values() *rapid.Generator[json.RawMessage] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "\n", "\n\n", "x\n", "x\n\n", "\nx", "---\nx\n---\n", "---", "\ufeffx", "x\r\n", "\r\n", "\r", "x\r\ny\n", "a\tb", "\x00", "\x1b[2J", "\u0085", "\ufffd", "<&>\u2028",
	}))
	return rapid.OneOf(
		rapid.Map(text, func(text string) json.RawMessage { return Value(text) }),
		rapid.Map(rapid.SampledFrom([]string{
			`null`, `true`, `1.50`, `{}`, `[ ]`, `{"a": [1, {"b":"\u00e9"}], "a": null}`, `"\ud800"`, `"\\ud800"`, `"\ufffd"`, `"\ud83d\ude00"`, `"\\ufffd\udc00"`,
		}), func(text string) json.RawMessage { return json.RawMessage(text) }),
	)
}

func notes() *rapid.Generator[Note] {
	instant := func(t *rapid.T, name string) time.Time {
		if rapid.Bool().Draw(t, name+" is zero") {
			return time.Time{}
		}
		return time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, name)).UTC()
	}
	return rapid.Custom(func(t *rapid.T) Note {
		n := Note{
			Namespace:   namespaces().Draw(t, "namespace"),
			Name:        keys().Draw(t, "name"),
			Label:       rapid.SampledFrom([]acl.Label{0, acl.Internal, acl.Restricted}).Draw(t, "label"),
			Type:        rapid.SampledFrom(append([]string{""}, memory.Types...)).Draw(t, "type"),
			Description: rapid.String().Filter(func(d string) bool { return memory.CheckDescription(d) == nil }).Draw(t, "description"),
			Tags:        rapid.SliceOfN(rapid.String(), 0, 3).Filter(func(tags []string) bool { return memory.CheckTags(tags) == nil }).Draw(t, "tags"),
			InContext:   rapid.Bool().Draw(t, "in context"),
			Encrypted:   rapid.Bool().Draw(t, "encrypted"),
			ExpiresAt:   instant(t, "expires"), DeletedAt: instant(t, "deleted"),
			OccurredAt: rapid.Custom(moment).Draw(t, "occurred"),
			Value:      values().Draw(t, "value"),
		}
		return n
	})
}

func moment(t *rapid.T) memory.Moment {
	at := time.Unix(rapid.Int64Range(-62135596799, 253402300799).Draw(t, "instant"), 0).UTC()
	m, err := memory.ParseMoment(rapid.SampledFrom([]string{"", at.Format(time.DateOnly), at.Format("2006-01"), at.Format("2006"), at.Format(time.RFC3339)}).Draw(t, "text"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParseReturnsTheRenderedNote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := notes().Draw(t, "note")
		file := n.Render()
		back, problems := Parse(file, false, time.UTC)
		if len(problems) > 0 {
			t.Fatalf("%v in\n%s", problems, file)
		}
		if !equal(n.Value, back.Value) {
			t.Errorf("value %s, was %s, in\n%s", back.Value, n.Value, file)
		}
		if again := back.Render(); !bytes.Equal(again, file) {
			t.Errorf("rendered again\n%s\nwas\n%s", again, file)
		}
		back.Lines, back.Value, n.Value = nil, nil, nil
		if len(n.Tags) == 0 {
			n.Tags = nil
		}
		if !reflect.DeepEqual(back, n) {
			t.Errorf("%+v\nwas\n%+v\nin\n%s", back, n, file)
		}
	})
}

// equal reports whether two JSON values are equal, ignoring white space and, in strings that a
// file holds as plain text, escapes.
func equal(a, b json.RawMessage) bool {
	texts := func(v json.RawMessage) string {
		if text, ok := plainText(v); ok {
			return "text " + string(text)
		}
		var out bytes.Buffer
		if json.Compact(&out, v) != nil {
			return "not JSON"
		}
		return out.String()
	}
	return texts(a) == texts(b)
}

func TestRenderWritesTheFormatOfMaestro(t *testing.T) {
	n := Note{Name: "preferred-language", Type: "user", Description: "User prefers Japanese output 🙂", InContext: true,
		Value: json.RawMessage(`"Always respond in Japanese."`)}
	want := "---\nname: preferred-language\ntype: user\ndescription: User prefers Japanese output 🙂\n---\n\nAlways respond in Japanese.\n"
	if got := string(n.Render()); got != want {
		t.Errorf("got\n%s", got)
	}
	n = Note{Name: "2026/plan", Namespace: "work", Label: acl.Internal, Description: `says: "no"`, Tags: []string{"a", "b, c", "no"}, Encrypted: true,
		ExpiresAt: time.Date(2027, 1, 2, 3, 4, 5, 6000, time.UTC), DeletedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		OccurredAt: memory.Moment{Time: time.Date(2023, 5, 8, 0, 0, 0, 0, time.UTC), Precision: period.Day},
		Value:      json.RawMessage(`{"b":[1.50],"a":"<"}`)}
	want = `---
name: "2026/plan"
description: "says: \"no\""
namespace: work
tags: [a, "b, c", "no"]
label: INTERNAL
in_context: false
encrypted: true
expires_at: 2027-01-02T03:04:05.000006Z
deleted_at: 2026-01-02T03:04:05Z
occurred_at: 2023-05-08
json: true
---

{
  "b": [
    1.50
  ],
  "a": "<"
}
`
	if got := string(n.Render()); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestParseAcceptsWhatEditorsAndPeopleWrite(t *testing.T) {
	for name, c := range map[string]struct{ text, name, value string }{
		"CRLF line endings":                {"---\r\nname: n\r\n---\r\n\r\nbody\r\nmore\r\n", "n", `"body\nmore"`},
		"byte order mark":                  {"\ufeff---\nname: n\n---\nbody", "n", `"body"`},
		"no empty line, no last line feed": {"---\nname: n\n---\nbody", "n", `"body"`},
		"spaces after the dashes":          {"--- \nname: n\n---\t\nbody\n", "n", `"body"`},
		"dots at the end":                  {"---\nname: n\n...\n\nbody\n", "n", `"body"`},
		"dots at the end, a rule below":    {"---\nname: n\n...\n---\nbody\n", "n", `"---\nbody"`},
		"no body":                          {"---\nname: n\n---", "n", `""`},
		"no name":                          {"---\n---\nbody\n", "", `"body"`},
		"a number":                         {"---\nname: 007\n# a comment\n---\n", "007", `""`},
		"quotes":                           {"---\nname: 'it''s'\n---\n", "it's", `""`},
		"empty fields":                     {"---\nname: n\ntype:\ntags:\ndescription: ~\n---\n", "n", `""`},
		"a day":                            {"---\nname: n\nexpires_at: 2027-01-01\n---\n", "n", `""`},
		"JSON":                             {"---\nname: n\njson: true\n---\n{\"a\":\n 1}\n", "n", `{"a":1}`},
	} {
		n, problems := Parse([]byte(c.text), false, time.UTC)
		if len(problems) > 0 || n.Name != c.name || string(n.Value) != c.value || n.Type != "" || n.Description != "" || !n.InContext {
			t.Errorf("%s: got %+v, value %s, %v", name, n, n.Value, problems)
		}
	}
}

func TestProblemsHaveTheirLineAndQuoteNoText(t *testing.T) {
	const hidden = "xyzzy"
	for text, want := range map[string][]Problem{
		"xyzzy":                                {{1, "frontmatter is missing"}},
		"":                                     {{1, "frontmatter is missing"}},
		"---":                                  {{1, "is not closed"}},
		"---\nname: xyzzy\n":                   {{1, "is not closed"}},
		"---\nname: n\n---\nxyzzy\n\xff":       {{5, "UTF-8"}},
		"---\nname: n\n---\n\nxyzzy\n\x1b":     {{6, "control character"}},
		"---\nname: n\ntype: \x00xyzzy\n---\n": {{3, "control character"}},
		"---\nname: n\rxyzzy\n---\n":           {{2, "control character"}},
		"---\n\u2028xyzzy\n---\n":              {{2, "control character"}},
		"---\nname: n\n--- xyzzy\n---\n":       {{3, "more than one YAML document"}},
		"---\nname: n\n... #\nxyzzy\n---\n":    {{3, "more than one YAML document"}},
		"---\nname: n\ntype: xyzzy\n---\n":     {{3, "type: must be one of user, feedback"}},
		"---\nname: n\nxyzzy there: 1\n---\n":  {{3, "has an unknown field"}},
		"---\nname: n\nauthor: xyzzy\n---\n":   {{3, "author: is an unknown field"}},
		"---\nname: n\n\nname: xyzzy\n---\n":   {{4, "name: is given twice"}},
		"---\nname: /xyzzy\ndescription: \"xyzzy\\n\"\ntags: xyzzy\nin_context: xyzzy\nlabel: xyzzy\nexpires_at: xyzzy\nstore: ..\nnamespace: \"\\u200b\"\njson: maybe\n---\n": {
			{2, "name: must have no leading"}, {3, "description: must be one line"}, {4, "tags: must be a list"}, {5, "in_context: must be true or false"},
			{6, "label: must be PUBLIC"}, {7, "expires_at: must be a time"}, {8, "store: "}, {9, "namespace: must have no control"}, {10, "json: must be true"}},
		"---\nname: [xyzzy]\ntags: [{xyzzy: 1}]\n---\n":                           {{2, "name: must be text"}, {3, "tags: must be a list"}},
		"---\nname: !!binary xyzzy\n---\n":                                        {{2, "name: must be text"}},
		"---\nname: &xyzzy a\ndescription: *xyzzy\n---\n":                         {{3, "description: must be text"}},
		"---\ndescription: *xyzzy\n---\n":                                         {{2, "begins with this character needs quotes"}},
		"---\n- xyzzy\n---\n":                                                     {{2, "is not a field"}},
		"---\nname: n\ndescription: xyzzy: xyzzy\n---\n":                          {{3, "colon in it needs quotes"}},
		"---\nname: n\ndescription: @xyzzy\ntype: user\n---\n":                    {{3, "not valid YAML"}},
		"---\nname: n\ndescription: \"xyzzy\ntype: user\n---\n":                   {{3, "a quote is not closed"}},
		"---\nname: n\njson: true\n---\n\n{\n\"xyzzy\": xyzzy}\n":                 {{7, "not valid JSON"}},
		"---\nname: n\nxyzzy\ntype: user\n---\n":                                  {{3, "is not a field"}},
		"---\nxyzzy\n---\n":                                                       {{2, "is not a field"}},
		"---\n\tname: n\n---\n":                                                   {{2, "begins with a tab"}},
		"---\nname: n\n  type: xyzzy\n---\n":                                      {{3, "a field must start at the beginning of its line"}},
		"---\ntags: [a,\n  b]\nname: 'xyzzy\ntype: n\n---\n":                      {{4, "a quote is not closed"}},
		"---\nname: n\ntags: [xyzzy, b\ntype: user\n---\n":                        {{3, "a bracket is not closed"}},
		"---\nname: n\ndescription: %xyzzy\n---\n":                                {{3, "begins with this character"}},
		"---\nname: n\n\n# a\ntype: \"a\" xyzzy\n---\n":                           {{5, "not valid YAML"}},
		"---\nname: n\njson: true\n---\n":                                         {{5, "not valid JSON"}},
		"---\nname: n\ndescription: " + strings.Repeat("xyzzy ", 12000) + "\n---": {{1, "longer than"}},
	} {
		_, got := Parse([]byte(text), false, time.UTC)
		ok := len(got) == len(want)
		for i := range min(len(got), len(want)) {
			ok = ok && got[i].Line == want[i].Line && strings.Contains(got[i].Reason, want[i].Reason) && !strings.Contains(got[i].Reason, hidden)
		}
		if !ok {
			t.Errorf("%.80q: got %+v", text, got)
		}
	}
	if n, problems := Parse([]byte("---\nname: n\nauthor: x\nname2:\n  - y\n---\n"), true, time.UTC); len(problems) > 0 || n.Name != "n" {
		t.Errorf("got %+v, %v", n, problems)
	}
}

func FuzzParseAndRenderAgree(f *testing.F) {
	f.Add([]byte("---\nname: n\ntype: user\ndescription: d\ntags: [a, b]\n---\n\nbody\n"))
	f.Add([]byte("---\r\nname: n\r\njson: true\r\n---\r\n{\"a\": [1]}\r\n"))
	f.Add([]byte("---\nname: \"\\U0001F600\"\nexpires_at: 2027-01-01\nlabel: INTERNAL\n---\n---\n"))
	f.Add([]byte("---\nname: n\noccurred_at: June 30, 2026\n---\n"))
	f.Add([]byte("---\nname: n\noccurred_at: 'last spring: warm'\n---\n"))
	f.Add([]byte("---\nname: &a [*a]\n---\n"))
	f.Add([]byte("---\nname: n\n...\nx\n---\n"))
	f.Add([]byte("---\nname: n\n--- #\nx\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, problems := Parse(text, false, time.UTC)
		lines := 1 + bytes.Count(text, []byte("\n"))
		for _, p := range problems {
			if p.Line < 1 || p.Line > lines+1 || p.Reason == "" {
				t.Errorf("%+v of %d lines", p, lines)
			}
		}
		if len(problems) > 0 {
			return
		}
		if !json.Valid(n.Value) {
			t.Fatalf("%s is not a JSON value", n.Value)
		}
		if n.Name == "" {
			n.Name = "n"
		}
		file := n.Render()
		back, problems := Parse(file, false, time.UTC)
		if len(problems) > 0 || !bytes.Equal(back.Render(), file) || !equal(n.Value, back.Value) {
			t.Errorf("%v:\n%s\nchanged to\n%s", problems, file, back.Render())
		}
	})
}
