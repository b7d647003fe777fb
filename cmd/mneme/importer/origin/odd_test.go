package origin

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf16"

	"mneme/cmd/mneme/importer"
)

// Invalid parts of a conversation are left out with a note, and the rest is imported.
func TestOddPartsOfConversations(t *testing.T) {
	const rest = `"mapping": {
		"0": {"children": ["1"]},
		"1": {"parent": "0", "children": ["2"], "message": {"author": {"role": "user"}, "content": {"content_type": "multimodal_text", "parts": [
			{"content_type": "audio_transcription", "text": "what I said", "direction": "in"}, {"content_type": "audio_asset_pointer"}]}}},
		"2": {"parent": "1", "children": ["3"], "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["an answer"]}, "create_time": null}},
		"3": ODD
	}, "current_node": "3"}`
	for name, c := range map[string]struct{ head, odd, title, notes string }{
		"all is well":          {`"title": "T"`, `{"parent": "2"}`, "T", ""},
		"no title":             {`"title": null`, `{"parent": "2", "message": null}`, "", ""},
		"a numeric title":      {`"title": 2024`, `{"parent": "2"}`, "2024", ""},
		"a title that is none": {`"title": ["xyzzy"]`, `{"parent": "2"}`, "", ""},
		"an odd message":       {`"title": "T"`, `{"parent": "2", "message": "xyzzy"}`, "T", "mapping: 1 message"},
		"an odd part":          {`"title": "T"`, `{"parent": "2", "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [7]}}}`, "T", "mapping: 1 message"},
	} {
		text := `[{"id": "c", ` + c.head + `, ` + strings.Replace(rest, "ODD", c.odd, 1) + `]`
		got := readAs(t, "chatgpt", fstest.MapFS{"conversations.json": {Data: []byte(text)}})
		if len(got) != 1 || got[0].Err != nil || string(got[0].Put.Value) != `"User: what I said\n\nAssistant: an answer"` || *got[0].Put.Description != c.title {
			t.Errorf("%s: got %+v", name, got)
			continue
		}
		if notes := strings.Join(got[0].Notes, " "); !strings.HasPrefix(notes, c.notes) || (c.notes == "") != (notes == "") || strings.Contains(notes, "xyzzy") {
			t.Errorf("%s: got %q", name, notes)
		}
	}
}

// broken is a folder with an unreadable file.
type broken struct{ fstest.MapFS }

func (b broken) Open(name string) (fs.File, error) {
	if name == "bad.md" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return b.MapFS.Open(name)
}

// An unreadable file is refused, and the other files are read.
func TestFilesThatCannotBeReadAreRefused(t *testing.T) {
	files := fstest.MapFS{"bad.md": {}}
	for _, name := range []string{"a.md", "b.md", "c.md", "d.md"} {
		files[name] = &fstest.MapFile{Data: []byte("text of " + name)}
	}
	refused, read := 0, 0
	for _, line := range readAs(t, Markdown, broken{files}) {
		if line.Err == nil {
			read++
		} else if refused++; line.Err.Error() != "cannot be read: permission denied" {
			t.Errorf("got %v", line.Err)
		}
	}
	if read != 4 || refused != 1 {
		t.Errorf("%d were read, %d refused", read, refused)
	}
}

// A byte order mark determines the encoding of a file, and is not part of its text.
func TestFilesAreDecodedByTheirByteOrderMarks(t *testing.T) {
	encode := func(text string, big bool) []byte {
		var out []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			if big {
				out = append(out, byte(unit>>8), byte(unit))
			} else {
				out = append(out, byte(unit), byte(unit>>8))
			}
		}
		return out
	}
	const note, items = "Grüße 👋\n", `{"episodes": [{"uuid": "a", "content": "Grüße 👋"}]}`
	for name, c := range map[string]struct {
		encode  func(string) []byte
		decoded bool
	}{
		"UTF-8":         {func(text string) []byte { return []byte(text) }, false},
		"with its mark": {func(text string) []byte { return []byte("\ufeff" + text) }, false},
		"little endian": {func(text string) []byte { return encode(text, false) }, true},
		"big endian":    {func(text string) []byte { return encode(text, true) }, true},
	} {
		for system, files := range map[string]fstest.MapFS{
			Markdown: {"a.md": {Data: c.encode(note)}}, "zep": {"a.json": {Data: c.encode(items)}},
		} {
			said := false
			var values []string
			for _, line := range readAs(t, system, files) {
				if line.Skipped {
					said = true
				} else {
					values = append(values, string(line.Put.Value))
				}
			}
			if strings.Join(values, " ") != `"Grüße 👋"` || said != c.decoded {
				t.Errorf("%s, %s: got %q, said: %v", name, system, values, said)
			}
		}
	}
}

// readAs returns the lines that a Reader returns for a folder.
func readAs(t *testing.T, system string, files fs.FS) (all []importer.Line) {
	t.Helper()
	r, err := New(system, "", time.Now(), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.readAll("x", files, func(_ string, line importer.Line) error {
		all = append(all, line)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// Unreadable frontmatter stays in the text, with a note.
func TestFrontmatterThatCannotBeReadIsNoted(t *testing.T) {
	for _, c := range []struct{ text, note string }{
		{"---\ntitle: One\n---\nbody\n", ""},
		{"---\n\na text\n\n---\nbody\n", ""},
		{"---\nx: 1\nxyzzy: [\n---\nbody\n", "line 3: the frontmatter is not valid YAML"},
		{"---\r\nxyzzy: a: b\r\n---\r\nbody\r\n", "line 2: the frontmatter is not valid YAML"},
		{"---\nx: 1\nx: 2\n---\nbody\n", "the frontmatter repeats a field"},
	} {
		got := readAs(t, Markdown, fstest.MapFS{"a.md": {Data: []byte(c.text)}})
		if len(got) != 1 || got[0].Err != nil || !strings.Contains(string(got[0].Put.Value), "body") {
			t.Errorf("%q: got %+v", c.text, got)
			continue
		}
		if notes := strings.Join(got[0].Notes, " "); !strings.HasPrefix(notes, c.note) || (c.note == "") != (notes == "") || strings.Contains(notes, "xyzzy") {
			t.Errorf("%q: got %q", c.text, notes)
		}
	}
	got := readAs(t, "basic-memory", fstest.MapFS{"a.md": {Data: []byte("---\nxyzzy: [\n---\nbody\n")}})
	if len(got) != 1 || got[0].Err != nil || len(got[0].Notes) != 1 || got[0].Put.Path.Key != "a" || !strings.Contains(string(got[0].Put.Value), "xyzzy: [") {
		t.Errorf("got %+v", got)
	}
}

// A description that only repeats the key is dropped.
func TestDescriptionsThatRepeatTheKeyAreLeftOut(t *testing.T) {
	for file, want := range map[string]string{"plans/The plan.md": "", "the PLAN.md": "", "plans/a.md": "The plan", "The plan/a.md": "The plan"} {
		got := readAs(t, Markdown, fstest.MapFS{file: {Data: []byte("# The plan\n\nbody\n")}})
		if len(got) != 1 || got[0].Err != nil || *got[0].Put.Description != want {
			t.Errorf("%s: got %+v", file, got)
		}
	}
}
