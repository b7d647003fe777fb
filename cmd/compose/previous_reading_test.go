package compose_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
	"mneme/storage"
	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite"
)

// A store that was asked in another language, or that has chosen the multilingual model,
// needs multilingual vectors of all its entries. An earlier version does not record whether
// it has them: its entries count as unread until none of them is queued.
func TestStoresOfAnEarlierVersionAreWholeOnceThatIsKnown(t *testing.T) {
	for name, test := range map[string]struct {
		driver, dsn string
		version     int // of the migration that adds the columns about unread entries
		open        func(ctx context.Context, dsn string) (storage.Storage, error)
	}{
		"sqlite": {"sqlite", filepath.Join(t.TempDir(), "mneme.db"), 13, func(ctx context.Context, dsn string) (storage.Storage, error) {
			return sqlite.Open(ctx, dsn)
		}},
		"postgres": {"pgx", postgrestest.Database(t), 14, func(ctx context.Context, dsn string) (storage.Storage, error) {
			return postgres.Open(ctx, dsn, postgres.Options{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			open := func() storage.Storage {
				t.Helper()
				rows, err := test.open(t.Context(), test.dsn)
				if err != nil {
					t.Fatal(err)
				}
				return rows
			}
			if err := open().Close(); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open(test.driver, test.dsn)
			if err != nil {
				t.Fatal(err)
			}
			for _, statement := range []string{
				"DROP INDEX reading_unread", "ALTER TABLE reading DROP COLUMN mixed", "ALTER TABLE reading DROP COLUMN unread",
				"ALTER TABLE reading DROP COLUMN unread_at", fmt.Sprint("DELETE FROM goose_db_version WHERE version_id >= ", test.version),
				"INSERT INTO reading (store, language, asked, multilingual) VALUES ('asked', 0, TRUE, 1), ('chosen', 2, FALSE, 1), ('english', 1, TRUE, 1), ('foreign', 0, FALSE, 2)",
			} {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			rows := open()
			defer rows.Close()
			want := func(unread acl.Label) {
				t.Helper()
				err := rows.View(t.Context(), func(tx memory.ReadTx) error {
					known, err := tx.StoreFacts(t.Context(), []string{"asked", "chosen", "english", "foreign"})
					for store, want := range map[string]choice.Reading{
						"asked": {Asked: true, Multilingual: acl.Public, Unread: unread}, "chosen": {Language: choice.LanguageMultilingual, Multilingual: acl.Public, Unread: unread},
						"english": {Language: choice.LanguageEnglish, Asked: true, Multilingual: acl.Public}, "foreign": {Multilingual: acl.Internal},
					} {
						if got := choice.Of(known[store].Detail); got != want {
							t.Errorf("%s is read so: %+v, want %+v", store, got, want)
						}
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			want(acl.Public)
			for _, store := range []string{"asked", "chosen"} {
				err := rows.Update(t.Context(), func(tx memory.Tx) error {
					return tx.PutReading(t.Context(), memory.ReadingChange{Store: store, Indexed: true})
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			want(0) // nothing of them is queued
		})
	}
}
