//go:build unix

package faults

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // drivers of direct checks
	_ "modernc.org/sqlite"

	"mneme/acl"
	"mneme/server/token"
	"mneme/storage/postgres/postgrestest"
	"mneme/vector/milvus/milvustest"
)

// stack is a storage with a vector index.
type stack struct{ storage, vector string }

var (
	sqliteFlat     = stack{"sqlite", "flat"}
	postgresFlat   = stack{"postgres", "flat"}
	postgresMilvus = stack{"postgres", "milvus"}
)

func (s stack) String() string { return s.storage + "+" + s.vector }

// need calls need with the servers of the stack.
func (s stack) need(t *testing.T) {
	t.Helper()
	starts := []func() error{build}
	if s.storage == "postgres" {
		starts = append(starts, startPostgres)
	}
	if s.vector == "milvus" {
		starts = append(starts, startMilvus)
	}
	need(t, starts...)
}

// database is one service's data: a data folder, a database and an index. Any
// number of processes use it.
type database struct {
	t *testing.T
	stack
	dir         string               // the data folder
	server      *postgrestest.Server // the PostgreSQL server
	dsn         string
	connections int    // maximum number per process
	prefix      string // of Milvus collections
	environment []string
}

// keepVersions is the maximum number of versions of an entry, so small that histories
// are truncated all the time.
const keepVersions = 6

// newDatabase returns an empty database. Unless realModel is set, a fake remote
// embedder computes its vectors.
func newDatabase(t *testing.T, on stack, realModel bool) *database {
	t.Helper()
	d := &database{t: t, stack: on, dir: t.TempDir()}
	d.environment = []string{
		"MNEME_STORAGE=" + on.storage, "MNEME_VECTOR=" + on.vector,
		"MNEME_LIMITS_RETENTION=0s", // so that every deleted entry may be purged
		"MNEME_LIMITS_HISTORY_VERSIONS=" + strconv.Itoa(keepVersions),
		"MNEME_CONNECTIONS_OPERATORS=127.0.0.0/8", // the tests read the length of the queue
	}
	if on.storage == "postgres" {
		d.on(postgresServer)
	}
	if on.vector == "milvus" {
		d.prefix = milvustest.NewPrefix()
		d.environment = append(d.environment, "MNEME_MILVUS_ADDR="+milvusServer.Addr(), "MNEME_MILVUS_PREFIX="+d.prefix)
	}
	if !realModel {
		d.environment = append(d.environment, "MNEME_EMBEDDER=openai", "MNEME_OPENAI_BASE_URL="+fakeEmbedder(t),
			"MNEME_OPENAI_MODEL=fake", "MNEME_OPENAI_DIM="+strconv.Itoa(fakeDim))
	}
	return d
}

// on puts the database on a server.
func (d *database) on(server *postgrestest.Server) {
	d.server, d.connections = server, 8
	d.dsn = postgrestest.DatabaseAt(d.t, server.DSN())
}

// command returns a mneme command over the database, not yet started. name is the
// name of its connections to Postgres.
func (d *database) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, append(args, "--data-dir", d.dir)...)
	cmd.Env = append(os.Environ(), d.environment...)
	if d.dsn != "" {
		cmd.Env = append(cmd.Env, fmt.Sprintf("MNEME_POSTGRES_DSN=%s&pool_max_conns=%d&application_name=%s", d.dsn, d.connections, name))
	}
	return cmd
}

// mint returns a token signed with the local key, like the command mneme token.
func (d *database) mint(p acl.Principal) (string, error) {
	key, err := token.OpenLocalKey(d.dir)
	if err != nil {
		return "", err
	}
	return key.Mint(p, 24*time.Hour, time.Now())
}

// open opens the database directly, with access to all rows.
func (d *database) open() (*sql.DB, error) {
	if d.storage == "sqlite" {
		file := url.URL{Scheme: "file", Path: filepath.Join(d.dir, "mneme.db"), RawQuery: "_pragma=busy_timeout(10000)"}
		return sql.Open("sqlite", file.String())
	}
	// The server's superuser is exempt from row-level security.
	own, err := url.Parse(d.dsn)
	if err != nil {
		return nil, err
	}
	server, err := url.Parse(d.server.DSN())
	if err != nil {
		return nil, err
	}
	own.User = server.User
	return sql.Open("pgx", own.String())
}

// number returns the number selected by a query.
func number(ctx context.Context, db *sql.DB, query string, args ...any) (n int64, err error) {
	err = db.QueryRowContext(ctx, query, args...).Scan(&n)
	return n, err
}

// waitGone waits until no transaction of a killed process can commit any more. Postgres
// detects the end of a process only when it next reads from the connection. SQLite's
// locks end with the process.
func (d *database) waitGone(name string) error {
	if d.storage == "sqlite" {
		return nil
	}
	db, err := d.open()
	if err != nil {
		return err
	}
	defer db.Close()
	return poll(d.t.Context(), func() error {
		n, err := number(d.t.Context(), db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1", name)
		if err == nil && n > 0 {
			err = fmt.Errorf("the killed process still has %d connections", n)
		}
		return err
	})
}

// patience is the limit of a test's waits. It is not a target: the machine may be busy
// with other tests. The longest wait is for the repair of an index, half a minute
// after a start.
const patience = 4 * time.Minute

// poll calls check until it returns nil, or returns its last error.
func poll(ctx context.Context, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not within %v: %w", patience, err)
		case <-time.After(pause):
		}
	}
}
