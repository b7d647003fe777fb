package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/cmd/mneme/foldersync"
	"mneme/memory"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// move renames a file or a folder.
func (s *synced) move(from, to string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(to)), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(s.path(from), s.path(to)); err != nil {
		s.t.Fatal(err)
	}
}

// rename renames an entry of the store.
func (s *synced) rename(from, to string) {
	s.t.Helper()
	if _, _, err := s.source.client.Rename(context.Background(), s.entryPath(from), s.entryPath(to), client.Conditions{}); err != nil {
		s.t.Fatal(err)
	}
}

// history returns all values of an entry, the latest first.
func (s *synced) history(key string) (values []string) {
	s.t.Helper()
	for e, err := range s.source.client.Versions(context.Background(), s.entryPath(key)) {
		if err != nil {
			s.t.Fatalf("%s: %v", key, err)
		}
		if value := string(e.Value); len(values) == 0 || values[len(values)-1] != value {
			values = append(values, value)
		}
	}
	return values
}

// noteText returns a text of some length whose words are unique to it.
func noteText(n int) string {
	var b strings.Builder
	for word := range 20 {
		fmt.Fprintf(&b, "w%d-%d ", n, word)
	}
	return strings.TrimSpace(b.String())
}

// manyNotes creates a folder of notes that were each edited once, and synchronizes it.
func manyNotes(s *synced, dir string, count int) {
	s.t.Helper()
	for _, last := range []string{"old", "new"} {
		for n := range count {
			s.save(fmt.Sprintf("%s/%d.md", dir, n), noteText(n)+" "+last+"\n")
		}
		s.once()
	}
}

// wantMoved checks that a folder's notes are in another folder, with their history, and
// that no other copies exist.
func wantMoved(t *testing.T, s *synced, from, to string, count int) {
	t.Helper()
	files := s.visible() // in their actual case
	for n := range count {
		key := fmt.Sprintf("%s/%d", to, n)
		if got := s.history(key); !slices.Contains(got, fmt.Sprintf("%q", noteText(n)+" old")) {
			t.Errorf("%s has the history %q", key, got)
		}
		if files[key+".md"] == "" || files[fmt.Sprintf("%s/%d.md", from, n)] != "" {
			t.Errorf("the folder has %q", slices.Sorted(maps.Keys(files)))
		}
	}
	if all := s.entries(); len(all) != len(files) {
		t.Errorf("%d entries, %d files", len(all), len(files))
	}
}

func TestSyncFollowsFoldersThatAreRenamed(t *testing.T) {
	for name, c := range map[string]struct {
		count    int
		from, to string
		change   func(s *synced, count int)
	}{
		"all of a folder":   {12, "d", "e/f", func(s *synced, _ int) { s.move("d", "e/f") }},
		"many":              {300, "d", "Old notes", func(s *synced, _ int) { s.move("d", "Old notes") }},
		"another namespace": {12, "@work/d", "@home/d", func(s *synced, _ int) { s.move("@work/d", "@home/d") }},
		"case alone":        {12, "plans", "Plans", func(s *synced, _ int) { s.move("plans", "x"); s.move("x", "Plans") }},
		"with links in it": {12, "d", "e", func(s *synced, count int) {
			s.move("d", "e")
			for n := range count {
				name := fmt.Sprintf("e/%d.md", n)
				s.save(name, strings.ReplaceAll(s.text(name), fmt.Sprintf("w%d-3 ", n), "[[e/other note]] "))
			}
		}},
		"in the store": {12, "d", "e", func(s *synced, count int) {
			for n := range count {
				s.rename(fmt.Sprintf("d/%d", n), fmt.Sprintf("e/%d", n))
			}
		}},
		"case alone, in the store": {12, "plans", "Plans", func(s *synced, count int) {
			for n := range count {
				s.rename(fmt.Sprintf("plans/%d", n), fmt.Sprintf("Plans/%d", n))
			}
		}},
		"in the store, and edited here": {12, "d", "@n/e", func(s *synced, count int) {
			for n := range count {
				s.rename(fmt.Sprintf("d/%d", n), fmt.Sprintf("n:e/%d", n))
				s.save(fmt.Sprintf("d/%d.md", n), noteText(n)+" newest\n")
			}
		}},
		"here, and edited in the store": {12, "d", "e", func(s *synced, count int) {
			s.move("d", "e")
			for n := range count {
				s.put(fmt.Sprintf("d/%d", n), fmt.Sprintf("%q", noteText(n)+" newest"))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				manyNotes(s, c.from, c.count)
				s.save("other.md", "other\n")
				s.once()
				c.change(s, c.count)
				r := s.once()
				if r.Renamed != c.count || r.Trashed+r.Removed+len(r.Conflicts)+len(r.Problems) > 0 {
					t.Errorf("got %+v", r)
				}
				if r := s.once(); r.Done() > 0 {
					t.Errorf("a second pass: %+v", r)
				}
				to := c.to
				if rest, ok := strings.CutPrefix(to, "@"); ok {
					namespace, dir, _ := strings.Cut(rest, "/")
					for n := range c.count {
						if got := s.history(fmt.Sprintf("%s:%s/%d", namespace, dir, n)); len(got) < 2 {
							t.Errorf("the history is %q", got)
						}
					}
					return
				}
				wantMoved(t, s, c.from, to, c.count)
			})
		})
	}
}

func TestWatchedFolderFollowsRenames(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		manyNotes(s, "d", 12)
		for n := range 4 {
			s.save(fmt.Sprintf("rest/%d.md", n), noteText(100+n)+"\n")
		}
		s.once()
		options := s.options()
		options.Settle = 50 * time.Millisecond
		options.Say = nil
		syncer, err := foldersync.Open(s.store, options)
		if err != nil {
			t.Fatal(err)
		}
		defer syncer.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- syncer.Watch(ctx, func(foldersync.Report) error { return nil }) }()
		at := func(dir string) func() error {
			return func() error {
				for n := range 12 {
					if s.value(fmt.Sprintf("%s/%d", dir, n)) == "" || s.text(fmt.Sprintf("%s/%d.md", dir, n)) == "" {
						return fmt.Errorf("the folder has %q, the store %q", s.visible(), s.entries())
					}
				}
				if all := s.entries(); len(all) != 16 || len(s.visible()) != 16 {
					return fmt.Errorf("%d entries, %d files", len(all), len(s.visible()))
				}
				return nil
			}
		}
		s.move("d", "e")
		wait.Until(t, "renamed here", at("e"))
		for n := range 12 {
			s.rename(fmt.Sprintf("e/%d", n), fmt.Sprintf("f/%d", n))
		}
		wait.Until(t, "renamed in the store", at("f"))
		s.move("f", "g") // as Obsidian does, including its links
		for n := range 12 {
			name := fmt.Sprintf("g/%d.md", n)
			s.save(name, strings.ReplaceAll(s.text(name), fmt.Sprintf("w%d-3 ", n), "[[g/other]] "))
		}
		wait.Until(t, "renamed with links", at("g"))
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		wantMoved(t, s, "d", "g", 12)
	})
}

// On a case-insensitive file system, a rename that only changes case is followed, and an
// entry has one file.
func TestSyncFollowsChangesOfCase(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *synced)
		key    string
		file   string // in its actual case; "": in any
	}{
		"a file":              {func(s *synced) { s.move("plans/a.md", "x"); s.move("x", "plans/A.md") }, "plans/A", "plans/A.md"},
		"a file in the store": {func(s *synced) { s.rename("plans/a", "plans/A") }, "plans/A", "plans/A.md"},
		"some of a folder":    {func(s *synced) { s.rename("plans/0", "Plans/0") }, "Plans/0", ""},
		"a folder of two": {func(s *synced) {
			s.put("Old/x/n", `"n"`)
			s.put("Old/y/m", `"m"`)
			s.once()
			s.rename("Old/x/n", "old/X/n")
			s.rename("Old/y/m", "old/y/m")
		}, "old/X/n", "old/X/n.md"},
		"a new entry": {func(s *synced) { s.put("Plans/new", `"new"`) }, "Plans/new", ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				s.save("plans/a.md", noteText(100)+"\n")
				manyNotes(s, "plans", 3)
				c.change(s)
				s.once()
				if r := s.once(); r.Done()+len(r.Problems) > 0 {
					t.Errorf("a second pass: %+v", r)
				}
				files, entries := s.visible(), s.entries()
				if len(files) != len(entries) || s.value(c.key) == "" || c.file != "" && files[c.file] == "" {
					t.Errorf("the folder has %q, the store %q", files, entries)
				}
				s.put(c.key, `"edited there"`)
				s.want(0, 1, 0, 0, 0, 0)
				for file, text := range s.visible() {
					if strings.Contains(text, "edited there") {
						s.save(file, strings.Replace(text, "there", "here", 1))
					}
				}
				s.want(1, 0, 0, 0, 0, 0)
				if got := s.value(c.key); got != `"edited here"` {
					t.Errorf("%s has %s", c.key, got)
				}
			})
		})
	}
}

// Two files that exchange their names are two renames.
func TestSyncFollowsFilesThatAreExchanged(t *testing.T) {
	for name, change := range map[string]func(s *synced){
		"two":               func(s *synced) { s.move("d/0.md", "x"); s.move("d/1.md", "d/0.md"); s.move("x", "d/1.md") },
		"two, in the store": func(s *synced) { s.rename("d/0", "x"); s.rename("d/1", "d/0"); s.rename("x", "d/1") },
		"two, edited then": func(s *synced) {
			s.move("d/0.md", "x")
			s.move("d/1.md", "d/0.md")
			s.save("d/1.md", s.text("x")+"\nmore\n")
			s.drop("x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				manyNotes(s, "d", 3)
				change(s)
				s.once()
				if r := s.want(0, 0, 0, 0, 0, 0); r.Renamed > 0 {
					t.Errorf("a second pass: %+v", r)
				}
				for n, to := range map[int]int{0: 1, 1: 0, 2: 2} {
					key := fmt.Sprintf("d/%d", to)
					got := s.history(key)
					for _, value := range got {
						if !strings.Contains(value, noteText(n)) {
							t.Errorf("%s has the history %q", key, got)
						}
					}
					if len(got) < 2 || !strings.HasPrefix(s.text(key+".md"), noteText(n)) {
						t.Errorf("%s has the history %q, and the file %q", key, got, s.text(key+".md"))
					}
				}
				if all := s.entries(); len(all) != 3 {
					t.Errorf("the store has %q", slices.Sorted(maps.Keys(all)))
				}
			})
		})
	}
}

// A deleted note that reappears gets its history back.
func TestSyncRestoresWhatComesBack(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		manyNotes(s, "d", 3)
		text := s.text("d/0.md")
		s.drop("d/0.md")
		s.want(0, 0, 1, 0, 0, 0)
		s.save("back.md", text)
		s.want(1, 0, 0, 0, 0, 0)
		if got := s.history("back"); len(got) != 2 {
			t.Errorf("the history is %q", got)
		}
		s.drop("d/2.md")
		s.want(0, 0, 1, 0, 0, 0)
		s.save("d/2.md", noteText(2)+" and more\n") // edited meanwhile
		s.want(1, 0, 0, 0, 0, 0)
		if got := s.history("d/2"); len(got) != 3 {
			t.Errorf("the history is %q", got)
		}
		s.save("d/3.md", noteText(3)+"\n")
		s.want(1, 0, 0, 0, 0, 0)
		s.drop("d/3.md")
		s.want(0, 0, 1, 0, 0, 0)
		s.save("d/3.md", noteText(4)+"\n") // another note
		s.want(1, 0, 0, 0, 0, 0)
		if got := s.history("d/3"); len(got) != 1 {
			t.Errorf("the history of another note is %q", got)
		}
		s.del("d/1") // and edits the file here
		s.save("d/1.md", noteText(1)+" newest\n")
		s.want(1, 0, 0, 0, 0, 0)
		if got := s.history("d/1"); len(got) != 3 {
			t.Errorf("the history is %q", got)
		}
		s.want(0, 0, 0, 0, 0, 0)
	})
}

// If the entry of a renamed file cannot be renamed, such as an encrypted one, it is written
// again under the new key.
func TestSyncRenamesFilesOfEntriesThatAreBoundToTheirKeys(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		s.force = true
		s.put("sealed", `"c2VhbGVk"`, func(w *api.Write) { w.Encrypted = new(true) })
		s.want(0, 1, 0, 0, 0, 0)
		s.move("sealed.md", "moved.md")
		s.want(1, 0, 1, 0, 0, 0)
		s.want(0, 0, 0, 0, 0, 0)
		if s.value("moved") != `"c2VhbGVk"` || s.value("sealed") != "" {
			t.Errorf("the store has %q", s.entries())
		}
	})
}

// A state written by a version without entry IDs is readable: unchanged notes are neither
// renamed nor written.
func TestSyncReadsStatesWithoutIDs(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		manyNotes(s, "d", 3)
		var state map[string]any
		if err := json.Unmarshal([]byte(s.text(".mneme/sync.json")), &state); err != nil {
			t.Fatal(err)
		}
		for _, one := range state["files"].(map[string]any) {
			delete(one.(map[string]any), "id")
		}
		text, err := json.Marshal(state)
		if err != nil {
			t.Fatal(err)
		}
		s.save(".mneme/sync.json", string(text))
		s.move("d", "e")
		if r := s.want(0, 0, 0, 0, 0, 0); r.Renamed != 3 {
			t.Errorf("got %+v", r)
		}
		wantMoved(t, s, "d", "e", 3)
	})
}

var lineagePattern = regexp.MustCompile(`w(\d+)-0`)

// lineage returns the number of the note with this text; "" if there is none.
func lineage(text string) string {
	found := lineagePattern.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return found[1]
}

// Whatever a person does to the notes on both sides, both sides have the same notes
// afterwards, and each entry has the history of its note and of no other.
func TestSyncKeepsEachNoteOneThing(t *testing.T) {
	seed := flag.Lookup("rapid.seed").Value
	if seed.String() == "0" { // the same sequences each time; another seed finds others
		if err := seed.Set("20261128"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = seed.Set("0") }) // it was valid before
	}
	for _, backend := range backendtest.Storages() {
		t.Run(backend.Name, func(t *testing.T) {
			t.Parallel()
			f := backendtest.Open(t, backend, backendtest.Options{Memory: memory.Options{Now: time.Now}})
			runs := 0
			backendtest.Check(t, 4, func(_ testing.TB, r *rapid.T) {
				runs++
				dir, err := os.MkdirTemp(t.TempDir(), "")
				if err != nil {
					r.Fatal(err)
				}
				s := over(r, f.Service, dir, fmt.Sprint("ann-", runs), acl.Public)
				s.force = true
				(&person{synced: s, seen: make(map[string][]string)}).work(r)
			})
		})
	}
}

// person performs actions on notes.
type person struct {
	*synced
	count int
	seen  map[string][]string // texts that were on both sides, by note
	bin   [][2]string         // names and texts of files that were deleted here
	last  map[string]string   // the notes of files after the last synchronisation
	keys  map[string]bool     // keys of entries after the last synchronization
}

// isNew reports whether a file with this name is not an edit of another note: the last
// synchronization left neither the name nor its key.
func (p *person) isNew(name string) bool {
	return p.last[name] == "" && !p.keys[keyOf(strings.TrimSuffix(name, ".md"))]
}

// keyOf returns the key of a file name without ".md", with its namespace.
func keyOf(name string) string {
	if rest, ok := strings.CutPrefix(name, "@"); ok {
		return strings.Replace(rest, "/", ":", 1)
	}
	return name
}

func (p *person) work(r *rapid.T) {
	names := []string{"a", "b", "B", "dir/a", "dir/c", "Dir/c", "@n/a"}
	if runtime.GOOS != "linux" { // a and A may be one file
		names = []string{"a", "b", "dir/a", "dir/c", "@n/a"}
	}
	file := rapid.SampledFrom(names)
	here := func(r *rapid.T, label string) (name string, ok bool) {
		all := slices.Sorted(maps.Keys(p.visible()))
		if len(all) == 0 {
			return "", false
		}
		return rapid.SampledFrom(all).Draw(r, label), true
	}
	there := func(r *rapid.T, label string) (key string, ok bool) {
		all := slices.Sorted(maps.Keys(p.entries()))
		if len(all) == 0 {
			return "", false
		}
		return strings.TrimPrefix(rapid.SampledFrom(all).Draw(r, label), ":"), true
	}
	edited := func(text string) string { p.count++; return fmt.Sprintf("%s e%d", text, p.count) }
	r.Repeat(map[string]func(*rapid.T){
		"new": func(r *rapid.T) {
			if name := file.Draw(r, "file") + ".md"; p.text(name) == "" && p.isNew(name) { // otherwise it is an edit
				p.count++
				p.save(name, noteText(p.count)+"\n")
			}
		},
		"new in the store": func(r *rapid.T) {
			name := file.Draw(r, "key")
			if key := keyOf(name); p.value(key) == "" && p.last[name+".md"] == "" {
				p.count++
				p.put(key, fmt.Sprintf("%q", noteText(p.count)))
			}
		},
		"move": func(r *rapid.T) {
			from, ok := here(r, "from")
			if to := file.Draw(r, "to") + ".md"; ok && p.text(to) == "" && p.mayBeAt(to, p.text(from)) {
				p.move(from, to)
			}
		},
		"move a folder": func(r *rapid.T) {
			from, to := "dir", "old"
			if rapid.Bool().Draw(r, "back") {
				from, to = to, from
			}
			var files []string
			for name, text := range p.visible() {
				rest, ok := strings.CutPrefix(name, from+"/")
				switch {
				case strings.HasPrefix(name, to+"/"), ok && !p.mayBeAt(to+"/"+rest, text):
					return
				case ok:
					files = append(files, name)
				}
			}
			if len(files) > 0 {
				_ = os.Remove(p.path(to)) // it is empty, or does not exist
				p.move(from, to)
			}
		},
		"move a folder in the store": func(r *rapid.T) {
			from, to := "dir/", "old/"
			if rapid.Bool().Draw(r, "back") {
				from, to = to, from
			}
			entries := p.entries()
			for key := range entries {
				if rest, ok := strings.CutPrefix(key, ":"+from); ok && entries[":"+to+rest] == "" {
					p.rename(from+rest, to+rest)
				}
			}
		},
		"move in the store": func(r *rapid.T) {
			from, ok := there(r, "from")
			if to := keyOf(file.Draw(r, "to")); ok && p.value(to) == "" {
				p.rename(from, to)
			}
		},
		"edit": func(r *rapid.T) {
			if name, ok := here(r, "file"); ok {
				p.save(name, edited(strings.TrimSuffix(p.text(name), "\n"))+"\n")
			}
		},
		"edit in the store": func(r *rapid.T) {
			if key, ok := there(r, "key"); ok {
				p.put(key, edited(p.value(key)[:len(p.value(key))-1])+`"`)
			}
		},
		"swap": func(r *rapid.T) {
			one, ok := here(r, "one")
			other, _ := here(r, "other")
			if ok && one != other && p.mayBeAt(one, p.text(other)) && p.mayBeAt(other, p.text(one)) {
				p.move(one, ".swap")
				p.move(other, one)
				p.move(".swap", other)
			}
		},
		"swap in the store": func(r *rapid.T) {
			one, ok := there(r, "one")
			other, _ := there(r, "other")
			if ok && one != other {
				space := func(key string) string {
					namespace, _, _ := strings.Cut(":"+key, ":")
					return namespace + "swap"
				}
				p.rename(one, space(one))
				p.rename(other, one)
				p.rename(space(one), other)
			}
		},
		"delete": func(r *rapid.T) {
			if name, ok := here(r, "file"); ok {
				p.bin = append(p.bin, [2]string{name, p.text(name)})
				p.drop(name)
			}
		},
		"delete in the store": func(r *rapid.T) {
			// Concurrent changes here are for another test: their history may be lost,
			// since the text to compare is in the trash.
			p.settle(r)
			if key, ok := there(r, "key"); ok {
				p.del(key)
			}
			p.settle(r)
		},
		"undo": func(r *rapid.T) { // undoes a deletion, if the note is on neither side
			if len(p.bin) == 0 {
				return
			}
			name, text := p.bin[len(p.bin)-1][0], p.bin[len(p.bin)-1][1]
			if seen := p.seen[lineage(text)]; len(seen) > 0 && seen[len(seen)-1] != fmt.Sprintf("%q", strings.TrimSuffix(text, "\n")) {
				return // not the last text
			}
			for _, other := range slices.Concat(slices.Collect(maps.Values(p.visible())), slices.Collect(maps.Values(p.entries()))) {
				if lineage(other) == lineage(text) {
					return
				}
			}
			if p.text(name) == "" && (p.last[name] == "" || p.last[name] == lineage(text)) {
				p.save(name, text)
				p.bin = p.bin[:len(p.bin)-1]
				p.settle(r)
			}
		},
		"undo in the store": func(r *rapid.T) { // undoes a deletion on either side, if the note is on neither side
			p.settle(r)
			live := make(map[string]bool)
			for _, text := range slices.Concat(slices.Collect(maps.Values(p.visible())), slices.Collect(maps.Values(p.entries()))) {
				live[lineage(text)] = true
			}
			later := make(map[memory.Path]bool)
			for e, err := range p.source.trash(context.Background()) {
				if err != nil {
					r.Fatal(err)
				}
				if !later[e.Path] && !live[lineage(string(e.Value))] && p.value(strings.TrimPrefix(e.Namespace+":"+e.Key, ":")) == "" {
					if _, err := p.store.Restore(context.Background(), e.Path); err != nil {
						r.Fatal(err)
					}
					break
				}
				later[e.Path] = true
			}
			p.settle(r)
		},
		"sync": func(r *rapid.T) { p.settle(r) },
	})
	p.settle(r)
}

// mayBeAt reports whether the test may give a text the name of a file. If another note had
// the name, a text that was never on both sides would be an edit of that note.
func (p *person) mayBeAt(name, text string) bool {
	return p.isNew(name) || len(p.seen[lineage(text)]) > 0
}

// settle synchronizes until nothing changes, and checks both sides.
func (p *person) settle(r *rapid.T) {
	var shadowed []string // files with the key of another file
	for n := 0; ; n++ {
		report := p.once()
		shadowed = nil
		for _, problem := range report.Problems {
			shadowed = append(shadowed, problem.File)
			if !strings.HasPrefix(problem.Reason, "another file has the same key") {
				r.Fatalf("got %+v", problem)
			}
		}
		for _, c := range report.Conflicts { // its text is taken over
			p.drop(c.Reason)
		}
		if report.Done() == 0 {
			break
		}
		if n == 5 {
			r.Fatalf("it does not end: %+v", report)
		}
	}
	files, entries := p.visible(), p.entries()
	p.last, p.keys = make(map[string]string), make(map[string]bool)
	for name, text := range files {
		p.last[name] = lineage(text)
	}
	notes := make(map[string]string)
	for key, value := range entries {
		key = strings.TrimPrefix(key, ":")
		p.keys[key] = true
		one := lineage(value)
		if former := notes[one]; former != "" {
			r.Errorf("note %s is %s and %s", one, former, key)
		}
		notes[one] = key
		for _, version := range p.history(key) {
			if lineage(version) != one {
				r.Errorf("%s has the history %q", key, p.history(key))
			}
		}
		for _, text := range p.seen[one] {
			if !slices.Contains(p.history(key), text) {
				r.Errorf("%s lacks %q: its history is %q", key, text, p.history(key))
			}
		}
		if !slices.Contains(p.seen[one], value) {
			p.seen[one] = append(p.seen[one], value)
		}
	}
	for name, text := range files {
		one := lineage(text)
		if slices.Contains(shadowed, name) {
			continue
		}
		if key := notes[one]; strings.TrimSuffix(text, "\n") != strings.Trim(p.value(key), `"`) && !strings.HasPrefix(text, "---") {
			r.Errorf("%s differs from %s", name, key)
		}
	}
	if len(files) != len(entries) && len(p.once().Problems) == 0 {
		r.Errorf("the folder has %q, the store %q", slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(entries)))
	}
}

// A file is renamed to another file name of a key that already has a file: %61.md beside
// a.md, both for the key a. No file of another entry is removed, and a problem reports why
// the renamed file is not synchronized.
func TestSyncOfAFileWithTheKeyOfAnother(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		s.force = true
		s.save("a.md", "one\n")
		s.save("@n/a.md", "two\n")
		s.want(2, 0, 0, 0, 0, 0)
		s.move("@n/a.md", "%61.md")
		s.put("A", `"three"`)
		s.want(0, 1, 1, 0, 0, 1)
		if files := s.visible(); len(files) != 3 || !slices.Contains(slices.Collect(maps.Values(files)), "---\nname: A\n---\n\nthree\n") {
			t.Errorf("the folder has %q", files)
		}
		s.want(0, 0, 0, 0, 0, 1)
		s.drop("a.md") // the other one replaces it, with its own history
		s.want(1, 0, 1, 0, 0, 0)
		s.want(0, 0, 0, 0, 0, 0)
		if got := s.history("a"); !slices.Equal(got, []string{`"two"`}) {
			t.Errorf("a has the history %q", got)
		}
	})
}

// An entry that was renamed to the path of a deleted one has one file.
func TestSyncOfARenameToTheKeyOfADeletedEntry(t *testing.T) {
	for name, c := range map[string]struct {
		edit     bool
		removed  int
		problems int
	}{"unchanged": {false, 1, 0}, "edited here": {true, 0, 1}} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				s.force = true
				manyNotes(s, "d", 3)
				if c.edit {
					s.save("d/0.md", noteText(0)+" newest\n")
				}
				s.del("d/0")
				s.rename("d/1", "d/0")
				if r := s.want(0, 0, 0, c.removed, 0, c.problems); r.Renamed != 1 {
					t.Errorf("got %+v", r)
				}
				s.want(0, 0, 0, 0, 0, c.problems)
				if got := s.text("d/0.md"); c.edit != strings.Contains(got, "newest") {
					t.Errorf("d/0.md has %q", got)
				}
				if files, entries := s.visible(), s.entries(); len(files) != 2+c.problems || len(entries) != 2 {
					t.Errorf("the folder has %q, the store %q", files, entries)
				}
				if got := s.history("d/0"); len(got) != 2 || !strings.Contains(got[0], noteText(1)) {
					t.Errorf("the history is %q", got)
				}
			})
		})
	}
}

// A rename that waits for a path to become free is done in the same run.
func TestSyncOfARenameToTheKeyOfADeletedFile(t *testing.T) {
	for name, change := range map[string]func(s *synced){
		"unchanged":           func(*synced) {},
		"edited in the store": func(s *synced) { s.put("a", `"newest"`) },
	} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				s.force = true
				s.save("a.md", noteText(1)+"\n")
				s.save("b.md", noteText(2)+"\n")
				s.once()
				s.drop("a.md")
				s.move("b.md", "%61.md")
				s.put("b", `"edited there"`)
				change(s)
				report := s.once()
				if all := strings.Join(slices.Collect(maps.Values(s.visible())), ""); !strings.Contains(all, "edited there") || name != "unchanged" && !strings.Contains(all, "newest") {
					t.Errorf("the folder has %q", all)
				}
				s.want(0, 0, 0, 0, 0, len(report.Problems))
			})
		})
	}
}

// If a file was renamed to the key of another one, its entry is in the trash. It gets its
// history back under a key of its own, even if it was edited since, and if other entries
// have or had its former key.
func TestSyncRestoresAnEntryWhoseKeyWasTaken(t *testing.T) {
	for name, former := range map[string]func(s *synced){
		"free":  func(s *synced) { s.drop("b.md") },
		"taken": func(s *synced) { s.move("b.md", "a.md") },
		"taken, and edited in the store": func(s *synced) {
			s.move("b.md", "a.md")
			s.put("b", fmt.Sprintf("%q", noteText(2)+" newest"))
		},
		"deleted later": func(s *synced) {
			s.save("a.md", noteText(3)+"\n")
			s.once()
			s.drop("a.md")
			s.once()
			s.drop("b.md")
		},
		"deleted later, and taken": func(s *synced) {
			s.put("a", fmt.Sprintf("%q", noteText(3)))
			s.once()
			s.del("a")
			s.once()
			s.move("b.md", "a.md")
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				s.force = true
				for _, last := range []string{"old", "new"} {
					s.save("a.md", noteText(1)+" "+last+"\n")
					s.save("b.md", noteText(2)+" "+last+"\n")
					s.once()
				}
				s.move("a.md", "%62.md") // the key "b"
				s.want(0, 0, 1, 0, 0, 1)
				former(s)
				s.save("%62.md", noteText(1)+" newest\n")
				if r := s.once(); len(r.Problems) > 0 {
					t.Errorf("got %+v", r)
				}
				s.want(0, 0, 0, 0, 0, 0)
				want := map[string]string{"b": noteText(1)}
				if strings.Contains(name, "taken") {
					want["a"] = noteText(2)
				}
				for key, text := range want {
					got := s.history(key)
					for _, value := range got {
						if !strings.Contains(value, text) {
							t.Errorf("%s has the history %q", key, got)
						}
					}
					if !slices.Contains(got, fmt.Sprintf("%q", text+" old")) {
						t.Errorf("%s has the history %q", key, got)
					}
				}
				if got := s.value("b"); got != fmt.Sprintf("%q", noteText(1)+" newest") {
					t.Errorf("b has %s", got)
				}
				if files, entries := s.visible(), s.entries(); len(files) != len(want) || len(entries) != len(want) {
					t.Errorf("the folder has %q, the store %q", files, entries)
				}
			})
		})
	}
}

// If two notes, one on each side, come to share a name or a path, they are neither merged
// nor duplicated.
func TestSyncSeparatesNotesThatComeToShareAName(t *testing.T) {
	for name, c := range map[string]struct {
		change             func(s *synced)
		conflicts, waiting int            // number of times
		want               map[string]int // the notes of entries
		files              int
	}{
		"renamed in the store and deleted here, where a new file has the path": {func(s *synced) {
			s.rename("a", "dir/c")
			s.drop("a.md")
			s.save("dir/c.md", noteText(9)+"\n")
		}, 1, 0, map[string]int{"dir/c": 1, "B": 2, "n:a": 3}, 4},
		"in other case in the store, where a new file has the name": {func(s *synced) {
			s.rename("B", "b")
			s.save("b.md", noteText(9)+"\n")
		}, 0, 1, map[string]int{"a": 1, "b": 2, "n:a": 3}, 4},
		"exchanged in the store, with names that are taken": {func(s *synced) {
			s.put("b", fmt.Sprintf("%q", noteText(4)))
			s.once()
			s.rename("b", "x")
			s.rename("n:a", "b")
			s.rename("x", "n:a")
		}, 0, 0, map[string]int{"a": 1, "B": 2, "b": 3, "n:a": 4}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			eachStorage(t, func(t *testing.T, s *synced) {
				if runtime.GOOS != "linux" && name != "renamed in the store and deleted here, where a new file has the path" {
					t.Skip("b and B are one file here")
				}
				s.force = true
				for n, file := range []string{"a.md", "B.md", "@n/a.md"} {
					s.save(file, noteText(n+1)+"\n")
				}
				s.once()
				c.change(s)
				if r := s.once(); len(r.Conflicts) != c.conflicts || len(r.Problems) != c.waiting {
					t.Errorf("got %+v", r)
				}
				s.want(0, 0, 0, 0, 0, c.waiting)
				if files, entries := s.visible(), s.entries(); len(files) != c.files || len(entries) != len(c.want) {
					t.Errorf("the folder has %q, the store %q", files, entries)
				}
				for key, n := range c.want {
					if got := s.history(key); !slices.Equal(got, []string{fmt.Sprintf("%q", noteText(n))}) {
						t.Errorf("%s has the history %q", key, got)
					}
				}
			})
		})
	}
}

// The restoration of an entry whose former path other entries used may be interrupted at
// any point: the next run completes it.
func TestSyncEndsAnInterruptedRestoration(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		s.force = true
		root, store := s.dir, s.store
		for calls, failed := 0, true; failed; calls++ {
			s.dir = filepath.Join(root, fmt.Sprint(calls))
			for key := range s.entries() {
				s.del(strings.TrimPrefix(key, ":"))
			}
			for _, last := range []string{"old", "new"} {
				s.save("a.md", noteText(1)+" "+last+"\n")
				s.save("b.md", noteText(2)+" "+last+"\n")
				s.once()
			}
			s.move("a.md", "%62.md") // the key "b"
			s.once()
			s.save("a.md", noteText(3)+"\n")
			s.once()
			s.drop("a.md")
			s.once()
			s.move("b.md", "a.md")
			s.save("%62.md", noteText(1)+" newest\n")
			s.store = failing{store, &[]int{calls}[0]}
			_, err := s.try()
			failed = err != nil
			s.store = store
			s.once()
			if r := s.once(); r.Done() > 0 {
				t.Errorf("after %d calls: a third pass: %+v", calls, r)
			}
			if files, entries := s.visible(), s.entries(); len(files) != 2 || len(entries) != 2 {
				t.Errorf("after %d calls: the folder has %q, the store %q", calls, files, entries)
				continue
			}
			for key, n := range map[string]int{"b": 1, "a": 2} {
				if got := s.history(key); !slices.Contains(got, fmt.Sprintf("%q", noteText(n)+" old")) || !strings.Contains(got[0], noteText(n)) {
					t.Errorf("after %d calls: %s has the history %q", calls, key, got)
				}
			}
		}
	})
}
