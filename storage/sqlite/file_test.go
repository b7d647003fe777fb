package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/indexer"
	"mneme/internal/system"
	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

var noon = time.Date(2030, 5, 17, 12, 0, 0, 0, time.UTC)

func newEntry(key, words string) memory.Entry {
	value, _ := json.Marshal(words)
	return memory.Entry{ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: "a", Key: key}, Owner: "a", Label: acl.Public,
		Value: value, InContext: true, Version: 1, Revision: 1, CreatedAt: noon, UpdatedAt: noon, UpdatedBy: "a"}
}

func putEntry(ctx context.Context, s *Storage, e memory.Entry, words string) error {
	return s.Update(ctx, func(tx memory.Tx) error { return tx.Put(ctx, e, lexical.Analyze(words)) })
}

// countHits returns the number of entries that a query finds.
func countHits(t *testing.T, s *Storage, query string) (n int) {
	t.Helper()
	if err := s.View(t.Context(), func(tx memory.ReadTx) error {
		hits, _, err := tx.Lexical(t.Context(), acltest.Scope(t, acltest.Reach{Number: 1, Ceiling: acl.Public}),
			memory.LexicalQuery{Terms: lexical.ParseQuery(query), Limit: 1000, Now: noon})
		n = len(hits)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestFilesAreAccessibleToTheirOwnerOnly(t *testing.T) {
	name := "new folder ?#%"
	if runtime.GOOS == "windows" {
		name = "new folder #%" // Windows allows no question marks in names
	}
	folder := filepath.Join(t.TempDir(), name)
	path := filepath.Join(folder, "mneme.db")
	s := openAt(t, path)
	defer func() { _ = s.Close() }()
	if err := putEntry(t.Context(), s, newEntry("k", "words"), "words"); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		// Windows has no modes. The other files inherit the folder's access list, but not in
		// Wine.
		for _, name := range []string{folder, path} {
			f, err := system.Open(name)
			if err == nil {
				err = errors.Join(system.CheckPrivate(f), f.Close())
			}
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(name), err)
			}
		}
		return
	}
	for name, want := range map[string]fs.FileMode{folder: 0o700 | fs.ModeDir, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", filepath.Base(name), info.Mode(), want)
		}
	}
}

func TestWritesSurviveReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	if err := putEntry(t.Context(), s, newEntry("k", "needle"), "needle"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	defer func() { _ = s.Close() }()
	if n := countHits(t, s, "needle"); n != 1 {
		t.Errorf("%d entries found", n)
	}
}

// A connection whose ROLLBACK failed may have an open transaction.
func TestAConnectionInAnUnknownStateIsNotUsedAgain(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	if err := putEntry(t.Context(), s, newEntry("k", "needle"), "needle"); err != nil {
		t.Fatal(err)
	}
	if err := s.writers.with(t.Context(), func(c *session) error {
		_, err := c.exec("CREATE TEMP TABLE mine (a)")
		c.broken = true
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.writers.with(t.Context(), func(c *session) error {
		_, err := c.exec("INSERT INTO mine VALUES (1)")
		return err
	}); err == nil {
		t.Error("the connection is used again")
	}
	if n := countHits(t, s, "needle"); n != 1 {
		t.Errorf("%d entries found", n)
	}
}

func TestAFileOfANewerVersionIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	err := s.writers.with(t.Context(), func(c *session) error {
		_, err := c.conn.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)")
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); !errors.Is(err, ErrNewer) {
		t.Errorf("error is %v", err)
	}
}

func TestOpeningAnotherKindOfFileFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); err == nil {
		t.Error("no error")
	}
}

func TestAFileOfAVersionThatIsTooOldIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	err := s.writers.with(t.Context(), func(c *session) error {
		_, err := c.conn.ExecContext(t.Context(), "UPDATE goose_db_version SET version_id = 5 WHERE version_id > 0")
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path); !errors.Is(err, ErrOlder) || !strings.Contains(err.Error(), "export its entries") {
		t.Errorf("error is %v", err)
	}
	if _, _, err := ReadSchema(t.Context(), path); !errors.Is(err, ErrOlder) {
		t.Errorf("its schema: error is %v", err)
	}
}

func TestPurgedWordsAreErasedFromTheFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	defer func() { _ = s.Close() }()
	e := newEntry("k", "xyzzyplugh")
	contains := func() bool {
		found := false
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			found = found || bytes.Contains(content, []byte("xyzzyplugh"))
		}
		return found
	}
	must(t, putEntry(t.Context(), s, e, "xyzzyplugh"))
	if !contains() {
		t.Fatal("the files do not contain the word before the purge")
	}
	e.Revision, e.DeletedAt = 2, noon
	must(t, putEntry(t.Context(), s, e, ""))
	for range 2 {
		must(t, s.Update(t.Context(), func(tx memory.Tx) error {
			_, err := tx.Purge(t.Context(), noon.Add(time.Second), 10)
			return err
		}))
	}
	if _, err := s.Scrub(t.Context(), stopped(noon)); err != nil {
		t.Fatal(err)
	}
	if contains() {
		t.Error("the files contain a purged word")
	}
}

func TestAFullDiskIsUnavailableAndNothingIsWritten(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	ctx := t.Context()
	limit := func(pages string) {
		if err := s.writers.with(ctx, func(c *session) error {
			_, err := c.conn.ExecContext(ctx, "PRAGMA max_page_count = "+pages)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	limit("1") // SQLite raises the limit to the current number of pages
	words := string(bytes.Repeat([]byte("needle in a heap of hay "), 4000))
	err := s.Update(ctx, func(tx memory.Tx) error {
		_ = tx.Put(ctx, newEntry("large", words), lexical.Analyze(words))
		// A caller that ignores the error must not write outside the transaction.
		return tx.SetMeta(ctx, "name", []byte("value"))
	})
	if !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("error is %v", err)
	}
	limit("1000000")
	if err := putEntry(ctx, s, newEntry("small", "thread"), "thread"); err != nil {
		t.Fatalf("afterwards: %v", err)
	}
	if n := countHits(t, s, "needle thread"); n != 1 {
		t.Errorf("%d entries found", n)
	}
	if err := s.View(ctx, func(tx memory.ReadTx) error {
		value, err := tx.Meta(ctx, "name")
		if value != nil {
			t.Error("something was written")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestWaitingForAnotherWriterEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	holder, waiter := openAt(t, path), openAt(t, path)
	defer func() { _ = errors.Join(holder.Close(), waiter.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	err := holder.Update(t.Context(), func(memory.Tx) error {
		time.AfterFunc(20*time.Millisecond, cancel)
		if err := waiter.Update(ctx, func(memory.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := waiter.Update(t.Context(), func(memory.Tx) error { return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// perProcess is the number of entries that each process of TestProcessesShareAFile writes.
const perProcess = 40

func TestProcessesShareAFile(t *testing.T) {
	const variable = "MNEME_TEST_SQLITE_FILE"
	if path := os.Getenv(variable); path != "" {
		s := openAt(t, path)
		for i := range perProcess {
			if err := putEntry(t.Context(), s, newEntry(fmt.Sprint(os.Getpid(), "/", i), "needle"), "needle"); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	path := filepath.Join(memoryFolder(t), "mneme.db") // processes wait for each other, not the disk
	// The file does not exist yet, so the processes also race to migrate it.
	var others []*exec.Cmd
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestProcessesShareAFile$")
		cmd.Env = append(os.Environ(), variable+"="+path)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		others = append(others, cmd)
	}
	s := openAt(t, path)
	defer func() { _ = s.Close() }()
	for i := range perProcess {
		if err := putEntry(t.Context(), s, newEntry(fmt.Sprint("parent/", i), "needle"), "needle"); err != nil {
			t.Fatal(err)
		}
	}
	for _, cmd := range others {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("another process: %v", err)
		}
	}
	if n := countHits(t, s, "needle"); n != 4*perProcess {
		t.Errorf("%d entries found, want %d", n, 4*perProcess)
	}
}

func TestATransactionFailsAfterItsFunctionReturned(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	var kept memory.Tx
	if err := s.Update(t.Context(), func(tx memory.Tx) error { kept = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := kept.SetMeta(t.Context(), "name", nil); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("error is %v", err)
	}
	if err := kept.(indexer.Tx).AllVectors(t.Context(), "", func(vector.Record) error { return nil }); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("error is %v", err)
	}
}
