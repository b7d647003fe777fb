package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mneme/internal/system"
	"mneme/lexical"
	"mneme/memory"
	"mneme/test/size"
)

// keepEntries writes a few MB of entries that stay, including their index.
func keepEntries(t *testing.T, s *Storage) {
	t.Helper()
	must(t, s.Update(t.Context(), func(tx memory.Tx) error {
		for n := range keptEntries {
			if err := tx.Put(t.Context(), newEntry(fmt.Sprint("kept/", n), keptText(n)), lexical.Analyze(keptText(n))); err != nil {
				return err
			}
		}
		return nil
	}))
}

const keptEntries = 500

func keptText(n int) string {
	return strings.Repeat(fmt.Sprint("kept word", n%7, " "), 100) + fmt.Sprint("number", n)
}

// wantKept checks the integrity of the file, and that it still contains the entries of
// keepEntries unchanged.
func wantKept(t *testing.T, s *Storage) {
	t.Helper()
	var found string
	must(t, s.view(t.Context(), func(r *readTx) error {
		_, err := r.one(t.Context(), []any{&found}, "PRAGMA integrity_check(1)")
		return err
	}))
	n := 0
	must(t, s.View(t.Context(), func(tx memory.ReadTx) error {
		return tx.Dump(t.Context(), func(record memory.DumpRecord) error {
			if e := record.Entry; e != nil && strings.HasPrefix(e.Key, "kept/") {
				var number int
				if _, err := fmt.Sscanf(e.Key, "kept/%d", &number); err != nil {
					return err
				}
				if want, _ := json.Marshal(keptText(number)); bytes.Equal(e.Value, want) {
					n++
				}
			}
			return nil
		})
	}))
	if hits := countHits(t, s, "kept"); found != "ok" || n != keptEntries || hits != keptEntries {
		t.Fatalf("the check says %q; %d entries are left, %d are found", found, n, hits)
	}
}

// A process that is killed while it scrubs loses nothing, and another process scrubs the rest.
func TestKilledScrubsLoseNothing(t *testing.T) {
	const variable = "MNEME_TEST_SCRUBBED_FILE"
	if path := os.Getenv(variable); path != "" {
		s := openAt(t, path)
		for n := 0; ; n++ {
			fmt.Println("erase")
			markedAndDeleted(t, s, n)
			purgeLeft(t, s)
			fmt.Println("scrub")
			_, err := s.Scrub(t.Context(), time.Now)
			must(t, err)
		}
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "mneme.db")
	s := openAt(t, path)
	keepEntries(t, s)
	must(t, s.Close())
	killed := 0 // number of processes killed during a scrub
	for range size.Of(24, 200) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledScrubsLoseNothing$")
		cmd.Env = append(os.Environ(), variable+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if scrubs(t, out, func() { _ = cmd.Process.Kill() }) {
			killed++
		}
		_ = cmd.Wait() // it was killed
		s := openAt(t, path)
		wantKept(t, s)
		left, err := s.Unscrubbed(t.Context())
		if err != nil || left.Pending != left.Urgent {
			t.Fatalf("%+v, %v", left, err)
		}
		must(t, s.Close())
	}
	if killed == 0 {
		t.Error("none was killed while it scrubbed")
	}
	s = openAt(t, path)
	markedAndDeleted(t, s, 99_999)
	purgeLeft(t, s)
	_, err := s.Scrub(t.Context(), time.Now)
	must(t, err)
	wantKept(t, s)
	must(t, s.Close())
	if found := raw(t, folder); len(found) > 0 {
		t.Error(found)
	}
}

// purgeLeft purges deleted entries, including those of a process that was killed before its
// purge.
func purgeLeft(t *testing.T, s *Storage) {
	t.Helper()
	must(t, s.Update(t.Context(), func(tx memory.Tx) error {
		_, err := tx.Purge(t.Context(), noon.Add(time.Second), 100)
		return err
	}))
}

// scrubs calls kill at a random time after the process began to scrub, and reports whether it
// was scrubbing then.
func scrubs(t *testing.T, out io.Reader, kill func()) (last bool) {
	t.Helper()
	lines := bufio.NewScanner(out)
	var timer *time.Timer
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		last = lines.Text() == "scrub"
		if last && timer == nil {
			timer = time.AfterFunc(time.Duration(rand.IntN(300_000))*time.Microsecond, kill)
		}
	}
	if timer == nil {
		t.Fatalf("the process did not scrub: %q", said)
	}
	return last
}

// An interrupted rewrite changes nothing and releases its disk space.
func TestAnInterruptedScrubChangesNothing(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "it's one's folder")
	s := openAt(t, filepath.Join(folder, "mneme.db"))
	defer func() { _ = s.Close() }()
	keepEntries(t, s)
	markedAndDeleted(t, s, 1)
	purgeAll(t, s, 1)
	for range size.Of(10, 100) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(100_000))*time.Microsecond)
		_, err := s.Scrub(ctx, stopped(noon))
		cancel()
		if err == nil {
			markedAndDeleted(t, s, 1)
			purgeAll(t, s, 1)
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	wantKept(t, s)
	s.freeBytes = func(string) (uint64, error) { return 1 << 20, nil }
	s.rewritten.Store(0)
	if _, err := s.Scrub(t.Context(), stopped(noon)); !errors.Is(err, memory.ErrUnavailable) {
		t.Fatalf("without room: %v", err)
	}
	if log, err := os.Stat(s.path + "-wal"); err != nil || log.Size() > 0 {
		t.Errorf("the log has %d bytes, %v", log.Size(), err)
	}
	left, err := s.Unscrubbed(t.Context())
	if err != nil || !left.Urgent {
		t.Errorf("%+v, %v", left, err)
	}
	s.freeBytes = system.FreeBytes
	_, err = s.Scrub(t.Context(), stopped(noon))
	must(t, err)
	wantKept(t, s)
	if found := raw(t, folder); len(found) > 0 {
		t.Error(found)
	}
}

// Transactions wait longer for a process that rewrites the file than for others. However many
// processes scrub, the files are rewritten once.
func TestOthersWaitForARewrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	holder, waiter := openAt(t, path), openAt(t, path)
	defer func() { _ = errors.Join(holder.Close(), waiter.Close()) }()
	waiter.writers.patience = time.Millisecond
	markedAndDeleted(t, holder, 1)
	purgeAll(t, holder, 1)
	must(t, holder.Update(t.Context(), func(memory.Tx) error {
		for what, call := range map[string]func() error{
			"a write": func() error { return waiter.Update(t.Context(), func(memory.Tx) error { return nil }) },
			"a scrub": func() error { _, err := waiter.Scrub(t.Context(), stopped(noon)); return err },
		} {
			if err := call(); !errors.Is(err, memory.ErrUnavailable) {
				t.Errorf("%s beside another transaction: %v", what, err)
			}
		}
		return nil
	}))
	unlock, err := system.Lock(rewriteLock(path))
	must(t, err)
	waited := make(chan error, 1)
	must(t, holder.Update(t.Context(), func(memory.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := waiter.Update(ctx, func(memory.Tx) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("beside a rewrite: %v", err)
		}
		go func() { waited <- waiter.Update(t.Context(), func(memory.Tx) error { return nil }) }()
		return nil
	}))
	must(t, <-waited)
	must(t, unlock())
	scrubbed := make(chan error, 2)
	for _, s := range []*Storage{holder, waiter} {
		go func() {
			_, err := s.Scrub(t.Context(), stopped(noon))
			scrubbed <- err
		}()
	}
	must(t, errors.Join(<-scrubbed, <-scrubbed))
	if a, b := holder.rewritten.Load(), waiter.rewritten.Load(); (a == 0) == (b == 0) {
		t.Errorf("rewritten by the one: %d erasures, by the other: %d", a, b)
	}
}

// A rewrite takes little memory, however large the file is. The test measures the memory of the
// process, because SQLite's pages are not in the heap of Go, and SQLite keeps a part of what it
// has taken once.
func TestARewriteTakesLittleMemory(t *testing.T) {
	const variable, most = "MNEME_TEST_REWRITTEN_FILE", 48 << 10 // KiB
	if path := os.Getenv(variable); path != "" {
		s := openAt(t, path)
		before := residentMemory(t, "VmRSS")
		_, err := s.Scrub(t.Context(), time.Now)
		must(t, err)
		if peak := residentMemory(t, "VmHWM"); peak-before > most {
			t.Errorf("it took %d KiB", peak-before)
		}
		must(t, s.Close())
		return
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the system does not say what memory a process has")
	}
	path := filepath.Join(t.TempDir(), "mneme.db")
	s := openAt(t, path)
	must(t, s.writers.with(t.Context(), func(c *session) error { // writes more than the caches hold
		_, err := c.exec("CREATE TABLE filler AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) SELECT i, zeroblob(3000) FROM n")
		return err
	}))
	markedAndDeleted(t, s, 1)
	purgeAll(t, s, 1)
	must(t, s.Close())
	cmd := exec.Command(os.Args[0], "-test.run=^TestARewriteTakesLittleMemory$")
	cmd.Env = append(os.Environ(), variable+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// residentMemory returns a line of /proc/self/status in KiB.
func residentMemory(t *testing.T, name string) (size int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	must(t, err)
	_, rest, _ := strings.Cut(string(status), "\n"+name+":")
	_, err = fmt.Sscan(rest, &size)
	must(t, err)
	return size
}
