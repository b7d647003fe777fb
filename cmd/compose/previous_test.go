package compose_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/embed"
	"mneme/memory"
	"mneme/meter"
	"mneme/search"
	"mneme/storage"
	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite"
	"mneme/test/backendtest"
)

// A database that the previous version of mneme wrote opens, and everything in it is
// found and counted. That of SQLite is dumped as the previous version dumped it, and that
// of PostgreSQL has as many records of each kind.
func TestDatabasesOfThePreviousVersionOpen(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) storage.Storage{
		"sqlite": openPreviousSQLite, "postgres": openPreviousPostgres(0), "postgres, partitioned": openPreviousPostgres(4),
	} {
		t.Run(name, func(t *testing.T) {
			f := previousFixture(t, open(t))
			f.checkDump()
			f.checkMarket()
			f.checkSearch()
			f.checkFacts()
			f.checkIndex()
			f.checkUsage()
			f.checkEntries()
			f.checkHistory()
			f.checkUsage()
		})
	}
}

func TestDumpsOfThePreviousVersionLoad(t *testing.T) {
	backendtest.Each(t, backendtest.Storages(), func(t *testing.T, b backendtest.Backend) {
		f := previousFixture(t, b.Open(t).Storage(t))
		if _, err := f.LoadDump(t.Context(), bytes.NewReader(unpack(t, previousDump)), nil); err != nil {
			t.Fatal(err)
		}
		f.checkDump()
		f.checkMarket()
		f.Index()
		f.checkFacts()
		f.checkIndex()
		f.checkUsage()
		f.checkEntries()
		f.checkHistory()
	})
}

type previous struct {
	*backendtest.Fixture
	t       *testing.T
	storage storage.Storage
	market  *meter.Market
}

func previousFixture(t *testing.T, rows storage.Storage) previous {
	t.Helper()
	data := backendtest.Embedded().Open(t)
	data.Storage = func(testing.TB) storage.Storage { return rows }
	rules := meter.NewMeter(rows.ForMeter(), meter.MeterOptions{})
	models, err := compose.OpenModels(configs.Default(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var encoders []embed.Embedder
	for _, m := range models.Main {
		encoders = append(encoders, m.Embedder)
	}
	f := backendtest.OpenOver(t, data, backendtest.Options{Memory: memory.Options{Ledger: rules}, Search: search.Options{Meter: rules}}, encoders...)
	return previous{f, t, rows, meter.NewMarket(rows.ForMeter(), f.Service, f.Searcher, meter.Options{Meter: rules})}
}

func unpack(t *testing.T, path string) []byte {
	t.Helper()
	packed, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func openPreviousSQLite(t *testing.T) storage.Storage {
	path := filepath.Join(t.TempDir(), "mneme.db")
	if err := os.WriteFile(path, unpack(t, previousSQLite), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	})
	return rows
}

// loadPrevious fills an empty database of PostgreSQL as the previous version did.
func loadPrevious(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	// Row-level security applies to the owner too.
	_, err = conn.Exec(t.Context(), "SET mneme.scope = '*';\n"+string(unpack(t, previousPostgres)), pgx.QueryExecModeSimpleProtocol)
	if err = errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// openPreviousPostgres opens a database of PostgreSQL that the previous version wrote.
func openPreviousPostgres(partitions int) func(t *testing.T) storage.Storage {
	return func(t *testing.T) storage.Storage {
		dsn := postgrestest.Database(t)
		loadPrevious(t, dsn)
		rows, err := postgres.Open(t.Context(), dsn, postgres.Options{MaxConns: 8, Partitions: partitions})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
		})
		return rows
	}
}

func agent(name string, taint acl.Label) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: name, Taint: taint}, Internal: true}
}

var platform = memory.Caller{Principal: acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true}}

func (f previous) ok(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}
