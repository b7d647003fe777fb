package markdown

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var origin = Origin{Store: "ada", Agent: "ada", Taint: "PUBLIC"}

// export writes files into a folder in one export.
func export(t *testing.T, dir string, files map[string]string, force bool) (*Folder, error) {
	t.Helper()
	f, err := OpenFolder(dir, origin, force)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		compare := func(old []byte) Diff {
			if string(old) == "as "+files[name] {
				return Equivalent
			}
			return Different
		}
		if err := f.Put(name, []byte(files[name]), compare); err != nil {
			t.Fatal(err)
		}
	}
	return f, errors.Join(f.Finish(), f.Close())
}

func must(t *testing.T, dir string, files map[string]string) *Folder {
	t.Helper()
	f, err := export(t, dir, files, false)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// tree returns the contents of a folder by path, without the record.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.Name() == recordFile || name == dir {
			return err
		}
		short, _ := filepath.Rel(dir, name)
		if entry.IsDir() {
			found[short+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(name)
		found[short] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func write(t *testing.T, text string, name ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(name...), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func equalTrees(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			return false
		}
	}
	return true
}

func TestExportUpdatesTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if f := must(t, dir, map[string]string{"a.md": "a", "x/y/b.md": "b", "c.md": "c"}); f.Written != 3 {
		t.Errorf("got %+v", f)
	}
	f := must(t, dir, map[string]string{"a.md": "a", "c.md": "c2", "d.md": "d"})
	if f.Written != 2 || f.Unchanged != 1 || f.Removed != 1 || len(f.Kept) != 0 {
		t.Errorf("got %+v", f)
	}
	if got := tree(t, dir); !equalTrees(got, map[string]string{"a.md": "a", "c.md": "c2", "d.md": "d"}) {
		t.Errorf("got %q", got)
	}
	info, err := os.Stat(filepath.Join(dir, "a.md"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: other users can read memories", info.Mode(), err)
	}
}

// After a key changes only in case, no file with the old spelling remains: an import would
// restore the entry. Where both names lead to the same file, it stays.
func TestAFileThatChangesOnlyInCaseOrFormIsReplaced(t *testing.T) {
	for _, c := range []struct{ before, after string }{{"A/Plan.md", "a/plan.md"}, {"cafe\u0301.md", "caf\u00e9.md"}} {
		dir := t.TempDir()
		must(t, dir, map[string]string{c.before: "one"})
		if _, err := os.Lstat(filepath.Join(dir, c.after)); err == nil {
			t.Skip("the file system ignores case or Unicode form")
		}
		if f := must(t, dir, map[string]string{c.after: "one"}); f.Removed != 1 {
			t.Errorf("%+q: removed %d", c.after, f.Removed)
		}
		if _, err := os.Lstat(filepath.Join(dir, c.before)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%+q is still there: %v", c.before, err)
		}
	}
	// A hard link simulates the second name that such a file system has for a file.
	dir := t.TempDir()
	must(t, dir, map[string]string{"A.md": "one"})
	if err := os.Link(filepath.Join(dir, "A.md"), filepath.Join(dir, "a.md")); err != nil {
		t.Skip(err)
	}
	if f := must(t, dir, map[string]string{"a.md": "one"}); f.Removed+f.Written+len(f.Kept) != 0 {
		t.Errorf("removed %d, wrote %d, kept %v", f.Removed, f.Written, f.Kept)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "A.md")); err != nil || string(text) != "one" {
		t.Errorf("the only file of the entry was removed: %q, %v", text, err)
	}
	if f := must(t, dir, map[string]string{}); f.Removed != 1 { // the record has one name of the file
		t.Errorf("removed %d", f.Removed)
	}
}

func TestExportKeepsWhatAUserWrote(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, map[string]string{"changed.md": "1", "gone.md": "1", "same.md": "1", "deleted.md": "1", "moved.md": "1"})
	write(t, "mine", dir, "changed.md")
	write(t, "mine", dir, "gone.md")
	write(t, "as 2", dir, "same.md")
	write(t, "mine", dir, "foreign.md")
	write(t, "mine", dir, "notes.txt")
	if err := os.Remove(filepath.Join(dir, "deleted.md")); err != nil {
		t.Fatal(err)
	}
	now := map[string]string{"changed.md": "2", "same.md": "2", "deleted.md": "2", "foreign.md": "2", "moved.md": "2"}
	f := must(t, dir, now)
	var kept []string
	for _, k := range f.Kept {
		kept = append(kept, k.File)
	}
	if slices.Sort(kept); !slices.Equal(kept, []string{"changed.md", "foreign.md", "gone.md"}) || f.Unchanged != 1 || f.Written != 2 {
		t.Errorf("got %+v", f)
	}
	want := map[string]string{"changed.md": "mine", "gone.md": "mine", "same.md": "as 2", "deleted.md": "2", "foreign.md": "mine", "notes.txt": "mine", "moved.md": "2"}
	if got := tree(t, dir); !equalTrees(got, want) {
		t.Errorf("got %q", got)
	}
	// The next export keeps them too. An equivalent file now counts as exported.
	if f := must(t, dir, now); len(f.Kept) != 3 {
		t.Errorf("got %+v", f)
	}
	now["same.md"] = "3"
	must(t, dir, now)
	if _, err := export(t, dir, now, true); err != nil {
		t.Fatal(err)
	}
	want = map[string]string{"changed.md": "2", "same.md": "3", "deleted.md": "2", "foreign.md": "2", "notes.txt": "mine", "moved.md": "2"}
	if got := tree(t, dir); !equalTrees(got, want) {
		t.Errorf("with force: %q", got)
	}
}

func TestOpenFolderRefusesOtherFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, "x", dir, "notes.txt")
	if _, err := export(t, dir, nil, false); !errors.Is(err, ErrForeign) {
		t.Errorf("got %v", err)
	}
	dir = t.TempDir()
	must(t, dir, map[string]string{"a.md": "a"})
	if _, err := OpenFolder(dir, Origin{Store: "ada", Agent: "ada", Taint: "INTERNAL"}, false); !errors.Is(err, ErrOrigin) {
		t.Errorf("got %v", err)
	}
	for _, damaged := range []string{"{", `{"format":2}`, `{"format":1,"files":{"../a.md":"x"}}`, `{"format":1,"files":{"/etc/passwd":"x"}}`, `{"format":1,"files":{"a.txt":"x"}}`} {
		write(t, damaged, dir, recordFile)
		if _, err := OpenFolder(dir, origin, false); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: got %v", damaged, err)
		}
	}
	if _, err := export(t, dir, map[string]string{"a.md": "a"}, true); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, "x", file)
	if _, err := OpenFolder(file, origin, false); err == nil {
		t.Error("a file was opened as a folder")
	}
}

func TestExportContinuesAfterAnInterruption(t *testing.T) {
	dir := t.TempDir()
	f, err := OpenFolder(dir, origin, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Put("a.md", []byte("a"), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.root.Close(); err != nil { // as if killed: nothing else is written
		t.Fatal(err)
	}
	f = must(t, dir, map[string]string{"a.md": "a", "b.md": "b"})
	if f.Unchanged != 1 || f.Written != 1 || len(f.Kept) != 0 {
		t.Errorf("got %+v", f)
	}
}

// SECURITY: links in the folder must not make an export write, read or remove anything outside
// it.
func TestLinksAreNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("creating links needs a privilege on Windows")
	}
	dir, outside := t.TempDir(), t.TempDir()
	write(t, "secret", outside, "a.md")
	must(t, dir, map[string]string{"a.md": "1", "sub/a.md": "secret", "in/a.md": "1"})
	link := func(target, name string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(outside, "a.md"), "a.md")
	link(outside, "sub")
	link("../"+filepath.Base(dir), "up")
	link(".", "in")
	for _, files := range []map[string]string{{"a.md": "2", "sub/a.md": "2", "up/b.md": "2", "in/c.md": "2"}, {}} {
		f := must(t, dir, files)
		if f.Written != 0 || f.Removed != 0 || len(f.Kept) < 3 {
			t.Errorf("got %+v", f)
		}
	}
	if got := tree(t, outside); !equalTrees(got, map[string]string{"a.md": "secret"}) {
		t.Errorf("outside: %q", got)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var skipped []string
	err = Walk(root, func(file string) error { t.Errorf("%s was yielded", file); return nil }, func(file, reason string, foreign bool) {
		if skipped = append(skipped, file+" "+reason); foreign {
			t.Errorf("%s: a link was reported as foreign", file)
		}
	})
	if err != nil || len(skipped) != 4 || !strings.Contains(skipped[0], "a.md is a symbolic link") {
		t.Errorf("got %q, %v", skipped, err)
	}
	if text, problems := Read(root, "sub/a.md"); len(problems) == 0 {
		t.Errorf("read %q", text)
	}
}

func TestWalkSkipsHiddenAndForeignFiles(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{".git", "x", "trash"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".git/a.md", ".hidden.md", "MEMORY.md", "x/MEMORY.md", "a.md", "b.txt", "trash/a.md"} {
		write(t, "x", dir, name)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var files, others []string
	err = Walk(root, func(file string) error { files = append(files, file); return nil }, func(file, _ string, foreign bool) {
		if others = append(others, file); !foreign {
			t.Errorf("%s: not reported as foreign", file)
		}
	})
	if err != nil || !slices.Equal(files, []string{"a.md", "trash/a.md", "x/MEMORY.md"}) || !slices.Equal(others, []string{"b.txt"}) {
		t.Errorf("got %q, %q, %v", files, others, err)
	}
}
