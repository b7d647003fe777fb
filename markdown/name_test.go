package markdown

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

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

// SECURITY: whatever the keys are, each entry has a distinct file below the folder, also on
// file systems that ignore case.
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
				for _, s := range segments {
					if reason := unfitForWindows(s); reason != "" {
						t.Errorf("%q has the segment %q, which %s", name, s, reason)
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

// windowsDevice matches the names that Windows reserves, with any extension: "Naming Files,
// Paths, and Namespaces" of Microsoft's documentation.
var windowsDevice = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)`)

// unfitForWindows returns the reason why Windows or macOS cannot hold a file or folder with a
// name, or "" if they can.
func unfitForWindows(name string) string {
	switch {
	case windowsDevice.MatchString(name):
		return "is a device of Windows"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "ends with a dot or space, which Windows cuts off"
	case strings.ContainsAny(name, `<>:"/\|?*`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return "has a character that Windows forbids"
	case len(utf16.Encode([]rune(name))) > 255 || len(name) > 255:
		return "is too long"
	}
	return ""
}

// Some names work on one system but not on another. The file name resembles the key, and the
// key can be read from it.
func TestNamesThatOtherSystemsCannotHold(t *testing.T) {
	for key, want := range map[string]string{
		"CON":                "%43ON.md",
		"aux.txt":            "%61ux.txt.md",
		"Nul .tar.gz":        "%4Eul .tar.gz.md",
		"com1/notes":         "%63om1/notes.md",
		"console":            "console.md",
		"com10":              "com10.md",
		"12:30 stand-up":     "12%3A30 stand-up.md",
		`"quoted" <b>|?*`:    "%22quoted%22 %3Cb%3E%7C%3F%2A.md",
		`C:\Users\anna`:      "C%3A%5CUsers%5Canna.md",
		"why?":               "why%3F.md",
		"end.":               "end..md",
		"end. /x":            "end.%20/x.md",
		"ends with space /x": "ends with space%20/x.md",
		" begins with space": "%20begins with space.md",
		"...":                "%2E...md",
		"100 %":              "100 %25.md",
		"~user":              "%7Euser.md",
		"Ärger/Größe 5":      "Ärger/Größe 5.md",
		"emoji 🌳":            "emoji 🌳.md",
		"a/..b":              "a/%2E.b.md",
	} {
		got := FileName("", key)
		if got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
		for segment := range strings.SplitSeq(got, "/") {
			if reason := unfitForWindows(segment); reason != "" {
				t.Errorf("%q: %q %s", key, segment, reason)
			}
		}
		if namespace, back, ok := EntryPath(got); !ok || back != key || namespace != "" {
			t.Errorf("%q: read back as %q, %v", got, back, ok)
		}
		if namespace, back, ok := EntryPath(FileName(key, "k")); !ok || back != "k" || namespace != key {
			t.Errorf("the namespace %q is read back as %q, %v", key, namespace, ok)
		}
	}
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
