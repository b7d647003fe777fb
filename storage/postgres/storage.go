// Package postgres is the storage for several processes: rows, history,
// grants, queue, vectors and the inverted index of package posting, in one
// PostgreSQL database. docs/decisions/0006-postgres.md describes how
// transactions are isolated, and why the index is not a GIN index.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"mneme/memory"
)

// Options configure a Storage. Zero fields take the default.
type Options struct {
	// MaxConns bounds the connections of this process. Each transaction uses
	// one. Default: pool_max_conns of the DSN, else the larger of 16 and four
	// per processor.
	MaxConns int
	// StatementTimeout ends a statement that runs longer. Default 30 s.
	StatementTimeout time.Duration
	// LockTimeout ends a wait for another transaction. Default 15 s.
	LockTimeout time.Duration
	Log         *slog.Logger // default: discard
}

// Storage is a memory.Storage in a PostgreSQL database.
type Storage struct {
	pool    *pgxpool.Pool
	running sync.RWMutex
	closed  atomic.Bool
}

var _ memory.Storage = (*Storage)(nil)

// Open connects to the database that dsn names (a URL, or keywords and values
// as libpq takes them) and migrates its schema, in the schema that
// comes first in its search_path. The error is ErrNewer if a newer version of
// mneme wrote the schema, and memory.ErrUnavailable if the server cannot be
// reached. Errors never include the DSN.
func Open(ctx context.Context, dsn string, options Options) (*Storage, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// The parser's error quotes the DSN.
		return nil, errors.New("open the database: the DSN is neither a postgres:// URL nor a list of keyword=value")
	}
	options.apply(config)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", interpret(ctx, "connect", err))
	}
	if err := migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	if err := warn(ctx, pool, options.Log); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return &Storage{pool: pool}, nil
}

func warn(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) error {
	passed, err := bypassesRLS(ctx, pool)
	if err == nil && passed && log != nil {
		log.WarnContext(ctx, "the database role is exempt from row-level security: give the service a role that is neither SUPERUSER nor BYPASSRLS")
	}
	return err
}

// apply sets what the DSN does not set.
func (o Options) apply(config *pgxpool.Config) {
	// ParseConfig sets its default where the DSN sets nothing.
	if byDefault := int32(max(4, runtime.NumCPU())); config.MaxConns == byDefault {
		config.MaxConns = int32(max(16, 4*runtime.GOMAXPROCS(0)))
	}
	if o.MaxConns > 0 {
		config.MaxConns = int32(o.MaxConns)
	}
	// pgxpool pings a connection that was idle for a second before it is
	// used, so that connections to a server that restarted are replaced.
	config.HealthCheckPeriod = 10 * time.Second
	config.MaxConnIdleTime = 5 * time.Minute
	config.MaxConnLifetime = time.Hour
	config.MaxConnLifetimeJitter = 10 * time.Minute
	if config.ConnConfig.ConnectTimeout == 0 || config.ConnConfig.ConnectTimeout > 5*time.Second {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	set := func(name, value string) {
		if _, ok := config.ConnConfig.RuntimeParams[name]; !ok {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	set("application_name", "mneme")
	set("statement_timeout", millis(o.StatementTimeout, 30*time.Second))
	set("lock_timeout", millis(o.LockTimeout, 15*time.Second))
	set("idle_in_transaction_session_timeout", millis(0, 2*time.Minute))
	set("timezone", "UTC")
	// Every statement is a few index probes; compiling one costs more.
	set("jit", "off")
	// With statistics from before an import, the planner must not take a
	// table for empty and scan it.
	set("enable_seqscan", "off")
}

func millis(d, byDefault time.Duration) string {
	if d == 0 {
		d = byDefault
	}
	return strconv.FormatInt(d.Milliseconds(), 10)
}

const (
	beginView   = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; " + setAll
	beginUpdate = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE; " + setAll
)

// View implements memory.Storage. The snapshot is the last commit before fn
// reads for the first time.
func (s *Storage) View(ctx context.Context, fn func(memory.ReadTx) error) error {
	return s.view(ctx, func(r *reader) error { return fn(r) })
}

func (s *Storage) view(ctx context.Context, fn func(*reader) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.running.RUnlock()
	return s.within(ctx, pgx.TxOptions{BeginQuery: beginView}, func(tx pgx.Tx) error {
		r := &reader{tx: tx, rls: allRows}
		defer r.end()
		return fn(r)
	})
}

const (
	// attempts is how often a transaction runs if it conflicts with others.
	// firstPause is the backoff after the first attempt; it doubles.
	attempts   = 8
	firstPause = 4 * time.Millisecond
)

// Update implements memory.Storage. Transactions that touch one store run one
// after the other: see lock.go.
func (s *Storage) Update(ctx context.Context, fn func(memory.Tx) error) error {
	return s.update(ctx, func(w *writer) error { return fn(w) })
}

func (s *Storage) update(ctx context.Context, fn func(*writer) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.running.RUnlock()
	for attempt := 1; ; attempt++ {
		err := s.tryUpdate(ctx, fn)
		if !errors.Is(err, errConflict) || attempt == attempts {
			return err
		}
		pause := firstPause << attempt
		timer := time.NewTimer(pause/2 + rand.N(pause)) //nolint:gosec // a jitter is no secret
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

func (s *Storage) tryUpdate(ctx context.Context, fn func(*writer) error) error {
	return s.within(ctx, pgx.TxOptions{BeginQuery: beginUpdate}, func(tx pgx.Tx) error {
		w := newWriter(tx)
		defer w.end()
		if err := fn(w); err != nil {
			return err
		}
		if err := w.flush(ctx); err != nil {
			return err
		}
		if w.failed != nil {
			return w.failed
		}
		// From here on the outcome is the server's: a context that ends now
		// must not leave the caller in doubt about a commit that took place.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWait)
		defer cancel()
		return interpret(end, "commit", tx.Commit(end))
	})
}

// commitWait bounds the wait for a COMMIT or ROLLBACK.
const commitWait = 20 * time.Second

// within runs fn in a transaction that is rolled back unless fn commits it.
func (s *Storage) within(ctx context.Context, options pgx.TxOptions, fn func(pgx.Tx) error) error {
	tx, err := s.begin(ctx, options)
	if err != nil {
		return err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWait)
		defer cancel()
		_ = tx.Rollback(end) // no-op after the commit; if it fails, the connection is closed
	}()
	return fn(tx)
}

// beginWait bounds the wait for a free connection and BEGIN.
const beginWait = 20 * time.Second

// begin retries once with another connection: the first may have died in the
// pool.
func (s *Storage) begin(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	bounded, cancel := context.WithTimeout(ctx, beginWait)
	defer cancel()
	tx, err := s.pool.BeginTx(bounded, options)
	if err != nil && bounded.Err() == nil {
		tx, err = s.pool.BeginTx(bounded, options)
	}
	return tx, interpret(ctx, "begin", err)
}

// Close implements memory.Storage.
func (s *Storage) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.running.Lock()
	defer s.running.Unlock()
	s.pool.Close()
	return nil
}

// enter makes Close wait until running is released.
func (s *Storage) enter() error {
	s.running.RLock()
	if s.closed.Load() {
		s.running.RUnlock()
		return fmt.Errorf("%w: closed", memory.ErrUnavailable)
	}
	return nil
}
