package markdown

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestFileNamesEncodeKeys(t *testing.T) {
	for _, c := range []struct{ namespace, key, want string }{
		{"", "preferred-language", "preferred-language.md"},
		{"", "Foo_1-Z", "Foo_1-Z.md"},
		{"", "diet/ben", "diet/ben.md"},
		{"work", "plan", "@work/plan.md"},
		{"a/b", "x", "@a%2Fb/x.md"},
		{"..", "x", "@%2E%2E/x.md"},
		{"", "日本語", "日本語.md"},
		{"", "MEMORY", "%4DEMORY.md"},
		{"", "memory", "%6Demory.md"},
		{"", "memory/x", "memory/x.md"},
		{"work", "memory", "@work/memory.md"},
		{"", "trash", "trash.md"},
		{"", "Trash/x", "%54rash/x.md"},
		{"", "a/trash/x", "a/trash/x.md"},
		{"", "@work/plan", "%40work/plan.md"},
		{"", ".git/config", "%2Egit/config.md"},
		{"", "a.md/b", "a%2Emd/b.md"},
		{"", "a.md", "a.md.md"},
		{"", "a./b ", "a%2E/b .md"},
		{"", "nul", "%6Eul.md"},
		{"", "x/COM¹.txt/y", "x/%43OM¹.txt/y.md"},
		{"", `a:b\c"d|e?f*g<h>~%`, "a%3Ab%5Cc%22d%7Ce%3Ff%2Ag%3Ch%3E%7E%25.md"},
		{"", strings.Repeat("x", 300), strings.Repeat("x", 133) + "~" + digest(strings.Repeat("x", 300)) + ".md"},
	} {
		got := FileName(c.namespace, c.key)
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.key, got, c.want)
		}
		namespace, key, ok := EntryPath(got)
		if ok == strings.Contains(got, "~") || ok && (namespace != c.namespace || key != c.key) {
			t.Errorf("%q: EntryPath returns %q, %q, %v", got, namespace, key, ok)
		}
	}
}

// SECURITY: whatever the keys are, each entry has a distinct file below the
// folder, also on file systems that ignore case.
func TestEveryEntryHasADistinctFile(t *testing.T) {
	type entry struct{ namespace, key string }
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) entry {
			return entry{namespaces().Draw(t, "namespace"), keys().Draw(t, "key")}
		}), 1, 12, rapid.ID[entry]).Draw(t, "entries")
		names := NewNames()
		var files, folders []string
		for _, e := range entries {
			file, err := names.File(e.namespace, e.key)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{file, names.Deleted(e.namespace, e.key), names.Deleted(e.namespace, e.key)} {
				if slices.Contains(files, fold(name)) {
					t.Errorf("%q is the file of two entries", name)
				}
				files = append(files, fold(name))
				segments := strings.Split(name, "/")
				for i, s := range segments {
					if len(s) > 200 || strings.HasPrefix(s, ".") || strings.ContainsAny(s, `<>:"\|?*`) || i < len(segments)-1 && strings.HasSuffix(fold(s), extension) {
						t.Errorf("%q has the segment %q", name, s)
					}
				}
				if !fs.ValidPath(name) || !norm.NFC.IsNormalString(name) || !strings.HasSuffix(name, extension) || len(name) > 800 {
					t.Errorf("%q is not a valid file name", name)
				}
				folders = append(folders, fold(segments[0]))
			}
			if first := folders[len(folders)-3]; first == fold(TrashFolder) || first == fold(IndexFile) {
				t.Errorf("%q is a reserved name of the folder", file)
			}
			if !Belongs(file, e.namespace, e.key) {
				t.Errorf("%q does not belong to %q, %q", file, e.namespace, e.key)
			}
			namespace, key, ok := EntryPath(FileName(e.namespace, e.key))
			if ok && !norm.NFC.IsNormalString("A"+key) {
				continue // an escape before a combining character
			}
			if ok && (namespace != e.namespace || key != e.key) {
				t.Errorf("%q: EntryPath returns %q, %q, want %q, %q", file, namespace, key, e.namespace, e.key)
			}
		}
	})
}

func TestBelongs(t *testing.T) {
	for file, c := range map[string]struct {
		namespace, key string
		want           bool
	}{
		"a.md":                       {"", "a", true},
		"A.md":                       {"", "a", true},
		"b.md":                       {"", "a", false},
		"x/a.md":                     {"", "a", false},
		"@work/a.md":                 {"", "a", false},
		"@w/a.md":                    {"w", "a", true},
		"memory.md":                  {"", "memory", true},
		"e\u0301.md":                 {"", "é", true},
		distinctName("", "a"):        {"", "a", true},
		"a~0000000000000000.md":      {"", "a", false},
		"what?.md":                   {"", "what?", true},
		"a" + "~2.md":                {"", "a", false},
		"%61.md":                     {"", "a", false},
		FileName("", "nul"):          {"", "nul", true},
		"nul.md":                     {"", "nul", true},
		FileName("n", "nul") + ".md": {"n", "nul", false},
	} {
		if got := Belongs(file, c.namespace, c.key); got != c.want {
			t.Errorf("%q, %q, %q: got %v", file, c.namespace, c.key, got)
		}
	}
}

func TestCheckComparesTheIndexWithTheFiles(t *testing.T) {
	a, b, c := "about a", "about [b] `c`", "of c"
	x := Index{"a": &a, "b": &b, "c": &c, "damaged": nil}
	text := "\ufeff- [a](a.md) — about a\n" +
		"- [b](b.md) — about \\[b\\] \\`c\\`\r\n" +
		"\n" +
		"- [c](c.md) — xyzzy\n" +
		"- [d](d.md) — xyzzy\n" +
		"- [a](a.md) — about a\n" +
		"- [a](b.md) — about a\n" +
		"# xyzzy\n" +
		"- [c](c.md) - of c\n" +
		"\xff\n" +
		"- [b](b.md) — about [b] `c`\n" +
		"- [damaged](damaged.md) — xyzzy"
	want := []Problem{
		{4, "has another description than the entry's file"},
		{5, "names an entry that has no file here"},
		{6, "is a second line for this entry"},
		{7, "names one entry and links to the file of another"},
		{8, "is not an entry's line: - [name](name.md) — description"},
		{9, "is not an entry's line: - [name](name.md) — description"},
		{10, "is not valid UTF-8"},
		{11, "is a second line for this entry"},
	}
	if got := x.Check([]byte(text)); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
