package main

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// Every kind of import decodes UTF-16 by its byte order mark, and reports it.
func TestImportDecodesUTF16(t *testing.T) {
	t.Parallel()
	encode := func(text string) string {
		var out []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			out = append(out, byte(unit), byte(unit>>8))
		}
		return string(out)
	}
	for name, c := range map[string]struct {
		in   string
		args []string
	}{
		"lines on standard input":    {encode(`{"key": "a", "value": "Grüße"}` + "\n"), []string{"--store", "iris", "-"}},
		"an export":                  {encode(`[{"id": "a", "memory": "Grüße"}]`), []string{"--from", "mem0", "-"}},
		"a note on standard input":   {encode("---\nname: a\n---\n\nGrüße\n"), []string{"--store", "iris", "-"}},
		"a folder":                   {"", []string{fill(t, map[string]string{"a.md": encode("Grüße\n")})}},
		"a folder that was exported": {"", []string{"--markdown", fill(t, map[string]string{"a.md": encode("---\nname: a\n---\n\nGrüße\n")})}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := mneme(t, dir, c.in, append([]string{"import", "--no-wait", "--agent", "iris"}, c.args...)...)
			if r.status != exitDone || strings.Count(r.err, "note: is UTF-16: read as such") != 1 {
				t.Fatalf("got %+v", r)
			}
			if out := must(t, dir, "", "export", "--agent", "iris"); !strings.Contains(out, `"key":"a"`) || !strings.Contains(out, `"value":"Grüße"`) {
				t.Errorf("got %s", out)
			}
		})
	}
}

// A folder is imported without its one bad file, and the advice is right.
func TestImportOfAFolderWithOneBadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	vault := fill(t, map[string]string{"a.md": "a\n", "b.md": "b\n", "c.md": "c\n", "d.md": "d\n", "bad.md": "x\n\xff\n"})
	r := mneme(t, dir, "", "import", "--no-wait", "--agent", "iris", vault)
	if r.status != exitFailed || !strings.Contains(r.out, "created 4, updated 0, unchanged 0, refused 1") || !strings.Contains(r.err, "bad.md:2: is not valid UTF-8") ||
		!strings.Contains(r.err, "one file was refused, the rest is imported: fix it and run the same command again") {
		t.Errorf("got %+v", r)
	}
}
