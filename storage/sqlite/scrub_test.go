package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/lexical"
	"mneme/memory"
	"mneme/test/size"
	"mneme/test/wait"
)

// marker matches the texts that the tests write and look for: a field's name and a number.
var marker = regexp.MustCompile(`zq[a-z]+[0-9]{3,5}`)

// raw returns the markers in the files of a folder, in any case, with the file of each.
func raw(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range marker.FindAll(bytes.ToLower(content), -1) {
			found[string(one)] = file.Name()
		}
	}
	return found
}

// marked writes an entry with a distinct marker in every field, three times, so that former
// versions have different markers.
func marked(t *testing.T, tx memory.Tx, rng *rand.Rand, n, size int) memory.Entry {
	t.Helper()
	e := newEntry(fmt.Sprintf("%s/zqkey%05d", strings.Repeat("k", rng.IntN(60)), n), "")
	for version := range 3 {
		if version > 0 {
			e.Version, e.Revision = e.Version+1, e.Revision+1
		}
		e.Description = fmt.Sprintf("zqdescription%05d of version %d", n, version)
		e.Tags = []string{fmt.Sprintf("zqtag%05d", n), "common"}
		e.Source = json.RawMessage(fmt.Sprintf(`"zqsource%05d"`, n))
		words := strings.Repeat(fmt.Sprintf("filler%d ", rng.IntN(1000)), rng.IntN(size))
		e.Value = json.RawMessage(fmt.Sprintf(`"zqvalue%05d of version %d %szqend%05d"`, n, version, words, n))
		text := string(e.Value) + " " + e.Description + " " + e.Key + " " + e.Tags[0]
		must(t, tx.Put(t.Context(), e, lexical.Analyze(text)))
	}
	return e
}

// markedAndDeleted writes an entry by marked in its own transaction, and deletes it.
func markedAndDeleted(t *testing.T, s *Storage, n int) {
	t.Helper()
	must(t, s.Update(t.Context(), func(tx memory.Tx) error {
		e := marked(t, tx, rand.New(rand.NewPCG(1, uint64(n))), n, 50)
		e.Revision, e.DeletedAt = e.Revision+1, noon
		return tx.Put(t.Context(), e, lexical.Document{})
	}))
}

// After a purge no file contains a byte of the erased entries, whatever their sizes and the
// sizes of the entries between them.
func TestNoFileHoldsWhatWasPurged(t *testing.T) {
	t.Parallel()
	for _, length := range []int{2, 40, 400, 3000} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			s := openAt(t, filepath.Join(folder, "mneme.db"))
			defer func() { _ = s.Close() }()
			rng := rand.New(rand.NewPCG(1, uint64(length)))
			var gone []memory.Entry
			batches := 10
			if length == 3000 { // at this length, each entry has its own pages
				batches = size.Of(4, 10)
			}
			for batch := range batches { // pages are split between these transactions
				must(t, s.Update(t.Context(), func(tx memory.Tx) error {
					for n := 25 * batch; n < 25*(batch+1); n++ {
						e := marked(t, tx, rng, n, length)
						if n%3 > 0 {
							gone = append(gone, e)
							continue
						}
						stays := lexical.Analyze("what stays " + strings.Repeat("word ", rng.IntN(length)))
						must(t, tx.Put(t.Context(), newEntry(fmt.Sprint("stays/", n), "other"), stays))
					}
					return nil
				}))
			}
			must(t, s.Update(t.Context(), func(tx memory.Tx) error {
				for _, e := range gone {
					e.Revision, e.DeletedAt = e.Revision+1, noon
					must(t, tx.Put(t.Context(), e, lexical.Document{}))
				}
				return nil
			}))
			purgeAll(t, s, len(gone))
			at, err := s.Scrub(t.Context(), stopped(noon.Add(time.Hour)))
			if err != nil || !at.Equal(noon.Add(time.Hour)) {
				t.Fatalf("scrubbed at %v, %v", at, err)
			}
			found := raw(t, folder)
			for _, e := range gone {
				number := e.Tags[0][len("zqtag"):]
				for _, field := range []string{"zqkey", "zqvalue", "zqend", "zqtag", "zqdescription", "zqsource"} {
					if file := found[field+number]; file != "" {
						t.Errorf("%s%s is in %s", field, number, file)
					}
				}
			}
			if found["zqvalue00000"] == "" {
				t.Error("what was not purged is not there")
			}
			must(t, s.Check(t.Context()))
			left, err := s.Unscrubbed(t.Context())
			if err != nil || left.Pending || left.Urgent || !left.Last.Equal(noon.Add(time.Hour)) {
				t.Errorf("left: %+v, %v", left, err)
			}
		})
	}
}

// FTS5 merges segments depending on their number and sizes, and a merge does not always drop
// deleted entries.
func TestNoFileHoldsPurgedWordsHoweverTheirIndexWasMerged(t *testing.T) {
	t.Parallel()
	for transactions := range size.Of(9, 20) {
		t.Run(fmt.Sprint(transactions+1, " transactions"), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			s := openAt(t, filepath.Join(folder, "mneme.db"))
			write := func(first, each int) (all []memory.Entry) {
				rng := rand.New(rand.NewPCG(1, 2))
				for range transactions + 1 {
					must(t, s.Update(t.Context(), func(tx memory.Tx) error {
						for range each {
							all = append(all, marked(t, tx, rng, first+len(all), 2))
						}
						return nil
					}))
				}
				return all
			}
			purge := func(gone []memory.Entry, kept int) {
				must(t, s.Update(t.Context(), func(tx memory.Tx) error {
					for _, e := range gone {
						e.Revision, e.DeletedAt = e.Revision+1, noon
						must(t, tx.Put(t.Context(), e, lexical.Document{}))
					}
					return nil
				}))
				purgeAll(t, s, len(gone))
				_, err := s.Scrub(t.Context(), stopped(noon.Add(time.Hour)))
				must(t, err)
				found := raw(t, folder)
				for _, e := range gone {
					number := e.Tags[0][len("zqtag"):]
					if file := found["zqend"+number] + found["zqtag"+number]; file != "" {
						t.Errorf("%d entries purged: %s is in %s", len(gone), number, file)
					}
				}
				key := lexical.FormKeys(1, acl.Public, lexical.Analyze("version").Forms[:1])
				must(t, s.view(t.Context(), func(r *readTx) error {
					var n int
					_, err := r.one(t.Context(), []any{&n}, "SELECT count(*) FROM word CROSS JOIN entry e ON e.doc = word.rowid WHERE word.word MATCH ?", `"`+key+`"`)
					if n != kept {
						t.Errorf("%d entries have the word, want %d", n, kept)
					}
					return err
				}))
			}
			many := write(0, 25) // their index has several pages, and levels
			purge(many[len(many)/3:], len(many)/3)
			purge(many[:len(many)/3], 0)
			few := write(len(many), 1) // an index of one page
			purge(few[1:], 1)
			must(t, s.Close())
			s = openAt(t, filepath.Join(folder, "mneme.db")) // FTS5 checks against the cache of a new connection
			must(t, errors.Join(s.Check(t.Context()), s.Close()))
		})
	}
}

func purgeAll(t *testing.T, s *Storage, want int) {
	t.Helper()
	purged := 0
	for {
		n := 0
		must(t, s.Update(t.Context(), func(tx memory.Tx) error {
			ids, err := tx.Purge(t.Context(), noon.Add(time.Second), 100)
			n = len(ids)
			return err
		}))
		if purged += n; n == 0 {
			break
		}
	}
	if purged != want {
		t.Fatalf("%d entries were purged, want %d", purged, want)
	}
}

// stopped returns a clock that always shows t.
func stopped(t time.Time) func() time.Time { return func() time.Time { return t } }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The next scrub also removes former versions dropped from the history.
func TestNoFileHoldsWhatHistoryDropped(t *testing.T) {
	folder := t.TempDir()
	s := openAt(t, filepath.Join(folder, "mneme.db"))
	defer func() { _ = s.Close() }()
	e := newEntry("k", "")
	for version := range 50 {
		if version > 0 {
			e.Version, e.Revision = e.Version+1, e.Revision+1
		}
		e.Value = json.RawMessage(fmt.Sprintf(`"zqversion%03d %s"`, version, strings.Repeat("filler ", version*7)))
		must(t, s.Update(t.Context(), func(tx memory.Tx) error {
			if err := tx.Put(t.Context(), e, lexical.Analyze(string(e.Value))); err != nil {
				return err
			}
			return tx.TrimHistory(t.Context(), e.ID, memory.HistoryLimits{Versions: 3, Bytes: 1 << 20})
		}))
	}
	left, err := s.Unscrubbed(t.Context())
	if err != nil || !left.Pending {
		t.Fatalf("%+v, %v", left, err)
	}
	if _, err := s.Scrub(t.Context(), stopped(noon)); err != nil {
		t.Fatal(err)
	}
	found := raw(t, folder)
	for version := range 50 {
		if file := found[fmt.Sprintf("zqversion%03d", version)]; (file != "") != (version >= 47) {
			t.Errorf("version %d is in %q", version, file)
		}
	}
}

// One process scrubs what another one erased, since the database records that a scrub is due.
func TestAnotherProcessScrubs(t *testing.T) {
	folder := t.TempDir()
	first, second := openAt(t, filepath.Join(folder, "mneme.db")), openAt(t, filepath.Join(folder, "mneme.db"))
	defer func() { _ = second.Close() }()
	markedAndDeleted(t, first, 6)
	purgeAll(t, first, 1)
	if _, err := first.Scrub(t.Context(), stopped(noon)); err != nil {
		t.Fatal(err)
	}
	markedAndDeleted(t, first, 7)
	purgeAll(t, first, 1)
	must(t, first.Close())
	left, err := second.Unscrubbed(t.Context())
	if err != nil || !left.Pending || !left.Urgent || !left.Last.Equal(noon) {
		t.Fatalf("%+v, %v", left, err)
	}
	if at, err := second.Scrub(t.Context(), stopped(noon.Add(time.Minute))); err != nil || !at.Equal(noon.Add(time.Minute)) {
		t.Fatal(at, err)
	}
	if found := raw(t, folder); len(found) > 0 {
		t.Error(found)
	}
	if at, err := second.Scrub(t.Context(), stopped(noon.Add(time.Hour))); err != nil || !at.Equal(noon.Add(time.Minute)) {
		t.Errorf("with nothing left: %v, %v", at, err)
	}
}

// Continuous searches do not keep erased data in the log. A reader of an older state does: then
// Scrub fails with memory.ErrHeld.
func TestReadersDelayAScrubOnly(t *testing.T) {
	folder := t.TempDir()
	s := openAt(t, filepath.Join(folder, "mneme.db"))
	defer func() { _ = s.Close() }()
	markedAndDeleted(t, s, 8)
	started, release := make(chan struct{}), make(chan struct{})
	held := make(chan error, 1)
	go func() {
		held <- s.View(context.Background(), func(tx memory.ReadTx) error {
			_, err := tx.Meta(context.Background(), "none")
			close(started)
			<-release
			return err
		})
	}()
	<-started
	purgeAll(t, s, 1)
	if at, err := s.Scrub(t.Context(), stopped(noon)); !errors.Is(err, memory.ErrHeld) || !at.IsZero() {
		t.Errorf("beside a reader of an older state: %v, %v", at, err)
	}
	room := s.freeBytes
	s.freeBytes = func(string) (uint64, error) { return 0, nil } // the file is not rewritten again
	close(release)
	must(t, <-held)
	_, err := s.Scrub(t.Context(), stopped(noon))
	must(t, err)
	s.freeBytes = room
	markedAndDeleted(t, s, 9)
	purgeAll(t, s, 1)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	for range 3 {
		go func() {
			for ctx.Err() == nil {
				_ = s.View(context.Background(), func(tx memory.ReadTx) error {
					_, err := tx.Meta(context.Background(), "none")
					return err
				})
			}
			done <- struct{}{}
		}()
	}
	wait.Until(t, "the log is truncated beside searches without end", func() error {
		_, err := s.Scrub(t.Context(), stopped(noon))
		return err
	})
	stop()
	for range 3 {
		<-done
	}
	if found := raw(t, folder); len(found) > 0 {
		t.Error(found)
	}
}

// A database that never erased anything has nothing to scrub. The migration keeps the state of
// all others.
func TestANewDatabaseHasNothingToScrub(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mneme.db")
	for _, test := range []struct {
		row  string // as the version before the migration had it; "": a new database
		want memory.Unscrubbed
	}{
		{"", memory.Unscrubbed{}},
		{"erased = 1, scrubbed = 0, urgent = 0, scrubbed_at = 0", memory.Unscrubbed{}},
		{"erased = 1, scrubbed = 0, urgent = 1, scrubbed_at = 0", memory.Unscrubbed{Pending: true, Urgent: true}},
		{"erased = 2, scrubbed = 0, urgent = 0, scrubbed_at = 0", memory.Unscrubbed{Pending: true}},
		{"erased = 2, scrubbed = 1, urgent = 0, scrubbed_at = 5", memory.Unscrubbed{Pending: true, Last: time.UnixMicro(5).UTC()}},
		{"erased = 1, scrubbed = 1, urgent = 0, scrubbed_at = 5", memory.Unscrubbed{Last: time.UnixMicro(5).UTC()}},
	} {
		s := openAt(t, path)
		if test.row != "" {
			must(t, s.writers.with(t.Context(), func(c *session) error {
				for _, statement := range []string{"UPDATE erasure SET " + test.row, "DELETE FROM goose_db_version WHERE version_id >= 14"} {
					if _, err := c.exec(statement); err != nil {
						return err
					}
				}
				return nil
			}))
			must(t, s.Close())
			s = openAt(t, path)
		}
		if left, err := s.Unscrubbed(t.Context()); err != nil || left != test.want {
			t.Errorf("%s: left %+v, want %+v; %v", test.row, left, test.want, err)
		}
		must(t, s.Close())
	}
}
