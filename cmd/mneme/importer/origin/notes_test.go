package origin

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mneme/cmd/mneme/importer"
)

// vault writes files into a new folder.
func vault(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// plain imports a folder of Markdown files.
func plain(t *testing.T, dir string) (lines []importer.Line, left map[string]int) {
	t.Helper()
	r, err := New(Markdown, "", now, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Read(dir, nil, func(_ string, l importer.Line) error {
		lines = append(lines, l)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return lines, r.LeftOut
}

func TestPlainFolderOfMarkdownIsImported(t *testing.T) {
	dir := vault(t, map[string]string{
		".obsidian/app.json": "{}", ".trash/old.md": "x", "Home.md": "Go #to/work, not #1 or `#code` or a#b.\n```sh\n#comment\n```\n#home",
		"Garden/Plan.md": "---\ntags: [garden, null]\nstatus: open\noccurred_at: 2026-05-01\n---\n# The plan\n\nDig.", "photo.PNG": "x", "a.canvas": "{}", "b.canvas": "{}",
		"Makefile": "x", "empty.md": " \n", "MEMORY.md": "- [a](a.md) — b\n", "trash/gone.md": "x", "@work/c.markdown": "x",
	})
	if err := os.Symlink("Home.md", filepath.Join(dir, "link.md")); err != nil {
		t.Skip(err)
	}
	lines, left := plain(t, dir)
	var got []string
	for _, l := range lines {
		if l.Err != nil || len(l.Notes) > 0 {
			t.Errorf("%+v", l)
			continue
		}
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s", l.Put.Path.Namespace, l.Put.Path.Key, *l.Put.Description, strings.Join(*l.Put.Tags, ","), *l.Put.OccurredAt))
	}
	want := "work|c||| |Garden/Plan|The plan|garden|2026-05-01 |Home||to/work,home|"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
	if string(lines[1].Put.Value) != `"---\nstatus: open\n---\n\n# The plan\n\nDig."` {
		t.Errorf("got %s", lines[1].Put.Value)
	}
	if want := map[string]int{".png": 1, ".canvas": 2, "without extension": 1, "empty": 1, "MEMORY.md": 1, "in trash": 1, "links": 1}; !maps.Equal(left, want) {
		t.Errorf("left out: %v", left)
	}
}

func TestHashtagsAreTagsOnlyInAVault(t *testing.T) {
	lines, _ := plain(t, vault(t, map[string]string{"a.md": "#define x"}))
	if len(lines) != 1 || len(*lines[0].Put.Tags) != 0 {
		t.Errorf("got %+v", lines)
	}
}

func TestLongPageIsCutAtHeadingsIntoAllOfIt(t *testing.T) {
	var text strings.Builder
	text.WriteString("# Long\n\n")
	for n := range 300 {
		fmt.Fprintf(&text, "## Part %d\n\n```\n## no heading\n```\n%s\n\n", n, strings.Repeat("word ", 100))
	}
	lines, _ := plain(t, vault(t, map[string]string{"dir/long.md": text.String()}))
	whole, notes := "", 0
	for n, l := range lines {
		var part string
		if l.Err != nil || json.Unmarshal(l.Put.Value, &part) != nil || l.Put.Path.Key != fmt.Sprintf("dir/long/%03d", n+1) || len(l.Put.Value) > maxPart+2 {
			t.Fatalf("part %d: %+v", n, l)
		}
		if !strings.HasPrefix(part, "## Part ") && n > 0 || !strings.HasPrefix(*l.Put.Description, "Long") {
			t.Errorf("part %d begins with %.20q and is called %q", n, part, *l.Put.Description)
		}
		whole += part + "\n\n"
		notes += len(l.Notes)
	}
	if len(lines) < 5 || notes != 1 || strings.Join(strings.Fields(whole), " ") != strings.Join(strings.Fields(text.String()), " ") {
		t.Errorf("%d parts with %d notes have %d of %d bytes", len(lines), notes, len(whole), text.Len())
	}
}

// Entries with the same namespace and key are the same entry.
func TestNamespacesOfAFolderMayHaveTheSameKeys(t *testing.T) {
	lines, _ := plain(t, vault(t, map[string]string{
		"@home/equal.md": "x", "@work/equal.md": "x", "equal.md": "x", "@home/todo.md": "one", "@work/todo.md": "two",
		"twice.md": "x", "%74wice.md": "x", "hidden.md": "x", "%68idden.md": "---\nin_context: false\n---\nx",
	}))
	var got, refused []string
	for _, l := range lines {
		if l.Err != nil {
			refused = append(refused, l.Put.Path.Key+" "+l.Err.Error())
			continue
		}
		got = append(got, l.Put.Path.Namespace+":"+l.Put.Path.Key)
	}
	if want := ":hidden :twice home:equal home:todo work:equal work:todo :equal"; strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
	if len(refused) != 1 || refused[0] != "hidden key: another entry of this import has the same one" {
		t.Errorf("refused %q", refused)
	}
}

func TestNotesKnowAVaultByItsFolder(t *testing.T) {
	n := &notes{}
	if n.folder(fstest.MapFS{".obsidian": {}}); n.inline {
		t.Error("a file is no vault")
	}
	if n.folder(fstest.MapFS{".obsidian/app.json": {}}); !n.inline {
		t.Error("a vault is not known")
	}
}
