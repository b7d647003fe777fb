package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"mneme/cmd/mneme/foldersync"
)

// Files that a program stores elsewhere, or writes step by step, are neither deleted nor
// emptied, and nothing has changed when they are back.
func TestSyncLeavesFilesAloneThatAreAway(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(s *synced) // moves d/0.md and other files elsewhere
		says  string
	}{
		"a stub of iCloud":   {func(s *synced) { s.move("d/0.md", "d/.0.md.icloud") }, "not on this computer"},
		"a stub beside it":   {func(s *synced) { s.drop("d/0.md"); s.save("d/0.md.cloud", "x") }, "not on this computer"},
		"a stub of a folder": {func(s *synced) { s.move("d", "away"); s.move("away", ".d.icloud"); s.save(".d.icloud/x", "") }, "not on this computer"},
		"empty":              {func(s *synced) { s.save("d/0.md", "") }, "is empty"},
		"white space":        {func(s *synced) { s.save("d/0.md", "\n\n") }, "is empty"},
		"all are empty": {func(s *synced) {
			for _, name := range []string{"d/0.md", "d/1.md", "d/2.md"} {
				s.save(name, "")
			}
		}, "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				manyNotes(s, "d", 3)
				before, entries := s.visible(), s.entries()
				c.leave(s)
				for range 2 {
					r := s.once()
					if r.Done() > 0 || len(r.Problems) == 0 || !strings.Contains(r.Problems[0].Reason, c.says) {
						t.Errorf("got %+v", r)
					}
				}
				if err := os.RemoveAll(s.path("d")); err != nil {
					t.Fatal(err)
				}
				for _, stub := range []string{".d.icloud", "away"} {
					if err := os.RemoveAll(s.path(stub)); err != nil {
						t.Fatal(err)
					}
				}
				for name, text := range before {
					s.save(name, text)
				}
				s.want(0, 0, 0, 0, 0, 0)
				for key, value := range s.entries() {
					if entries[key] != value || len(s.history(strings.TrimPrefix(key, ":"))) != 2 {
						t.Errorf("%s is %s", key, value)
					}
				}
			})
		})
	}
}

// An entry that changes in the store while its file is stored elsewhere gets no other
// file.
func TestSyncWritesNoFilesNextToStubs(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		s.save("a.md", "one\n")
		s.once()
		s.move("a.md", ".a.md.icloud")
		s.put("a", `"two"`)
		s.put("new", `"new"`)
		s.save(".new.md.icloud", "x")
		if r := s.once(); r.Done() > 0 || s.text("a.md") != "" || len(r.Problems) != 2 || s.text("new.md") != "" {
			t.Errorf("got %+v: %q", r, s.visible())
		}
		s.move(".a.md.icloud", "a.md")
		s.want(0, 1, 0, 0, 0, 1)
		if s.text("a.md") != "two\n" {
			t.Errorf("got %q", s.visible())
		}
	})
}

// A file of a watched folder with only the beginning of its text is still being written.
func TestSyncWaitsForTheRestOfAFile(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		s.save("a.md", "---\ntags: [x, y]\nmine: z\n---\n\n# A\n\nthe first line\nthe second line\n")
		s.save("b.md", "one\r\ntwo\r\nthree\r\n")
		s.once()
		before := s.entries()
		options := s.options()
		options.Settle = time.Nanosecond
		syncer, err := foldersync.Open(s.store, options)
		if err != nil {
			t.Fatal(err)
		}
		defer syncer.Close()
		whole := s.visible()
		for _, part := range []int{3, 15, 30, 50} {
			for name, text := range whole {
				s.save(name, text[:min(part, len(text)-4)])
			}
			r, err := syncer.Once(t.Context())
			if err != nil || r.Done() > 0 {
				t.Errorf("with %d bytes: %+v, %v", part, r, err)
			}
		}
		s.save("b.md", "one\r\nsomething else\r\n")
		s.save("a.md", whole["a.md"])
		r, err := syncer.Once(t.Context())
		if err != nil || r.Uploaded != 1 || s.value("b") != `"one\nsomething else"` || s.value("a") != before[":a"] {
			t.Errorf("got %+v, %v: %q", r, err, s.entries())
		}
	})
}

func TestSyncLeavesOutCopiesOfOthersAndNamesThemOnce(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		s.save("a.md", "one\n")
		s.save("a.sync-conflict-20261126-130512-ABCDEF7.md", "two\n")
		s.save("d/a (Ann's conflicted copy 2026-11-26).md", "two\n")
		s.save("~$a.md", "x")
		s.save("a.tmp.md", "x")
		r := s.want(1, 0, 0, 0, 0, 0)
		if all := s.entries(); len(all) != 1 || r.Waiting != 2 {
			t.Errorf("got %+v: the store has %q", r, all)
		}
		count := 0
		for _, e := range s.events {
			if e.Kind == foldersync.Notice && e.File != "" {
				count++
			}
		}
		if count != 4 {
			t.Errorf("said %+v", s.events)
		}
	})
}
