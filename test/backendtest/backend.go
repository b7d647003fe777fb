// Package backendtest opens services for tests over each combination of storage
// and vector index, with a clock that the test advances.
package backendtest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"mneme/embed"
	"mneme/indexer"
	"mneme/storage"
	"mneme/storage/postgres"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus"
	"mneme/vector/milvus/milvustest"
)

// Backend is a combination of storage and vector index.
type Backend struct {
	Name   string
	open   func(t testing.TB, b Backend) *Data
	milvus milvus.Config // configures the index if it is Milvus
}

// Embedded returns the backend that needs no server.
func Embedded() Backend {
	return Backend{Name: "sqlite+flat", open: func(t testing.TB, _ Backend) *Data {
		rows := sqlitetest.Open(t)
		return &Data{Storage: func(testing.TB) storage.Storage { return rows }, Model: flatModel}
	}}
}

// Storages returns the backends with the flat index, one for each storage.
func Storages() []Backend {
	return []Backend{Embedded(), {Name: "postgres+flat", open: func(t testing.TB, _ Backend) *Data {
		return &Data{Storage: postgresAt(postgrestest.Database(t), 0), Model: flatModel}
	}}}
}

// Partitioned returns a backend with the flat index and, like Production, partitioned
// tables.
func Partitioned() Backend {
	return Backend{Name: "partitioned+flat", open: func(t testing.TB, _ Backend) *Data {
		return &Data{Storage: postgresAt(postgrestest.Database(t), partitions), Model: flatModel}
	}}
}

// partitions is the number of partitions of Production's tables.
const partitions = 4

// Production returns the backend with PostgreSQL and Milvus, which several processes
// can share. Its searches see all earlier writes (milvus.Strong), so that tests need
// not wait. It skips the test in short runs.
func Production() Backend {
	return Backend{
		Name: "postgres+milvus",
		open: func(t testing.TB, b Backend) *Data {
			if testing.Short() {
				t.Skip("skipped with -short: each Milvus search takes 200 ms")
			}
			dsn := postgrestest.Database(t)
			b.milvus.Addr, b.milvus.Prefix = milvustest.Prefix(t)
			return &Data{Storage: postgresAt(dsn, partitions), Model: b.milvusModel}
		},
		milvus: milvus.Config{
			Consistency: milvus.Strong, Partitions: 2, // fewer partitions are created faster
			Timeouts: milvus.Timeouts{Open: 2 * time.Minute, Search: 2 * time.Minute},
		},
	}
}

// Backends returns all supported backends.
func Backends() []Backend { return append(Storages(), Production()) }

// Shared returns the backends that several processes can share.
func Shared() []Backend { return []Backend{Storages()[1], Production()} }

// Exact returns the backend with an exact vector index, for rules about the
// order of hits.
func (b Backend) Exact() Backend {
	b.milvus.Exact = true
	return b
}

// Serving returns the backend as configured in production: its index may lag
// behind.
func (b Backend) Serving() Backend {
	b.milvus.Consistency = milvus.Bounded
	return b
}

// Open creates a database and an index for the duration of the test. If their
// server is missing, it skips the test, or fails it if CI is set.
func (b Backend) Open(t testing.TB) *Data {
	t.Helper()
	return b.open(t, b)
}

// Data is a database with an index. Services opened over it share it like
// several processes.
type Data struct {
	// Storage opens the database, with its own connections; a SQLite database is
	// opened once.
	Storage func(t testing.TB) storage.Storage
	// Model pairs an embedder with its index, which is opened by a separate
	// client.
	Model func(t testing.TB, e embed.Embedder) indexer.Model
}

func postgresAt(dsn string, partitions int) func(testing.TB) storage.Storage {
	return func(t testing.TB) storage.Storage {
		t.Helper()
		// Many tests run in parallel, and the server accepts a few hundred
		// connections.
		rows, err := postgres.Open(t.Context(), dsn, postgres.Options{MaxConns: 8, StatementTimeout: 5 * time.Minute, Partitions: partitions})
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

func flatModel(_ testing.TB, e embed.Embedder) indexer.Model {
	return indexer.Model{Embedder: e, Local: true, Open: func(context.Context) (vector.Index, error) { return flat.New(e.Dim()), nil }}
}

func (b Backend) milvusModel(t testing.TB, e embed.Embedder) indexer.Model {
	config := b.milvus
	config.Fingerprint, config.Dim = e.Fingerprint(), e.Dim()
	open := func(ctx context.Context) (vector.Index, error) {
		index, err := milvus.Open(ctx, config, slog.New(slog.DiscardHandler))
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = index.Close() }) // the service may have closed it
		return index, nil
	}
	drop := func(ctx context.Context, fingerprint string) error {
		of := config
		of.Fingerprint = fingerprint
		return milvus.Drop(ctx, of)
	}
	return indexer.Model{Embedder: e, Open: open, Drop: drop}
}
