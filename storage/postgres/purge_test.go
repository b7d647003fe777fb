package postgres

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/lexical"
	"mneme/memory"
	"mneme/vector"
)

// holding returns the tables of the schema that have a row with a text, as text or as bytes.
func holding(t *testing.T, s *Storage, text string) map[string]int {
	t.Helper()
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), setAll); err != nil { // the rows of all stores
		t.Fatal(err)
	}
	rows, err := tx.Query(t.Context(), `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	found := make(map[string]int)
	for _, table := range tables {
		var n int
		query := `SELECT count(*) FROM ` + table + ` t WHERE lower(t::text) LIKE '%' || $1 || '%' OR t::text LIKE '%' || $2 || '%'`
		if err := tx.QueryRow(t.Context(), query, text, hex.EncodeToString([]byte(text))).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			found[table] = n
		}
	}
	return found
}

// After a purge, or after history has dropped a version, no row of any table contains the
// erased data. docs/security.md describes the server's own files until they are vacuumed and
// recycled.
func TestNoTableHoldsWhatWasPurged(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		const markers = 6
		put := func(key, mark string) memory.Entry {
			e := newEntry("s", key)
			mustUpdate(t, s, func(tx memory.Tx) error {
				for version := range markers {
					if version > 0 {
						e.Version, e.Revision = e.Version+1, e.Revision+1
					}
					e.Key, e.Description, e.Tags = key, mark+"description", []string{mark + "tag"}
					e.Source = json.RawMessage(`"` + mark + `source"`)
					e.Value = json.RawMessage(fmt.Sprintf(`"%svalue%d"`, mark, version))
					if err := tx.Put(t.Context(), e, lexical.Analyze(fmt.Sprint(string(e.Value), e.Description, e.Key, e.Tags))); err != nil {
						return err
					}
				}
				_, err := tx.(*writeTx).SaveVectors(t.Context(), e.ID, int64(e.Version), "model", []vector.Record{{Vector: vector.Half{1}}})
				return err
			})
			return e
		}
		gone, trimmed := put("zqgonekey", "zqgone"), put("zqstayskey", "zqstays")
		if held := slices.Sorted(maps.Keys(holding(t, s, "zqgone"))); len(held) < 3 {
			t.Fatalf("before the purge only %v hold it", held)
		}

		mustUpdate(t, s, func(tx memory.Tx) error {
			return tx.TrimHistory(t.Context(), trimmed.ID, memory.HistoryLimits{Versions: 2, Bytes: 1 << 20})
		})
		for version := range markers {
			held := holding(t, s, fmt.Sprint("zqstaysvalue", version))
			if kept := version >= markers-2; (len(held) > 0) != kept {
				t.Errorf("version %d is in %v", version, held)
			}
		}

		deleted := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		mustUpdate(t, s, func(tx memory.Tx) error {
			gone.Revision, gone.DeletedAt = gone.Revision+1, deleted
			return tx.Put(t.Context(), gone, lexical.Document{})
		})
		mustUpdate(t, s, func(tx memory.Tx) error {
			ids, err := tx.Purge(t.Context(), deleted.Add(time.Second), 10)
			if err == nil && !slices.Equal(ids, []uuid.UUID{gone.ID}) {
				err = fmt.Errorf("purged %v", ids)
			}
			return err
		})
		if held := holding(t, s, "zqgone"); len(held) > 0 {
			t.Errorf("after the purge it is in %v", held)
		}
	})
}
