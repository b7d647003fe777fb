package sqlite

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/storage"
	"mneme/storage/storagetest"
)

func openAt(t testing.TB, path string) *Storage {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return s
}

// recorder is a storage that records the statements it ran when it is closed.
type recorder struct {
	*Storage
	record func(statement string)
}

// Close implements memory.Storage.
func (r recorder) Close() error {
	if r.gate.Enter() == nil { // it is not closed
		r.gate.Leave()
		for _, p := range []*pool{r.readers, r.writers} {
			for _, s := range p.idle {
				for statement := range s.statements {
					r.record(statement)
				}
			}
		}
	}
	return r.Storage.Close()
}

// emptyFile returns the file of an empty database.
func emptyFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "mneme.db") // Open creates the folder, too
	if err := openAt(t, path).Close(); err != nil {        // Close moves the log into the file
		t.Fatal(err)
	}
	empty, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return empty
}

// memoryFolder returns a folder in a memory-backed file system, if there is one: the suite
// makes hundreds of databases, and does not depend on the disk.
func memoryFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "mneme-test-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestStorage(t *testing.T) {
	var mu sync.Mutex
	statements := make(map[string]bool)
	empty := emptyFile(t)
	storagetest.Run(t, func(t testing.TB) storage.Storage {
		path := filepath.Join(memoryFolder(t), "mneme.db")
		if err := os.WriteFile(path, empty, 0o600); err != nil {
			t.Fatal(err)
		}
		return recorder{openAt(t, path), func(statement string) {
			mu.Lock()
			defer mu.Unlock()
			statements[statement] = true
		}}
	})
	t.Run("only listed statements scan whole tables", func(t *testing.T) {
		if len(statements) < 80 && !t.Failed() {
			t.Skip("needs the whole suite")
		}
		checkPlans(t, slices.Sorted(maps.Keys(statements)))
	})
}

// fullScans maps the statements that may scan a whole table to the reason.
var fullScans = map[string]string{
	"vector.all":             "reconciling an index",
	"entry.count_unembedded": "counting what a reindex has to embed, once",
	"change.last":            "sqlite_sequence has one row per table",
	"word.all_forms":         "there are few",
	"grant.all":              "a dump",
	"participant.all":        "a dump",
	"session.all":            "a dump",
	"setting.all":            "a dump",
	"name.all":               "a dump",
	"feed.excess":            "once an hour",
	"vector.stores":          "loading an index",
	"model.drop":             "there are few",
	"reading.all":            "a dump",

	// These scan the smallest index of the table.
	"queue.count": "counting the queue",
	"queue.aged":  "percentiles of the queue",

	"reading.count_english":      "an operator asks",
	"reading.count_multilingual": "an operator asks",
	// These scan an index that has only the stores whose entries are being embedded again.
	"reading.count_stores_unread": "they are few",
	"reading.indexed":             "they are few",

	"offer.all":    "a dump",
	"ledger.all":   "a dump",
	"charge.all":   "a dump",
	"bought.all":   "a dump",
	"count.all":    "a dump",
	"claim.paid":   "a dump",
	"ledger.last":  "its last row alone",
	"claim.lapsed": "the index has pending claims alone, which are few",
}

// checkPlans checks SQLite's query plan of each statement. Only parameters (json_each and
// tables derived from it) and fullScans may be scanned.
func checkPlans(t *testing.T, texts []string) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	for _, statement := range texts {
		if verb, _, _ := strings.Cut(statement, " "); verb == "BEGIN" || verb == "COMMIT" || verb == "ROLLBACK" || fullScans[statement] != "" {
			continue
		}
		for _, step := range s.plan(t, statement) {
			switch {
			case !strings.HasPrefix(step, "SCAN "), strings.Contains(step, "VIRTUAL TABLE"), strings.HasPrefix(step, "SCAN CONSTANT ROW"),
				step == "SCAN scope", step == "SCAN found", step == "SCAN q", strings.HasPrefix(step, "SCAN (subquery"):
			case statement == "change.remove":
				// Scans change from its oldest record up to the first recent one.
			default:
				t.Errorf("%s\n%s", step, statement)
			}
			// These sort few rows: the sales of a store, which a report groups, and the versions
			// of a page of a dump.
			sorts := statement == "entry.versions_of" || statement == "vector.of_entries" || statement == "entry.evidence" || strings.HasPrefix(statement, "sale.")
			if strings.Contains(step, "AUTOMATIC") || strings.Contains(step, "TEMP B-TREE") && !sorts {
				t.Errorf("%s\n%s", step, statement)
			}
		}
	}
}

// Nearly all of a store's trash may belong to other owners.
func TestTheTrashOfAnOwnerIsReadByItsIndex(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "mneme.db"))
	defer func() { _ = s.Close() }()
	must(t, s.View(t.Context(), func(tx memory.ReadTx) error {
		_, err := tx.Trash(t.Context(), memory.TrashQuery{Store: "a", Label: acl.Public, Owner: "b", Limit: 10})
		return err
	}))
	var ran, steps []string
	for _, c := range s.readers.idle {
		for query := range c.statements {
			ran = append(ran, texts.Text(query))
		}
	}
	for _, statement := range ran {
		if strings.Contains(statement, " INDEXED BY entry_trash") {
			steps = append(steps, s.plan(t, statement)...)
		}
	}
	if !slices.ContainsFunc(steps, func(step string) bool { return strings.Contains(step, " owner=? AND (deleted_at,id)<(?,?)") }) {
		t.Errorf("the plan is %q", steps)
	}
}

func (s *Storage) plan(t *testing.T, statement string) (steps []string) {
	err := s.readers.with(t.Context(), func(c *session) error {
		text := texts.Text(statement)
		rows, err := c.conn.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, make([]any, max(8, strings.Count(text, "?")+strings.Count(text, "$")))...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				return err
			}
			steps = append(steps, detail)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, statement)
	}
	return steps
}
