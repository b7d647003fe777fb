package foldersync

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mneme/markdown"
)

func open(t *testing.T) *folder {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return &folder{root: root, dir: dir, now: time.Now}
}

func (f *folder) save(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(f.root.MkdirAll(filepath.Dir(name), 0o700), f.root.WriteFile(name, []byte(text), 0o640)); err != nil {
		t.Fatal(err)
	}
}

// A file is read again if its time, its size or its identity has changed.
func TestFilesThatAreAsTheyWereSeenAreNotReadAgain(t *testing.T) {
	f := open(t)
	old := time.Now().Add(-time.Hour)
	save := func(name, text string, at time.Time) {
		f.save(t, name, text)
		if err := f.root.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	sum := func() string {
		l, err := f.list(nil, time.UTC, 0)
		if err != nil || l.files["a.md"] == nil {
			t.Fatalf("%+v, %v", l, err)
		}
		return l.files["a.md"].sum
	}
	save("a.md", "one", old)
	first := sum()
	save("a.md", "two", old) // a real change never preserves all three: this shows what was read
	if sum() != first {
		t.Error("a file that is as it was seen is read again")
	}
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"another time", func() { save("a.md", "ten", old.Add(time.Minute)) }},
		{"another size", func() { save("a.md", "four", old.Add(time.Minute)) }},
		{"another file", func() {
			save("b.md", "five", old.Add(time.Minute))
			if err := f.root.Rename("b.md", "a.md"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		before := sum()
		if c.change(); sum() == before {
			t.Errorf("%s is not noticed", c.name)
		}
	}
	save("a.md", "now", time.Now())
	first = sum()
	if save("a.md", "new", time.Now()); sum() == first {
		t.Error("a file that has just changed is not read again")
	}
}

func TestFilesThatChangedMeanwhileAreNotTouched(t *testing.T) {
	f := open(t)
	f.save(t, "d/a.md", "now")
	if err := f.create("d/a.md", []byte("new")); !errors.Is(err, errChanged) {
		t.Errorf("create: %v", err)
	}
	if _, err := f.replace("d/a.md", []byte("new"), sumOf([]byte("before"))); !errors.Is(err, errChanged) {
		t.Errorf("replace: %v", err)
	}
	if _, err := f.replace("d/none.md", []byte("new"), sumOf([]byte("before"))); !errors.Is(err, errChanged) {
		t.Errorf("replace of a file that is gone: %v", err)
	}
	if err := f.remove("d/a.md", sumOf([]byte("before"))); !errors.Is(err, errChanged) {
		t.Errorf("remove: %v", err)
	}
	if text, _ := f.read("d/a.md"); string(text) != "now" {
		t.Errorf("it has %q", text)
	}
	if left, _ := fs.ReadDir(f.root.FS(), tempFolder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReplacedFileKeepsItsModeAndLeavesNothingBehind(t *testing.T) {
	f := open(t)
	f.save(t, "a.md", "before")
	kept, err := f.replace("a.md", []byte("new"), sumOf([]byte("before")))
	info, _ := f.root.Lstat("a.md")
	if text, _ := f.read("a.md"); err != nil || kept != "" || string(text) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %q, %q, %v", err, kept, text, info.Mode())
	}
	if left, _ := fs.ReadDir(f.root.FS(), tempFolder); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRemovedFileIsInTheTrashAndItsEmptyFoldersAreGone(t *testing.T) {
	f := open(t)
	f.save(t, "a/b/c.md", "x")
	f.save(t, "a/d.md", "y")
	if err := f.remove("a/b/c.md", sumOf([]byte("x"))); err != nil {
		t.Fatal(err)
	}
	if _, err := f.root.Lstat("a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty folder: %v", err)
	}
	if text, _ := f.read("a/d.md"); string(text) != "y" {
		t.Error("another file is gone")
	}
	if found, _ := filepath.Glob(filepath.Join(f.dir, ".mneme", "trash", "*", "a", "b", "c.md")); len(found) != 1 {
		t.Errorf("the trash has %q", found)
	}
}

func TestConflictFilesHaveNewNamesThatAreKnown(t *testing.T) {
	f := open(t)
	for _, name := range []string{"a.md", "d/" + strings.Repeat("é", 120) + ".md", "b.markdown"} {
		for range 3 {
			conflict := f.conflictFile(name)
			if !markdown.IsConflictCopy(conflict) || len(filepath.Base(conflict)) > 255 || filepath.Dir(conflict) != filepath.Dir(name) {
				t.Errorf("got %q", conflict)
			}
			f.save(t, conflict, "x")
		}
	}
	for _, name := range []string{"a (conflict).md", "a (conflict 2026-01-01 10.00.00) b.md", "conflict 2026-01-01 10.00.00.md"} {
		if markdown.IsConflictCopy(name) {
			t.Errorf("%s is no conflict file", name)
		}
	}
}

func TestFilesOfEditorsAreIgnored(t *testing.T) {
	f := open(t)
	for _, name := range []string{
		"a.md", "d/b.MARKDOWN", ".a.md.swp", "a.md~", "#a.md#", ".#a.md", "~$a.md", "4913", "d/.syncthing.x.md.tmp", ".git/x.md", "MEMORY.md", "trash/x.md",
		"d/MEMORY.md", "a (conflict 2026-01-01 10.00.00).md",
	} {
		f.save(t, name, "x")
	}
	l, err := f.list(nil, time.UTC, 0)
	if err != nil || len(l.files) != 3 || l.files["a.md"] == nil || l.files["d/b.MARKDOWN"] == nil || l.files["d/MEMORY.md"] == nil || len(l.copies) != 1 || len(l.temporary) != 1 || len(l.unknown) > 0 {
		t.Errorf("got %+v, %v", l, err)
	}
	if l, _ := f.list(nil, time.UTC, time.Hour); len(l.files) > 0 || !l.unsettled || !l.isUnknown("a.md") {
		t.Errorf("files that still change: %+v", l)
	}
	if l, _ := f.list(map[string]base{"a (conflict 2026-01-01 10.00.00).md": {}}, time.UTC, 0); len(l.copies) != 0 || len(l.files) != 4 {
		t.Errorf("an entry of such a name: %+v", l)
	}
}

// Files below a folder that became a link count neither as existing nor as missing.
func TestLinksToFoldersAreUnknown(t *testing.T) {
	for mode, want := range map[fs.FileMode]bool{
		fs.ModeSymlink: true, fs.ModeIrregular: true, fs.ModeSocket: false, fs.ModeDir: false, 0: false,
	} {
		if isLink(mode) != want {
			t.Errorf("%v: got %v", mode, !want)
		}
	}
	f := open(t)
	other := t.TempDir()
	if runtime.GOOS == "windows" {
		if out, err := exec.Command("cmd", "/c", "mklink", "/J", filepath.Join(f.dir, "d"), other).CombinedOutput(); err != nil {
			t.Skipf("no junctions here: %v: %s", err, out)
		}
	} else if err := os.Symlink(other, filepath.Join(f.dir, "d")); err != nil {
		t.Fatal(err)
	}
	l, err := f.list(map[string]base{"d/a.md": {}}, time.UTC, 0)
	if err != nil || !l.isUnknown("d/a.md") || !l.isLinked("d/a.md") || l.isLinked("a.md") {
		t.Errorf("got %+v, %v", l, err)
	}
}

func TestDeletionsOfLateCountTowardsTheShare(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &Syncer{state: &state{Files: make(map[string]base)}, now: func() time.Time { return now }}
	for n := range 20 {
		s.state.Files[string(rune('a'+n))] = base{}
	}
	p := pass{Syncer: s}
	for count, want := range map[int]bool{0: false, 5: false, 6: true, 20: true} {
		if p.tooMany(count) != want {
			t.Errorf("%d of 20: %v", count, !want)
		}
	}
	s.deleted = []time.Time{now, now, now}
	if !p.tooMany(3) {
		t.Error("3 after 3 are few")
	}
	now = now.Add(2 * time.Minute)
	if p.tooMany(3) {
		t.Error("those of earlier count")
	}
	clear(s.state.Files)
	s.state.Files["a"], s.state.Files["b"] = base{}, base{}
	if !p.tooMany(2) || p.tooMany(1) {
		t.Error("all of two are one deletion")
	}
	if s.options.Force = true; p.tooMany(2) {
		t.Error("--force refuses")
	}
}

func TestEventsThatDoNotStopDelayAPassForAShortTime(t *testing.T) {
	for name, c := range map[string]struct {
		events   int
		from, to time.Duration
	}{
		"one event": {1, soon, soon},
		"many":      {600, atLatest, atLatest + soon},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files, entries := make(chan struct{}, 1), make(chan struct{}, 1)
				var sender sync.WaitGroup
				sender.Go(func() {
					for range c.events {
						wake(files)
						wake(entries)
						time.Sleep(soon / 3)
					}
				})
				defer sender.Wait()
				began := time.Now()
				if !pause(t.Context(), nowAndThen, false, files, entries) {
					t.Error("it has ended")
				}
				if took := time.Since(began); took < c.from || took > c.to {
					t.Errorf("a pass is after %v", took)
				}
			})
		})
	}
}
