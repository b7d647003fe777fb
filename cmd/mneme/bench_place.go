package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mneme/backend"
	"mneme/configs"
	"mneme/embed"
	"mneme/memory"
	"mneme/vector/milvus"
)

// benchPlace is where one column is measured: a temporary folder, and a
// schema and collections with a name of their own on the servers.
type benchPlace struct {
	config   configs.Config // points there
	embedder embed.Embedder
	name     string // of schema and collections
	server   configs.Secret
}

// newBenchPlace makes the folder and the schema. Collections are made when the
// index is opened.
func newBenchPlace(ctx context.Context, config configs.Config, on combination, embedder embed.Embedder) (*benchPlace, error) {
	random := make([]byte, 6)
	_, _ = rand.Read(random) // never fails
	p := &benchPlace{config: config, embedder: embedder, name: "mneme_bench_" + hex.EncodeToString(random), server: config.Postgres.DSN}
	p.config.Storage, p.config.Vector = on.storage, on.vector
	p.config.Milvus.Prefix = p.name
	var err error
	if p.config.DataDir, err = os.MkdirTemp("", "mneme-bench-*"); err != nil {
		return nil, err
	}
	if on.storage == "postgres" && config.Postgres.DSN != "" { // without one, opening says what is missing
		if p.config.Postgres.DSN, err = within(config.Postgres.DSN, p.name); err == nil {
			err = p.exec(ctx, "CREATE SCHEMA "+p.name)
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.config.DataDir))
	}
	return p, nil
}

// within is the DSN with a schema to work in.
func within(dsn configs.Secret, schema string) (configs.Secret, error) {
	if !strings.Contains(string(dsn), "://") {
		return dsn + configs.Secret(" search_path="+schema), nil
	}
	server, err := url.Parse(string(dsn))
	if err != nil {
		return "", errBenchDSN // the parser's own error quotes it
	}
	query := server.Query()
	query.Set("search_path", schema)
	server.RawQuery = query.Encode()
	return configs.Secret(server.String()), nil
}

var errBenchDSN = errors.New("the DSN of Postgres cannot be read")

// remove removes everything, also when the measurement was interrupted.
func (p *benchPlace) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	err := os.RemoveAll(p.config.DataDir)
	if p.config.Storage == "postgres" && p.server != "" {
		err = errors.Join(err, p.exec(ctx, "DROP SCHEMA "+p.name+" CASCADE"))
	}
	if p.config.Vector == "milvus" && p.config.Milvus.Addr != "" {
		err = errors.Join(err, milvus.Drop(ctx, backend.MilvusConfig(p.config.Milvus, p.embedder)))
	}
	return err
}

// vacuum does what autovacuum does within minutes of an import.
func (p *benchPlace) vacuum(ctx context.Context) error {
	if p.config.Storage != "postgres" {
		return nil
	}
	return p.connected(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = $1", p.name)
		if err != nil {
			return err
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, table := range tables {
			if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) "+p.name+"."+table); err != nil {
				return err
			}
		}
		return nil
	})
}

const schemaSize = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
	JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`

// size is what the rows take, with their indexes and vectors. What Milvus
// takes it does not tell.
func (p *benchPlace) size(ctx context.Context) (bytes int64, err error) {
	if p.config.Storage != "postgres" {
		return sizeOf(p.config.DataDir)
	}
	err = p.connected(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, schemaSize, p.name).Scan(&bytes)
	})
	return bytes, err
}

func (p *benchPlace) exec(ctx context.Context, statement string) error {
	return p.connected(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

// connected runs fn on a connection of its own. Its errors tell an SQLSTATE
// and nothing of the DSN, as those of storage/postgres.
func (p *benchPlace) connected(ctx context.Context, fn func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, string(p.server))
	if err == nil {
		err = fn(conn)
		_ = conn.Close(context.WithoutCancel(ctx)) // it has done its work
	}
	var refused *pgconn.PgError
	var unread *pgconn.ParseConfigError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &unread):
		return errBenchDSN
	case errors.As(err, &refused) && refused.Code == "42501":
		return errors.New("the role of Postgres may not create a schema in this database: GRANT CREATE ON DATABASE … lets it")
	case errors.As(err, &refused):
		return fmt.Errorf("postgres refused (SQLSTATE %s)", refused.Code)
	}
	return memory.ErrUnavailable
}

// sizeOf adds up the files of a folder.
func sizeOf(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}
