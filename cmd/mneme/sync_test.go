package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
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
	"mneme/cmd/compose"
	"mneme/cmd/mneme/foldersync"
	"mneme/configs"
	"mneme/internal/system"
	"mneme/memory"
	"mneme/test/backendtest"
	"mneme/test/size"
	"mneme/test/wait"
)

// synced is a folder and the store of an agent.
type synced struct {
	t      rapid.TB
	dir    string
	source *entrySource
	store  foldersync.Store
	force  bool
	server string
	taint  string
	events []foldersync.Event
}

// over returns an empty folder and the empty store of an agent.
func over(t rapid.TB, service *memory.Service, dir, agent string, taint acl.Label) *synced {
	t.Helper()
	quiet := &program{out: io.Discard, err: io.Discard}
	to, err := quiet.connectTo(&compose.Instance{Service: service}, configs.Default(), callerFlags{agent: agent, taint: taint.String()})
	if err != nil {
		t.Fatal(err)
	}
	source, err := to.source(agent, agent)
	if err != nil {
		t.Fatal(err)
	}
	return &synced{t: t, dir: dir, source: source, store: syncStore{source}, server: "s", taint: taint.String()}
}

func (s *synced) options() foldersync.Options {
	return foldersync.Options{
		Dir: s.dir, Force: s.force, Zone: time.UTC, Say: func(e foldersync.Event) { s.events = append(s.events, e) },
		Origin: foldersync.Origin{Server: s.server, Store: s.source.store, Agent: s.source.store, Taint: s.taint},
	}
}

func (s *synced) try() (foldersync.Report, error) {
	s.t.Helper()
	s.events = nil
	syncer, err := foldersync.Open(s.store, s.options())
	if err != nil {
		return foldersync.Report{}, err
	}
	report, err := syncer.Once(context.Background())
	return report, errors.Join(err, syncer.Close())
}

func (s *synced) once() foldersync.Report {
	s.t.Helper()
	report, err := s.try()
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

// want synchronizes, and compares the counts: uploaded, downloaded, trashed, removed,
// conflicts, problems.
func (s *synced) want(counts ...int) foldersync.Report {
	s.t.Helper()
	r := s.once()
	if got := []int{r.Uploaded, r.Downloaded, r.Trashed, r.Removed, len(r.Conflicts), len(r.Problems)}; !slices.Equal(got, counts) {
		s.t.Errorf("got %v, want %v: %+v", got, counts, r)
	}
	return r
}

func (s *synced) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *synced) save(name, text string) {
	s.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.path(name)), 0o700), os.WriteFile(s.path(name), []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *synced) drop(name string) {
	s.t.Helper()
	if err := os.Remove(s.path(name)); err != nil {
		s.t.Fatal(err)
	}
}

// text returns the contents of a file; "" if it does not exist.
func (s *synced) text(name string) string {
	text, _ := os.ReadFile(s.path(name))
	return string(text)
}

func (s *synced) entryPath(key string) client.Path {
	namespace, rest, ok := strings.Cut(key, ":")
	if !ok {
		namespace, rest = "", key
	}
	return client.Path{Store: s.source.store, Namespace: namespace, Key: rest}
}

func (s *synced) put(key, value string, change ...func(*api.Write)) {
	s.t.Helper()
	w := api.Write{Value: json.RawMessage(value)}
	for _, c := range change {
		c(&w)
	}
	if _, err := s.source.client.Put(context.Background(), s.entryPath(key), w, client.Conditions{}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *synced) del(key string) {
	s.t.Helper()
	if err := s.source.client.Delete(context.Background(), s.entryPath(key), client.Conditions{}); err != nil && client.StatusOf(err) != 404 {
		s.t.Fatal(err)
	}
}

// value returns an entry's value; "" if it does not exist.
func (s *synced) value(key string) string {
	e, _, _ := s.source.client.Get(context.Background(), s.entryPath(key))
	return string(e.Value)
}

// visible returns the texts of the files that are not hidden, by path. It retries if a
// folder cannot be read because it is being removed.
func (s *synced) visible() map[string]string {
	s.t.Helper()
	for last := time.Now().Add(wait.Limit); ; time.Sleep(10 * time.Millisecond) {
		files, err := s.read()
		if err == nil {
			return files
		}
		if time.Now().After(last) {
			s.t.Fatal(err)
		}
	}
}

func (s *synced) read() (map[string]string, error) {
	files := make(map[string]string)
	err := filepath.WalkDir(s.dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || name == s.dir:
			return err
		case strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		short, _ := filepath.Rel(s.dir, name)
		file, err := system.Open(name) // it may be replaced concurrently
		if err != nil {
			return err
		}
		defer file.Close()
		text, err := io.ReadAll(file)
		files[filepath.ToSlash(short)] = string(text)
		return err
	})
	return files, err
}

// eachStorage runs a test over both storages.
func eachStorage(t *testing.T, test func(t *testing.T, s *synced)) {
	for _, backend := range backendtest.Storages() {
		t.Run(backend.Name, func(t *testing.T) {
			t.Parallel()
			f := backendtest.Open(t, backend, backendtest.Options{Memory: memory.Options{Now: time.Now}})
			test(t, over(t, f.Service, filepath.Join(t.TempDir(), "new"), "ada", acl.Public))
		})
	}
}

func TestSyncCopiesWhatOnlyOneSideChanged(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		tags := func(w *api.Write) { w.Tags = &api.Tags{"x"}; w.Description = new("d") }
		s.put("a", `"one"`)
		s.put("n:dir/b", `{"x":1.50}`, tags)
		s.save("Garden/Plan.md", "---\ntags: [garden]\naliases: [dig] # mine\n---\n\n# The plan\n\nDig.\n")
		s.save("photo.png", "x")
		s.save("MEMORY.md", "x")
		s.save(".obsidian/app.md", "x")
		s.want(1, 2, 0, 0, 0, 0)
		s.want(0, 0, 0, 0, 0, 0)
		if got := s.text("a.md"); got != "one\n" {
			t.Errorf("got %q", got)
		}
		if got := s.text("@n/dir/b.md"); got != "---\ndescription: d\ntags: [x]\njson: true\n---\n\n{\"x\":1.50}\n" {
			t.Errorf("got %q", got)
		}
		e, _, err := s.source.client.Get(t.Context(), s.entryPath("Garden/Plan"))
		if err != nil || e.Description != "The plan" || strings.Join(e.Tags, ",") != "garden" || string(e.Value) != `"---\naliases: [dig] # mine\n---\n\n# The plan\n\nDig."` {
			t.Errorf("got %+v, %v", e, err)
		}
		// Each side makes a different change.
		s.put("Garden/Plan", `"---\naliases: [dig] # mine\n---\n\n# The plan\n\nDig deeper."`)
		s.save("a.md", "two\n")
		s.want(1, 1, 0, 0, 0, 0)
		if got := s.text("Garden/Plan.md"); got != "---\ntags: [garden]\naliases: [dig] # mine\n---\n\n# The plan\n\nDig deeper.\n" {
			t.Errorf("got %q", got)
		}
		if got := s.value("a"); got != `"two"` {
			t.Errorf("got %s", got)
		}
		// Deletions, and a new name.
		s.del("n:dir/b")
		s.drop("a.md")
		if err := os.Rename(s.path("Garden/Plan.md"), s.path("Garden/Old plan.md")); err != nil {
			t.Fatal(err)
		}
		s.force = true
		if r := s.want(0, 0, 1, 1, 0, 0); r.Renamed != 1 {
			t.Errorf("got %+v", r)
		}
		if s.value("a") != "" || s.value("Garden/Plan") != "" || s.value("Garden/Old plan") == "" || s.text("@n/dir/b.md") != "" {
			t.Errorf("left: %q", s.visible())
		}
		trashed, _ := filepath.Glob(s.path(".mneme/trash/*/@n/dir/b.md"))
		if len(trashed) != 1 {
			t.Errorf("the folder's trash has %q", trashed)
		}
		s.want(0, 0, 0, 0, 0, 0)
	})
}

func TestSyncKeepsBothSidesOfAConflict(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		s.put("a", `"both had this"`)
		s.put("gone", `"both had this"`)
		s.put("changed", `"both had this"`)
		s.save("new.md", "mine\n")
		s.put("new", `"theirs"`)
		s.save("same.md", "---\ntags: [x]\n---\n\n# Same\n\ntext\n")
		s.put("same", `"# Same\n\ntext"`, func(w *api.Write) { w.Tags = &api.Tags{"x", "z"} })
		r := s.want(0, 4, 0, 0, 1, 0)
		if s.text("new.md") != "theirs\n" || s.text(r.Conflicts[0].Reason) != "mine\n" || r.Waiting != 1 || !strings.Contains(s.text("same.md"), "[x, z]") {
			t.Errorf("got %+v: %q", r, s.visible())
		}
		s.save("a.md", "mine\n")
		s.put("a", `"theirs"`)
		s.drop("gone.md")
		s.put("gone", `"theirs"`)
		s.save("changed.md", "mine\n")
		s.del("changed")
		r = s.want(1, 1, 0, 0, 1, 0)
		if s.text("a.md") != "theirs\n" || s.text(r.Conflicts[0].Reason) != "mine\n" || s.text("gone.md") != "theirs\n" || s.value("changed") != `"mine"` || r.Waiting != 2 {
			t.Errorf("got %+v: %q", r, s.visible())
		}
		s.save("a.md", "the same\n")
		s.put("a", `"the same"`)
		s.want(0, 0, 0, 0, 0, 0)
		if kept := r.Conflicts[0].Reason; s.value(strings.TrimSuffix(kept, ".md")) != "" {
			t.Errorf("the conflict file %s is in the store", kept)
		}
	})
}

func TestSyncDeletesNothingWhenMuchIsGone(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		for n := range 12 {
			s.save(fmt.Sprintf("d/%d.md", n), fmt.Sprint(n))
		}
		s.want(12, 0, 0, 0, 0, 0)
		for n := range 6 {
			s.drop(fmt.Sprintf("d/%d.md", n))
		}
		s.save("new.md", "x")
		r := s.want(1, 0, 0, 0, 0, 1)
		if !strings.Contains(r.Problems[0].Reason, "6 of 13 files are gone") || s.value("d/0") == "" {
			t.Errorf("got %+v", r)
		}
		// Moving a folder is no deletion.
		for n := range 6 {
			s.save(fmt.Sprintf("d/%d.md", n), fmt.Sprint(n))
		}
		s.want(0, 0, 0, 0, 0, 0)
		if err := os.Rename(s.path("d"), s.path("e")); err != nil {
			t.Fatal(err)
		}
		if r := s.want(0, 0, 0, 0, 0, 0); r.Renamed != 12 || s.value("d/0") != "" || s.value("e/0") == "" {
			t.Errorf("got %+v", r)
		}
		for n := range 12 {
			s.del(fmt.Sprintf("e/%d", n))
		}
		r = s.want(0, 0, 0, 0, 0, 1)
		if !strings.Contains(r.Problems[0].Reason, "12 of 13 entries are gone") || s.text("e/0.md") == "" {
			t.Errorf("got %+v", r)
		}
		s.force = true
		s.want(0, 0, 0, 12, 0, 0)
	})
}

func TestSyncOfAFolderThatIsGoneDeletesNothing(t *testing.T) {
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Now: time.Now}})
	s := over(t, f.Service, filepath.Join(t.TempDir(), "new"), "ada", acl.Public)
	s.put("a", `"x"`)
	s.want(0, 1, 0, 0, 0, 0)
	syncer, err := foldersync.Open(s.store, s.options())
	if err != nil {
		t.Fatal(err)
	}
	defer syncer.Close()
	for n, change := range []func() error{
		func() error { return os.Rename(s.dir, s.dir+"2") },
		func() error { return os.Mkdir(s.dir, 0o700) },
		func() error { return os.RemoveAll(s.dir + "2") },
	} {
		if err := change(); err != nil && n == 0 && runtime.GOOS == "windows" {
			t.Skip("a folder that is watched cannot be moved")
		} else if err != nil {
			t.Fatal(err)
		}
		if _, err := syncer.Once(t.Context()); !errors.Is(err, foldersync.ErrGone) {
			t.Errorf("change %d: %v", n, err)
		}
	}
	if s.value("a") == "" {
		t.Error("the entry was deleted")
	}
	// A folder without its state, as on a disk that is not mounted, is a new one.
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	s.want(0, 1, 0, 0, 0, 0)
	// So is a folder of another server, but not one of another agent.
	other := over(t, f.Service, s.dir, "bob", acl.Public)
	if _, err := other.try(); !errors.Is(err, foldersync.ErrOrigin) {
		t.Errorf("another agent: %v", err)
	}
	s.server = "another"
	s.del("a")
	s.want(1, 0, 0, 0, 0, 0)
	if len(s.events) == 0 || s.events[0].Kind != foldersync.Notice {
		t.Errorf("said %+v", s.events)
	}
	s.save(".mneme/sync.json", "xyzzy")
	if _, err := s.try(); !errors.Is(err, foldersync.ErrState) || strings.Contains(err.Error(), "xyzzy") {
		t.Errorf("a damaged state: %v", err)
	}
}

// The state of a folder belongs to one database.
func TestSyncDistinguishesDatabases(t *testing.T) {
	t.Setenv("PGPORT", "5433")
	t.Setenv("PGUSER", "ann")
	with := func(storage, dsn, dir string) string {
		t.Helper()
		config := configs.Default()
		config.Storage, config.Postgres.DSN, config.DataDir = storage, configs.Secret(dsn), dir
		server, err := (&syncing{}).server(config)
		if err != nil || strings.Contains(server, "xyzzy") {
			t.Fatalf("%s: %q, %v", dsn, server, err)
		}
		return server
	}
	const dsn = "postgres://ann:xyzzy@db:5433/mneme"
	for _, other := range []string{
		"postgres://ann:xyzzy@db2:5433/mneme", "postgres://ann:xyzzy@db:5434/mneme", "postgres://ann:xyzzy@db:5433/mneme2",
		"postgres://bob:xyzzy@db:5433/mneme", "postgres://ann:xyzzy@db:5433/mneme?search_path=two", "",
	} {
		if with("postgres", other, "data") == with("postgres", dsn, "data") {
			t.Errorf("%s is the same as %s", other, dsn)
		}
	}
	for _, same := range []string{"postgres://ann:other@db:5433/mneme", "host=db dbname=mneme"} {
		if with("postgres", same, "data2") != with("postgres", dsn, "data") {
			t.Errorf("%s is not the same as %s", same, dsn)
		}
	}
	dir := t.TempDir()
	if was := sha256.Sum256([]byte("sqlite\x00" + dir)); with("sqlite", dsn, dir) != "local "+hex.EncodeToString(was[:8]) {
		t.Error("folders synchronised with a SQLite database lose their state")
	}
	config := configs.Default()
	config.Storage, config.Postgres.DSN = "postgres", "postgres://ann:xyzzy@db:none/mneme"
	if _, err := (&syncing{}).server(config); err == nil || strings.Contains(err.Error(), "xyzzy") {
		t.Errorf("a DSN that cannot be read: %v", err)
	}
}

func TestSyncRefusesWhatItCannotKeep(t *testing.T) {
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Now: time.Now}})
	s := over(t, f.Service, t.TempDir(), "ada", acl.Public)
	s.save("bytes.md", "xyzzy\xff")
	s.save("hidden.md", "---\nin_context: false\n---\nxyzzy")
	s.save("over.md", "---\nexpires_at: 2001-01-01\n---\nxyzzy")
	s.save("a.md", "xyzzy 1")
	s.save("%61.md", "xyzzy 2")
	s.save("large.md", strings.Repeat("xyzzy ", 30000))
	r := s.want(1, 0, 0, 0, 0, 5)
	for _, p := range r.Problems {
		if strings.Contains(p.Reason, "xyzzy") || p.File == "" || s.text(p.File) == "" {
			t.Errorf("got %+v", p)
		}
	}
	if err := os.Symlink("a.md", s.path("link.md")); err != nil || !isLink(s.path("link.md")) {
		t.Skip("no links here")
	}
	s.want(0, 0, 0, 0, 0, 6)
	// Replacing a folder with a link does not delete the entries of its files.
	s.save("dir/b.md", "b")
	s.once()
	if err := errors.Join(os.Rename(s.path("dir"), s.dir+"-dir"), os.Symlink(s.dir+"-dir", s.path("dir"))); err != nil {
		t.Fatal(err)
	}
	s.want(0, 0, 0, 0, 0, 6)
	if s.value("dir/b") == "" {
		t.Error("its entry is deleted")
	}
	// An entry that cannot be written there is reported.
	s.put("dir/b", `"new"`)
	s.put("dir/c/d", `"d"`)
	for range 2 {
		var files []string
		for _, p := range s.want(0, 0, 0, 0, 0, 8).Problems {
			if strings.HasPrefix(p.Reason, "its folder is a link") {
				files = append(files, p.File)
			}
		}
		if !slices.Equal(files, []string{"dir/b.md", "dir/c/d.md"}) {
			t.Errorf("got %q", files)
		}
	}
	s.del("dir/b")
	s.want(0, 0, 0, 0, 0, 8)
}

// A call has at most 10,000,000 bytes, even for a single file.
func TestSyncReportsFilesThatNoCallHasRoomFor(t *testing.T) {
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Now: time.Now, Limits: memory.Limits{Value: 1 << 30}}})
	s := over(t, f.Service, t.TempDir(), "ada", acl.Public)
	s.save("a.md", strings.Repeat("x", 3_000_000))
	s.save("b.md", strings.Repeat("x", 8_000_000))
	s.save("large.md", strings.Repeat("x", 11_000_000))
	s.save("z.md", "z")
	s.put("there", `"x"`)
	r := s.want(3, 1, 0, 0, 0, 1)
	if r.Problems[0].File != "large.md" || s.text("there.md") != "x\n" || s.value("z") != `"z"` {
		t.Errorf("got %+v", r)
	}
}

// inParts writes only a few entries per call, for a server whose limit on batches is lower
// than the default one, which foldersync expects.
type inParts struct{ syncStore }

func (s inParts) Write(ctx context.Context, writes []foldersync.Write) (all []foldersync.Outcome, err error) {
	for some := range slices.Chunk(writes, 6) {
		outcomes, err := s.syncStore.Write(ctx, some)
		if err != nil {
			return nil, err
		}
		all = append(all, outcomes...)
	}
	return all, nil
}

func TestSyncReadsMoreThanOneCallHolds(t *testing.T) {
	room := size.Of(1_000_000, 10_000_000)
	limits := memory.Limits{Value: 1 << 30, Batch: memory.BatchLimits{Bytes: room}}
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Now: time.Now, Limits: limits}})
	s := over(t, f.Service, t.TempDir(), "ada", acl.Public)
	if !size.Full() {
		s.store = inParts{syncStore{s.source}}
	}
	for n := range 12 {
		s.save(fmt.Sprintf("%d.md", n), strings.Repeat("x", room/100*9))
	}
	s.want(12, 0, 0, 0, 0, 0)
	put := memory.PutRequest{Path: memory.Path{Store: "ada", Key: "large"}, Value: json.RawMessage(`"` + strings.Repeat("x", room/10*11) + `"`)}
	if _, err := f.Put(t.Context(), memory.Caller{Principal: acl.Principal{Agent: "ada", Taint: acl.Public}}, put); err != nil {
		t.Fatal(err)
	}
	s.want(0, 1, 0, 0, 0, 0)
	s.dir = t.TempDir()
	s.want(0, 13, 0, 0, 0, 0)
	for n := range 12 {
		s.save(fmt.Sprintf("%d.md", n), strings.Repeat("y", room/100*9))
	}
	s.want(12, 0, 0, 0, 0, 0)
	s.save("large.md", "small\n")
	s.save("0.md", "z\n")
	s.want(2, 0, 0, 0, 0, 0)
	if got := s.value("large"); got != `"small"` {
		t.Errorf("the value is %d bytes", len(got))
	}
	if _, err := f.Put(t.Context(), memory.Caller{Principal: acl.Principal{Agent: "ada", Taint: acl.Public}}, put); err != nil {
		t.Fatal(err)
	}
	s.want(0, 1, 0, 0, 0, 0)
	s.drop("large.md")
	s.save("0.md", "zz\n")
	s.want(1, 0, 1, 0, 0, 0)
	if got := s.value("large"); got != "" {
		t.Errorf("the deleted entry has %d bytes", len(got))
	}
}

// isLink reports whether a path is a symbolic link. Wine creates none.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

func TestSyncKeepsTheExpiryOfAnEntry(t *testing.T) {
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Now: time.Now}})
	s := over(t, f.Service, t.TempDir(), "ada", acl.Public)
	s.put("a", `"x"`, func(w *api.Write) { w.TTL = new(int64(86400)) })
	s.save("b.md", "---\nexpires_at: 2099-01-01\n---\n\ny\n")
	s.want(1, 1, 0, 0, 0, 0)
	before, _, _ := s.source.client.Get(t.Context(), s.entryPath("a"))
	s.save("a.md", strings.Replace(s.text("a.md"), "x\n", "z\n", 1))
	s.want(1, 0, 0, 0, 0, 0)
	s.want(0, 0, 0, 0, 0, 0)
	after, _, _ := s.source.client.Get(t.Context(), s.entryPath("a"))
	if string(after.Value) != `"z"` || before.ExpiresAt == nil || !before.ExpiresAt.Equal(*after.ExpiresAt) {
		t.Errorf("%v became %v, %s", before.ExpiresAt, after.ExpiresAt, after.Value)
	}
	b, _, _ := s.source.client.Get(t.Context(), s.entryPath("b"))
	if b.ExpiresAt == nil || b.ExpiresAt.Sub(time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)).Abs() > 2*time.Second {
		t.Errorf("b expires at %v", b.ExpiresAt)
	}
	s.save("a.md", "z\n")
	s.want(1, 0, 0, 0, 0, 0)
	if after, _, _ := s.source.client.Get(t.Context(), s.entryPath("a")); after.ExpiresAt != nil {
		t.Errorf("it expires at %v", after.ExpiresAt)
	}
}

// A session with a higher label reads entries with lower labels, and writes its own.
func TestSyncAtAHigherLabelLeavesLowerEntriesAlone(t *testing.T) {
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Now: time.Now}})
	public := over(t, f.Service, t.TempDir(), "ada", acl.Public)
	s := over(t, f.Service, t.TempDir(), "ada", acl.Confidential)
	public.put("a", `"one"`)
	public.put("b", `"one"`)
	public.put("c", `"one"`)
	s.want(0, 3, 0, 0, 0, 0)
	s.save("a.md", "secret\n")
	s.save("new.md", "secret\n")
	r := s.want(2, 0, 0, 0, 0, 0)
	s.want(0, 0, 0, 0, 0, 0)
	if s.value("a") != `"secret"` || public.value("a") != `"one"` || public.value("new") != "" {
		t.Errorf("got %+v; %s, %s", r, s.value("a"), public.value("a"))
	}
	s.drop("b.md")
	r = s.want(0, 0, 0, 0, 0, 1)
	if public.value("b") == "" || s.text("b.md") != "one\n" || !strings.Contains(r.Problems[0].Reason, "lower label") {
		t.Errorf("got %+v", r)
	}
	s.want(0, 0, 0, 0, 0, 0)
}

// A file that has just been saved is not read yet, and its entry gets no other file.
func TestSyncJoinsAFileThatHasJustBeenSavedWithItsEntry(t *testing.T) {
	for _, c := range []struct {
		file, key, text string
		conflicts       int
	}{
		{"a.md", "a", "theirs\n", 0}, {"a.md", "a", "mine\n", 1}, {"@n/dir/a.md", "n:dir/a", "mine\n", 1},
		{"a.markdown", "a", "theirs\n", 0}, {"%61.md", "a", "mine\n", 1}, {"A~b.md", "A~b", "theirs\n", 0},
	} {
		t.Run(fmt.Sprint(c.file, " ", c.conflicts), func(t *testing.T) {
			f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Now: time.Now}})
			s := over(t, f.Service, t.TempDir(), "ada", acl.Public)
			s.save(c.file, c.text)
			s.put(c.key, `"theirs"`)
			s.put("other", `"x"`)
			options := s.options()
			options.Settle = time.Hour
			syncer, err := foldersync.Open(s.store, options)
			if err != nil {
				t.Fatal(err)
			}
			defer syncer.Close()
			r, err := syncer.Once(t.Context())
			if err != nil || r.Done() != 1 || s.text("other.md") != "x\n" || len(s.visible()) != 2 || s.text(c.file) != c.text {
				t.Fatalf("while it changes: %+v, %v: %q", r, err, s.visible())
			}
			settled := time.Now().Add(-2 * options.Settle)
			if err := os.Chtimes(s.path(c.file), settled, settled); err != nil {
				t.Fatal(err)
			}
			r, err = syncer.Once(t.Context())
			if err != nil || len(r.Problems) > 0 || len(r.Conflicts) != c.conflicts || s.text(c.file) != "theirs\n" || len(s.visible()) != 2+c.conflicts {
				t.Fatalf("then: %+v, %v: %q", r, err, s.visible())
			}
			if c.conflicts == 1 && s.text(r.Conflicts[0].Reason) != c.text {
				t.Errorf("got %q", s.visible())
			}
		})
	}
}

func TestWatchedFolderAndStoreFollowEachOther(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *synced) {
		s.put("a", `"one"`)
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
		until := func(what string, ok func() bool) {
			t.Helper()
			wait.Until(t, what, func() error {
				if !ok() {
					return fmt.Errorf("the folder has %q, the store %q", s.visible(), s.entries())
				}
				return nil
			})
		}
		until("downloaded", func() bool { return s.text("a.md") == "one\n" })
		s.put("n:b", `"two"`)
		until("a new entry", func() bool { return s.text("@n/b.md") == "two\n" })
		s.save("new/dir/c.md", "three\n")
		until("a file in a new folder", func() bool { return s.value("new/dir/c") == `"three"` })
		s.save("new/dir/c.md", "four\n")
		until("an edit", func() bool { return s.value("new/dir/c") == `"four"` })
		s.drop("a.md")
		until("a deletion", func() bool { return s.value("a") == "" })
		s.del("n:b")
		until("a deletion in the store", func() bool { return s.text("@n/b.md") == "" })
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// failing is a Store that fails after a number of calls.
type failing struct {
	foldersync.Store
	left *int
}

var errFails = errors.New("the store fails")

func (f failing) fails() error {
	if *f.left--; *f.left < 0 {
		return errFails
	}
	return nil
}

func (f failing) Read(ctx context.Context, paths []memory.Path) ([]*foldersync.Found, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	return f.Store.Read(ctx, paths)
}

// Write fails before or after writing.
func (f failing) Write(ctx context.Context, writes []foldersync.Write) ([]foldersync.Outcome, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	out, err := f.Store.Write(ctx, writes)
	return out, errors.Join(err, f.fails())
}

func (f failing) Rename(ctx context.Context, from, to memory.Path, etag string) (foldersync.Outcome, error) {
	if err := f.fails(); err != nil {
		return foldersync.Outcome{}, err
	}
	out, err := f.Store.Rename(ctx, from, to, etag)
	return out, errors.Join(err, f.fails())
}

func (f failing) Restore(ctx context.Context, at memory.Path) (*foldersync.Found, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	found, err := f.Store.Restore(ctx, at)
	return found, errors.Join(err, f.fails())
}

func (f failing) Entries(ctx context.Context) iter.Seq2[*memory.Entry, error] {
	if err := f.fails(); err != nil {
		return func(yield func(*memory.Entry, error) bool) { yield(nil, err) }
	}
	return f.Store.Entries(ctx)
}

var tokenPattern = regexp.MustCompile(`tok-\d+-`)

// tokens returns the tokens in all texts.
func tokens(texts map[string]string) map[string]bool {
	all := make(map[string]bool)
	for _, text := range texts {
		for _, found := range tokenPattern.FindAllString(text, -1) {
			all[found] = true
		}
	}
	return all
}

// entries returns the values in the store, by path.
func (s *synced) entries() map[string]string {
	all := make(map[string]string)
	for e, err := range s.source.entries(context.Background()) {
		if err != nil {
			s.t.Fatal(err)
		}
		all[e.Namespace+":"+e.Key] = string(e.Value)
	}
	return all
}

// Whatever is written and deleted on both sides, and whenever a synchronization is
// interrupted, the last writes of each side are in the folder afterwards, and both sides
// are equal.
func TestSyncLosesNothing(t *testing.T) {
	by := 3
	if runtime.GOOS == "windows" { // its files are slow
		by = 10
	}
	for _, backend := range backendtest.Storages() {
		t.Run(backend.Name, func(t *testing.T) {
			t.Parallel()
			f := backendtest.Open(t, backend, backendtest.Options{Memory: memory.Options{Now: time.Now}})
			runs := 0
			backendtest.Check(t, by, func(_ testing.TB, r *rapid.T) {
				runs++
				dir, err := os.MkdirTemp(t.TempDir(), "")
				if err != nil {
					r.Fatal(err)
				}
				s := over(r, f.Service, dir, fmt.Sprint("ada-", runs), acl.Public)
				s.force = true
				editBothSides(r, s)
			})
		})
	}
}

func editBothSides(r *rapid.T, s *synced) {
	files := rapid.SampledFrom([]string{"a.md", "%61.md", "b.md", "dir/a.md", "dir/é.md", "@n/a.md", "50%.md"})
	keys := rapid.SampledFrom([]string{"a", "b", "dir/a", "dir/é", "n:a", "A", "50%", "trash/x"})
	heads := rapid.SampledFrom([]string{"", "# T\n\n", "---\ntags: [x]\n---\n", "---\nstatus: ok\ntags: y\n---\n\n# T\n", "---\nbad: [\n---\n", "---\r\ntype: user\r\n---\r\n"})
	values := rapid.SampledFrom([]string{`"%s"`, `"# T\n\n%s"`, `{"x":"%s"}`, `"---\nstatus: ok\n---\n\n%s\r\n"`, `"\u0007%s"`})
	count := 0
	fresh, seen := make(map[string]bool), make(map[string]bool)
	mark := func() string {
		count++
		made := fmt.Sprintf("tok-%d-", count)
		fresh[made] = true
		return made
	}
	forget := func(text string) { // whoever overwrites or deletes it has seen it
		for made := range tokens(map[string]string{"": text}) {
			delete(fresh, made)
			seen[made] = true
		}
	}
	synchronise := func(calls int) {
		left := calls
		if s.store = (syncStore{s.source}); calls > 0 {
			s.store = failing{s.store, &left}
		}
		here, there := tokens(s.visible()), tokens(s.entries())
		_, err := s.try()
		if err != nil && !errors.Is(err, errFails) {
			r.Fatal(err)
		}
		hereNow, thereNow := tokens(s.visible()), tokens(s.entries())
		for made := range here {
			if there[made] && !seen[made] && !hereNow[made] && !thereNow[made] {
				r.Errorf("%s was on both sides, and is on none", made)
			}
		}
		for made := range fresh {
			if !here[made] && !there[made] {
				continue // its own side overwrote or deleted it
			}
			if !hereNow[made] && (err == nil || !thereNow[made]) {
				r.Errorf("%s was new, and is lost", made)
			}
		}
		if err == nil {
			clear(fresh)
		}
	}
	r.Repeat(map[string]func(*rapid.T){
		"save": func(r *rapid.T) {
			name := files.Draw(r, "file")
			forget(s.text(name))
			s.save(name, heads.Draw(r, "head")+mark()+"\n")
		},
		"drop": func(r *rapid.T) {
			name := files.Draw(r, "file")
			forget(s.text(name))
			_ = os.Remove(s.path(name))
		},
		"rename": func(r *rapid.T) {
			from, to := files.Draw(r, "from"), files.Draw(r, "to")
			if s.text(from) != "" && s.text(to) == "" {
				s.save(to, s.text(from))
				s.drop(from)
			}
		},
		"put": func(r *rapid.T) {
			key := keys.Draw(r, "key")
			forget(s.value(key))
			s.put(key, fmt.Sprintf(values.Draw(r, "value"), mark()))
		},
		"del": func(r *rapid.T) {
			key := keys.Draw(r, "key")
			forget(s.value(key))
			s.del(key)
		},
		"both": func(r *rapid.T) {
			key := rapid.SampledFrom([]string{"a", "b", "dir/a"}).Draw(r, "key of both")
			forget(s.text(key+".md") + s.value(key))
			s.save(key+".md", mark()+"\n")
			s.put(key, fmt.Sprintf(values.Draw(r, "value"), mark()))
		},
		"sync":      func(*rapid.T) { synchronise(0) },
		"interrupt": func(r *rapid.T) { synchronise(rapid.IntRange(1, 6).Draw(r, "calls")) },
	})
	synchronise(0)
	s.once() // a file with the key of a deleted one replaces it
	report := s.once()
	if report.Done() > 0 {
		r.Errorf("a third synchronisation does something: %+v", report)
	}
	here, there := tokens(s.visible()), tokens(s.entries())
	for made := range there {
		if !here[made] {
			r.Errorf("%s is in the store alone", made)
		}
	}
	if len(report.Problems) == 0 && report.Waiting == 0 && len(here) != len(there) {
		r.Errorf("the folder has %v, the store %v", here, there)
	}
}
