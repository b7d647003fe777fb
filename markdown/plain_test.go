package markdown

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"mneme/memory"
)

func TestPlainFileIsReadAsItIs(t *testing.T) {
	for name, c := range map[string]struct {
		file, text                        string
		namespace, key, description, tags string
		value                             string
	}{
		"a wiki page":         {"network/vpn.md", "# The VPN #\n\nAsk Ana.\n", "", "network/vpn", "The VPN", "", "# The VPN #\n\nAsk Ana."},
		"no heading":          {"a.md", "\ntext\n# later\n", "", "a", "", "", "\ntext\n# later"},
		"title":               {"a.md", "---\ntitle: One\ntags: [x, \"#y\", null, x]\n---\n\nbody\n", "", "a", "One", "x,y", "---\ntitle: One\n---\n\nbody"},
		"description":         {"a.md", "---\ntitle: One\ndescription: two\n---\nbody", "", "a", "two", "", "---\ntitle: One\n---\n\nbody"},
		"tags with commas":    {"a.md", "---\ntags: \"one, #two\"\n---\n", "", "a", "", "one,two", ""},
		"other fields":        {"a.md", "---\naliases:\n  - A # x\nstatus: ok\n---\nbody", "", "a", "", "", "---\naliases:\n  - A # x\nstatus: ok\n---\n\nbody"},
		"a type of its own":   {"a.md", "---\ntype: recipe\ndescription: [x]\nin_context: maybe\n---\nbody", "", "a", "", "", "---\ntype: recipe\ndescription: [x]\nin_context: maybe\n---\n\nbody"},
		"a rule, no fields":   {"a.md", "---\n\ntext\n\n---\n", "", "a", "", "", "---\n\ntext\n\n---"},
		"a rule left open":    {"a.md", "---\ntext\n", "", "a", "", "", "---\ntext"},
		"bad YAML":            {"a.md", "---\nx: {{date}}\ny: [\n---\ntext\n", "", "a", "", "", "---\nx: {{date}}\ny: [\n---\ntext"},
		"a field twice":       {"a.md", "---\nx: 1\nx: 2\n---\ntext", "", "a", "", "", "---\nx: 1\nx: 2\n---\ntext"},
		"CRLF":                {"a.md", "---\r\ntype: user\r\n---\r\n\r\none\r\ntwo\r\n", "", "a", "", "", "one\ntwo"},
		"dots at the end":     {"a.md", "---\ntitle: T\ntags: [x]\n...\n\nbody\n\n---\n\nmore\n", "", "a", "T", "x", "---\ntitle: T\n---\n\nbody\n\n---\n\nmore"},
		"dots, fields alone":  {"a.md", "---\ntags: [x]\n... \nbody", "", "a", "", "x", "body"},
		"two documents":       {"a.md", "---\ntags: [x]\n--- # second\nmore\n---\nbody", "", "a", "", "", "---\ntags: [x]\n--- # second\nmore\n---\nbody"},
		"text after dots":     {"a.md", "---\ntags: [x]\n... # more\ntext\n---\nbody", "", "a", "", "", "---\ntags: [x]\n... # more\ntext\n---\nbody"},
		"dots within a field": {"a.md", "---\nx: |\n  ...\n  --- y\n---\nbody", "", "a", "", "", "---\nx: |\n  ...\n  --- y\n---\n\nbody"},
		"an exported file":    {"@work/c d.md", "---\nname: c d\nnamespace: work\n---\n\nx\n", "work", "c d", "", "", "x"},
		"another name":        {"c.md", "---\nname: Anna\n---\nx", "", "c", "", "", "---\nname: Anna\n---\n\nx"},
		"a percent sign":      {"50% off~.markdown", "x", "", "50% off~", "", "", "x"},
		"an escape":           {"a%3Ab.md", "x", "", "a:b", "", "", "x"},
		"NFD":                 {"Cafe\u0301.md", "x", "", "Café", "", "", "x"},
		"a byte order mark":   {"a.md", "\ufeff# T", "", "a", "T", "", "# T"},
		"an empty file":       {"a.md", "", "", "a", "", "", ""},
		"a control character": {"a.md", "x\x0cy\n", "", "a", "", "", "x\fy"},
	} {
		n, problems := ParsePlain(c.file, []byte(c.text), time.UTC)
		var value string
		if err := json.Unmarshal(n.Value, &value); err != nil || len(problems) > 0 || n.Namespace != c.namespace || n.Name != c.key ||
			n.Description != c.description || strings.Join(n.Tags, ",") != c.tags || value != c.value {
			t.Errorf("%s: %+v, value %q, %v", name, n, value, problems)
		}
	}
	for text, want := range map[string]string{
		"\xff\xfea": "1: is not valid UTF-16", "\xff\xfe\x00\xd8a\x00": "1: is not valid UTF-16",
		"x\n\xff": "2: is not valid UTF-8", "---\njson: true\n---\nx": "4: the body is not valid JSON", "---\njson: true\nx: 1\n---\n1": "1: has fields",
	} {
		line, reason, _ := strings.Cut(want, ": ")
		_, problems := ParsePlain("a.md", []byte(text), time.UTC)
		if len(problems) != 1 || problems[0].Line != int(line[0]-'0') || !strings.HasPrefix(problems[0].Reason, reason) {
			t.Errorf("%q: %v", text, problems)
		}
	}
	if _, problems := ParsePlain("a\u200b.md", nil, time.UTC); len(problems) != 1 {
		t.Errorf("a name that is no key: %v", problems)
	}
}

func TestFieldsOfOtherProgramsStayInTheFile(t *testing.T) {
	const text = "---\ntags: [a]\naliases:\n  - A # mine\n# a comment\nstatus: ok\n---\n\n# Title\n\nbody\n"
	n, _ := ParsePlain("a.md", []byte(text), time.UTC)
	n.Tags = append(n.Tags, "b")
	n.Value = Value(strings.Replace(mustText(t, n), "body", "new", 1))
	got, err := RenderPlain("a.md", n, []byte(text))
	want := "---\ntags: [a, b]\naliases:\n  - A # mine\n# a comment\nstatus: ok\n---\n\n# Title\n\nnew\n"
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	if got, _ := RenderPlain("a.md", n, []byte(crlf)); string(got) != strings.ReplaceAll(want, "\n", "\r\n") {
		t.Errorf("got %q", got)
	}
	const pandoc = "---\ntags: [a]\nstatus: ok\n...\n\nbody\n\n---\n\nmore\n"
	n, _ = ParsePlain("a.md", []byte(pandoc), time.UTC)
	n.Tags = append(n.Tags, "b")
	if got, err := RenderPlain("a.md", n, []byte(pandoc)); err != nil || string(got) != "---\ntags: [a, b]\nstatus: ok\n---\n\nbody\n\n---\n\nmore\n" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestPlainFilesKeepTheirEncoding(t *testing.T) {
	const text, edited = "# Titel\r\n\r\nGrüße 🎈, old\r\n", "# Titel\r\n\r\nGrüße 🎈, new\r\n"
	for name, e := range map[string]encoding{"UTF-8": {}, "UTF-8 with a mark": encodings[0], "UTF-16LE": encodings[1], "UTF-16BE": encodings[2]} {
		file := e.encode([]byte(text))
		n, problems := ParsePlain("a.md", file, time.UTC)
		if len(problems) > 0 || n.Description != "Titel" || mustText(t, n) != "# Titel\n\nGrüße 🎈, old" {
			t.Errorf("%s: read as %+v, %v", name, n, problems)
		}
		if same, err := RenderPlain("a.md", n, file); err != nil || !bytes.Equal(same, file) {
			t.Errorf("%s: written as %q, %v", name, same, err)
		}
		n.Value = Value(strings.Replace(mustText(t, n), "old", "new", 1))
		if got, err := RenderPlain("a.md", n, file); err != nil || !bytes.Equal(got, e.encode([]byte(edited))) {
			t.Errorf("%s: written as %q, %v", name, got, err)
		}
	}
}

func mustText(t *testing.T, n Note) string {
	t.Helper()
	text, ok := Text(n.Value)
	if !ok {
		t.Fatalf("%s is no text", n.Value)
	}
	return text
}

// plainNote draws a note, and a file name that may hold it.
func plainNote(t *rapid.T) (string, Note) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "\n", "\n\n", "x\n", "# T\n\nx", "---\na: 1\n---\n\nx", "---\na: 1\n---\n", "---\ntags: [a]\n---\nx", "---\n---\n", "---\n\n---\nx", "---\nx",
		"---\nname: k\n---\n\nx", "a\r\nb", "\ufeffx", "\x00\x1b", "---\r\na: 1\r\n---\r\n\r\nx", "---\na: &x 1\nb: *x\n---\n\nx", "---\njson: true\n---\n1",
		"---\n# c\n---\n\nx", "---\na: 1\n...\n\nx", "---\na: 1\n... # x\nb: 1\n---\ny", "---\na: 1\n--- x\n---\ny",
	})).Draw(t, "text")
	n := Note{
		Name:        norm.NFC.String(rapid.SampledFrom([]string{"k", "a/b", "@x", "a.md/b", "x: y", "~", "%41", "MEMORY", "trash/x", strings.Repeat("k", 300)}).Draw(t, "name")),
		Namespace:   rapid.SampledFrom([]string{"", "", "ns", "a/b"}).Draw(t, "namespace"),
		Type:        rapid.SampledFrom(append([]string{""}, memory.Types...)).Draw(t, "type"),
		Description: rapid.OneOf(rapid.SampledFrom([]string{"", "T"}), rapid.String()).Filter(func(d string) bool { return memory.CheckDescription(d) == nil }).Draw(t, "description"),
		Tags: rapid.SliceOfNDistinct(rapid.StringN(1, 5, 20), 0, 3, rapid.ID[string]).Filter(func(tags []string) bool {
			return memory.CheckTags(tags) == nil
		}).Draw(t, "tags"),
		InContext: rapid.Bool().Draw(t, "in context"), Encrypted: rapid.Bool().Draw(t, "encrypted"),
		Value: rapid.OneOf(rapid.Just(Value(text)), rapid.Map(rapid.SampledFrom([]string{"null", `{"a":[1.50]}`, `"\ud800"`, `"caf\u00e9"`, `"\u00e9\u0007"`}),
			func(text string) json.RawMessage { return json.RawMessage(text) })).Draw(t, "value"),
	}
	if rapid.Bool().Draw(t, "expires") {
		n.ExpiresAt = time.Date(2099, 1, 2, 3, 4, 5, 0, time.UTC)
	}
	return FileName(n.Namespace, n.Name), n
}

// Each note is read back from its file, and a file that is read and written again holds the
// same note.
func TestPlainFilesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file, n := plainNote(t)
		text, err := RenderPlain(file, n, nil)
		if err != nil {
			t.Fatalf("%s: %+v: %v", file, n, err)
		}
		got, problems := ParsePlain(file, text, time.UTC)
		if len(problems) > 0 || !bytes.Equal(got.Contents(), n.Contents()) || got.Name != n.Name || got.Namespace != n.Namespace {
			t.Errorf("%q is read as %+v, %v", text, got, problems)
		}
	})
}

func FuzzPlainFileIsWrittenAsItIsRead(f *testing.F) {
	f.Add("a.md", "# T\n\nx")
	f.Add("@n/a.md", "---\r\ntitle: T\r\ntags: [a, '#b']\r\n---\r\nx\r\n")
	f.Add("50%.md", "---\na: {b: [1]}\nname: x\n---\n\n---\nc: 1\n---\n")
	f.Add("a~b.md", "---\njson: true\n---\n{}")
	f.Add("a.md", "---\njson: true\n---")
	f.Add("a.md", "---\n{a: 1, tags: x}\n---\n")
	f.Add("a.md", "---\ntags: x\n...\ny\n---\nz")
	f.Add("a.md", "---\ntags: x\n--- #\ny\n---\nz")
	f.Add("a.md", "\xef\xbb\xbf# T\r\n\r\nx\r\n")
	f.Add("a.md", "\xff\xfe#\x00 \x00T\x00\n\x00=\xd8\x00\xde")
	f.Add("a.md", "\xfe\xff\x00-\x00-\x00-\x00\n\x00-\x00-\x00-\x00\n\xfe\xff")
	f.Add("a.md", "\xff\xfe\x00\xd8a\x00")
	f.Fuzz(func(t *testing.T, file, text string) {
		n, problems := ParsePlain(file, []byte(text), time.UTC)
		if len(problems) > 0 {
			for _, p := range problems {
				if p.Line < 1 || p.Line > 1+strings.Count(text, "\n") {
					t.Errorf("line %d", p.Line)
				}
			}
			return
		}
		if memory.CheckKey(n.Name) != nil || memory.CheckNamespace(n.Namespace) != nil || memory.CheckTags(n.Tags) != nil ||
			memory.CheckDescription(n.Description) != nil || memory.CheckType(n.Type) != nil || !json.Valid(n.Value) {
			t.Fatalf("not an entry: %+v", n)
		}
		again, err := RenderPlain(file, n, []byte(text))
		if err != nil {
			t.Fatalf("%+v: %v", n, err)
		}
		if got, problems := ParsePlain(file, again, time.UTC); len(problems) > 0 || !bytes.Equal(got.Contents(), n.Contents()) {
			t.Errorf("%q is read as %+v, %v; was %+v", again, got, problems, n)
		}
	})
}

func TestTheNameInAPlainFileMayHaveAnyUnicodeForm(t *testing.T) {
	key := strings.Repeat("\u00e9", 100) // too long for a file name
	file, err := FreeFile("", key, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	text := "---\nname: " + norm.NFD.String(key) + "\n---\nBees swarm in May.\n"
	if n, problems := ParsePlain(file, []byte(text), time.UTC); n.Name != key || len(problems) > 0 {
		t.Errorf("%s has the key %+q, %v", file, n.Name, problems)
	}
}
