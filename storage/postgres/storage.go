// Package postgres is the storage for several processes. One PostgreSQL database holds rows,
// history, grants, queue, vectors and the inverted index of package posting.
// docs/decisions/0006-postgres.md describes how transactions are isolated, and why the index is
// not a GIN index.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"mneme/memory"
	"mneme/storage/sqlcommon"
)

// Options configure a Storage. Zero fields take the default.
type Options struct {
	// MaxConns limits the connections of this process, at least minConns. Each transaction uses
	// one. Default: pool_max_conns of the DSN, else the larger of 24 and six per CPU, or
	// pooledConns behind a pooler.
	MaxConns int
	// StatementTimeout is the server's statement_timeout. Default: 30 s.
	StatementTimeout time.Duration
	// LockTimeout limits the wait for another transaction. Default: 15 s.
	LockTimeout time.Duration
	// Partitions is the number of partitions into which the tables are divided by store, from
	// MinPartitions to MaxPartitions. A database that is not partitioned is converted, which
	// rewrites it; no other process should use it meanwhile. Default: the database's number,
	// and none for a new database.
	Partitions int
	// KeepPartitions applies Partitions only to a new database.
	KeepPartitions bool
	// Log receives warnings. Default: none are logged.
	Log *slog.Logger

	pooled bool // the DSN leads to a pooler
}

// Storage is a memory.Storage in a PostgreSQL database.
type Storage struct {
	pool       *pgxpool.Pool
	settings   []string // statements that begin each transaction (pooler.go)
	partitions int      // when it was opened
	past       sqlcommon.Continuity
	gate       sqlcommon.Gate
	written    atomic.Int64 // entries put by this process
}

var _ memory.Storage = (*Storage)(nil)

// Open connects to a database and migrates its schema, the first in its search_path. dsn is a
// URL or libpq keywords and values. The error is ErrNewer or ErrOlder if a newer or too old
// version of mneme wrote the schema, ErrPartitions if the database cannot have the requested
// partitions, and memory.ErrUnavailable if the server cannot be reached. Errors never include
// the DSN.
func Open(ctx context.Context, dsn string, options Options) (*Storage, error) {
	if err := checkPartitions(options.Partitions); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	config, settings, err := options.connect(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	var partitioned atomic.Bool
	var opened atomic.Pointer[Storage]
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if s := opened.Load(); s != nil {
			return s.admit(ctx, conn)
		}
		return nil
	}
	config.BeforeConnect = func(_ context.Context, conn *pgx.ConnConfig) error {
		if partitioned.Load() && settings == nil {
			setDefault(conn, "plan_cache_mode", "force_generic_plan")
		}
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", interpret(ctx, "connect", err))
	}
	partitions, err := migrate(ctx, pool, options)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if partitions > 0 {
		// A cached plan selects the partition at run time, but PostgreSQL estimates its cost as
		// that of all partitions together, and so would replan nearly every statement. From now
		// on, connections force cached plans.
		partitioned.Store(true)
		pool.Reset()
	}
	if err := warnIfRLSBypassed(ctx, pool, options.Log); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s := &Storage{pool: pool, settings: settings, partitions: partitions}
	opened.Store(s)
	return s, nil
}

// Partitions returns the number of partitions of the tables when the database was opened.
func (s *Storage) Partitions() int { return s.partitions }

// Clock returns the time of the database server.
func (s *Storage) Clock(ctx context.Context) (at time.Time, err error) {
	if err := s.pool.QueryRow(ctx, texts.Text("server.clock")).Scan(&at); err != nil {
		return at, fmt.Errorf("read the clock of the database: %w", interpret(ctx, "clock", err))
	}
	return at, nil
}

// warnIfRLSBypassed logs a warning if row-level security does not apply to the DSN's role. log
// may be nil.
func warnIfRLSBypassed(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	bypassed, err := bypassesRLS(ctx, pool)
	if err == nil && bypassed && log != nil {
		log.WarnContext(ctx, "the database role is exempt from row-level security: give the service a role that is neither SUPERUSER nor BYPASSRLS")
	}
	return err
}

// connectTimeout bounds the time to make a connection.
const connectTimeout = 5 * time.Second

const (
	minConns = 2 // one for a migration, one that holds its lock
	// pooledConns is low enough for two processes behind a pooler that assigns a connection to
	// each session: PgBouncer makes 20 for a role by default, and further sessions wait.
	pooledConns = 8
)

// parse returns the configuration of a DSN with options and defaults. Parameters of the DSN
// take precedence over the timeouts. It does not return the parsers' errors, which quote the
// DSN.
func (o Options) parse(dsn string) (*pgxpool.Config, error) {
	errDSN := errors.New("the DSN is neither a postgres:// URL nor a list of keyword=value")
	given, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errDSN
	}
	conns, limited := given.RuntimeParams["pool_max_conns"]
	if n, err := strconv.Atoi(conns); limited && (err != nil || n < minConns) {
		return nil, fmt.Errorf("pool_max_conns of the DSN must be a number, at least %d", minConns)
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errDSN
	}
	if !limited {
		config.MaxConns = int32(max(24, 6*runtime.GOMAXPROCS(0)))
		if o.pooled {
			config.MaxConns = pooledConns
		}
	}
	if o.MaxConns > 0 {
		config.MaxConns = int32(o.MaxConns)
	}
	// pgxpool pings a connection that was idle for a second before using it, so that
	// connections to a restarted server are replaced.
	config.HealthCheckPeriod = 10 * time.Second
	// After a failover, an idle connection to a standby could be selected.
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	config.MaxConnIdleTime = 5 * time.Minute
	config.MaxConnLifetime = time.Hour
	config.MaxConnLifetimeJitter = 10 * time.Minute
	if config.ConnConfig.ConnectTimeout == 0 || config.ConnConfig.ConnectTimeout > connectTimeout {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	set := func(name, value string) { setDefault(config.ConnConfig, name, value) }
	set("application_name", "mneme")
	set("statement_timeout", millis(o.StatementTimeout, 30*time.Second))
	set("lock_timeout", millis(o.LockTimeout, 15*time.Second))
	set("idle_in_transaction_session_timeout", millis(0, 2*time.Minute))
	set("timezone", "UTC")
	// Every statement is a few index probes: compilation would cost more.
	set("jit", "off")
	// With statistics from before an import, the planner would assume that a table is empty and
	// scan it.
	set("enable_seqscan", "off")
	return config, nil
}

// setDefault sets a server parameter that the DSN does not set.
func setDefault(config *pgx.ConnConfig, name, value string) {
	if _, ok := config.RuntimeParams[name]; !ok {
		config.RuntimeParams[name] = value
	}
}

func millis(d, fallback time.Duration) string {
	if d == 0 {
		d = fallback
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}

// Readers implements memory.Storage. Reads of callers may use a third of the connections, and
// their writes the others. Background work uses both.
func (s *Storage) Readers() int { return max(1, s.connections()/3) }

// Writers implements memory.Storage. An agent may use half of the readers, and so many writers
// that both together have less than half of the connections, if there are at least five.
func (s *Storage) Writers() memory.WriterLimits {
	n, reads := s.connections(), s.Readers()
	return memory.WriterLimits{Running: n - reads, RunningEach: max(1, (n-1)/2-max(1, reads/2)), ByStore: true}
}

func (s *Storage) connections() int { return int(s.pool.Config().MaxConns) }

// View implements memory.Storage. The snapshot is the last commit before fn reads for the first
// time.
func (s *Storage) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return s.view(ctx, func(r *readTx) error { return fn(r) })
}

func (s *Storage) view(ctx context.Context, fn func(*readTx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.within(ctx, func(tx pgx.Tx) error {
		r := newReadTx(transaction{tx})
		defer r.end()
		r.replan(s.written.Load())
		return fn(r)
	})
}

const (
	// maxAttempts is the maximum number of attempts of a conflicting transaction. The last
	// attempts run alone (aloneFrom): while others take locks in another order, the transaction
	// may lose each time. firstBackoff is the base of the backoff, which doubles with each
	// attempt.
	maxAttempts  = 8
	aloneFrom    = 5
	firstBackoff = 4 * time.Millisecond
)

// Update implements memory.Storage. Transactions on the same store are serialized: see lock.go.
// fn runs again if the transaction conflicts with another.
func (s *Storage) Update(ctx context.Context, fn func(memory.Tx) error) error {
	return s.update(ctx, func(w *writeTx) error { return fn(w) })
}

// UpdateBatched implements memory.Storage. Each transaction commits separately, since it may
// wait for the lock of its store. The server syncs concurrent commits of several connections in
// one go.
func (s *Storage) UpdateBatched(ctx context.Context, fn func(memory.Tx) error) error {
	return s.Update(ctx, fn)
}

func (s *Storage) update(ctx context.Context, fn func(*writeTx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	for attempt := 1; ; attempt++ {
		err := s.tryUpdate(ctx, attempt, fn)
		if !errors.Is(err, errConflict) || attempt == maxAttempts {
			return err
		}
		backoff := firstBackoff << attempt
		timer := time.NewTimer(backoff/2 + rand.N(backoff)) //nolint:gosec // jitter needs no secure source
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// tryUpdate runs fn once. The error is errConflict if fn must run again.
func (s *Storage) tryUpdate(ctx context.Context, attempt int, fn func(*writeTx) error) error {
	return s.withinUpdate(ctx, func(w *writeTx) error {
		w.careful = attempt > 1
		defer w.end()
		w.written = &s.written
		w.replan(s.written.Load())
		var err error
		if attempt >= aloneFrom {
			err = w.lockAll(ctx)
		}
		if err == nil {
			err = fn(w)
		}
		if err == nil && w.failed == nil {
			err = w.commit(ctx)
		}
		switch {
		case w.unchecked && errors.Is(w.failed, memory.ErrExists): // the row of an entry or block assumed to be new exists
			return errConflict
		case err != nil:
			return err
		}
		return w.failed
	})
}

// enter registers a transaction, for which Close waits: the caller must leave the gate when it
// ends. It fails if the storage is closed or replaced.
func (s *Storage) enter() error {
	if s.past.Replaced() {
		return ErrReplaced
	}
	return s.gate.Enter()
}

// Close implements memory.Storage.
func (s *Storage) Close() error {
	return s.gate.Shut(func() error {
		s.pool.Close()
		return nil
	})
}
