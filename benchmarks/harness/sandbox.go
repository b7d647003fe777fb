package harness

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/embed"
	"mneme/memory"
	"mneme/vector/milvus"
)

// Sandbox is the environment of one measurement: a temporary folder, and on the servers a
// schema and collections with a unique name.
type Sandbox struct {
	Config    configs.Config // points into the sandbox
	embedders compose.Embedders
	name      string         // of the schema, and the prefix of the collections
	server    configs.Secret // the configured DSN, without the schema
}

// NewSandbox creates the folder and the schema for a storage and a vector index, as
// config names them. Opening the index creates the collections. Remove the sandbox
// after use.
func NewSandbox(ctx context.Context, config configs.Config, embedders compose.Embedders) (*Sandbox, error) {
	random := make([]byte, 6)
	_, _ = rand.Read(random) // never returns an error
	s := &Sandbox{Config: config, embedders: embedders, name: "mneme_bench_" + hex.EncodeToString(random), server: config.Postgres.DSN}
	s.Config.Milvus.Prefix = s.name
	var err error
	if s.Config.DataDir, err = os.MkdirTemp("", "mneme-bench-*"); err != nil {
		return nil, err
	}
	if config.Storage == "postgres" && config.Postgres.DSN != "" { // opening the backend reports a missing DSN
		if s.Config.Postgres.DSN, err = withSchema(config.Postgres.DSN, s.name); err == nil {
			err = s.exec(ctx, "CREATE SCHEMA "+s.name)
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.Config.DataDir))
	}
	return s, nil
}

// Models pairs the sandbox's embedders with its vector index.
func (s *Sandbox) Models(log *slog.Logger) (compose.Models, error) {
	return compose.NewModels(s.Config, s.embedders, log)
}

// Open opens an instance in the sandbox with models. It fails without the main
// model's index, although an instance could run without it.
func (s *Sandbox) Open(ctx context.Context, models compose.Models, log *slog.Logger) (*compose.Instance, error) {
	instance, err := compose.OpenWith(ctx, s.Config, log, models)
	if err != nil {
		return nil, err
	}
	if !instance.Status(ctx).Vector {
		_, err := models.Main[0].Open(ctx) // again, for the cause
		return nil, errors.Join(errors.New("the vector index cannot be opened"), err, instance.Close())
	}
	return instance, nil
}

// withSchema returns the DSN with a schema as its search path.
func withSchema(dsn configs.Secret, schema string) (configs.Secret, error) {
	if !strings.Contains(string(dsn), "://") {
		return dsn + configs.Secret(" search_path="+schema), nil
	}
	server, err := url.Parse(string(dsn))
	if err != nil {
		return "", errDSN // the parser's error quotes the DSN
	}
	query := server.Query()
	query.Set("search_path", schema)
	server.RawQuery = query.Encode()
	return configs.Secret(server.String()), nil
}

var errDSN = errors.New("the PostgreSQL DSN is malformed")

// Remove removes the folder, the schema and the collections, even if ctx is
// canceled.
func (s *Sandbox) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	err := os.RemoveAll(s.Config.DataDir)
	if s.Config.Storage == "postgres" && s.server != "" {
		err = errors.Join(err, s.exec(ctx, "DROP SCHEMA "+s.name+" CASCADE"))
	}
	if s.Config.Vector == "milvus" && s.Config.Milvus.Addr != "" {
		for _, e := range []embed.Embedder{s.embedders.Main, s.embedders.Multilingual} {
			if e != nil {
				err = errors.Join(err, milvus.Drop(ctx, compose.MilvusConfig(s.Config.Milvus, e)))
			}
		}
	}
	return err
}

// Vacuum does the work that autovacuum would do within minutes after an import.
func (s *Sandbox) Vacuum(ctx context.Context) error {
	if s.Config.Storage != "postgres" {
		return nil
	}
	return s.withConn(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = $1", s.name)
		if err != nil {
			return err
		}
		tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, table := range tables {
			if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) "+s.name+"."+table); err != nil {
				return err
			}
		}
		return nil
	})
}

const schemaSize = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
	JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`

// Size returns the size of the rows on disk in bytes, including their indexes and
// vectors. It excludes Milvus, which does not report its size.
func (s *Sandbox) Size(ctx context.Context) (bytes int64, err error) {
	if s.Config.Storage != "postgres" {
		return folderSize(s.Config.DataDir)
	}
	err = s.withConn(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, schemaSize, s.name).Scan(&bytes)
	})
	return bytes, err
}

func (s *Sandbox) exec(ctx context.Context, statement string) error {
	return s.withConn(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

// withConn runs fn on a new connection to the server. As in
// storage/postgres, errors may include an SQLSTATE but never the DSN.
func (s *Sandbox) withConn(ctx context.Context, fn func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, string(s.server))
	if err == nil {
		err = fn(conn)
		_ = conn.Close(context.WithoutCancel(ctx)) // fn's result is known
	}
	var refused *pgconn.PgError
	var malformed *pgconn.ParseConfigError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &malformed):
		return errDSN
	case errors.As(err, &refused) && refused.Code == "42501":
		return errors.New("the PostgreSQL role may not create a schema in this database: run GRANT CREATE ON DATABASE …")
	case errors.As(err, &refused):
		return fmt.Errorf("PostgreSQL refused the statement (SQLSTATE %s)", refused.Code)
	}
	return memory.ErrUnavailable
}

// folderSize returns the total size of the files in a folder, in bytes.
func folderSize(dir string) (int64, error) {
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
