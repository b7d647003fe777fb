package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// mode is whether connections read or write.
type mode int

const (
	reading mode = iota
	writing
)

// mapping lets connections read up to 2 GiB of the file, SQLite's limit, as memory, without a
// system call and a copy for each page. A disk error then ends the process instead of failing a
// query.
const mapping = "mmap_size(2147418112)"

// mapped is whether reading connections map the file: on the tested system, with enough address
// space.
const mapped = runtime.GOOS == "linux" && strconv.IntSize == 64

// dsn returns the data source name of a file, with the settings of its
// connections.
func dsn(path string, m mode) string {
	pragmas := []string{
		// Milliseconds to wait while another process recovers the log.
		"busy_timeout(5000)",
		// The page cache of each connection: 16 MiB, which take twice as much
		// memory. The operating system caches the file as well.
		"cache_size(-16384)",
		"temp_store(memory)",
		"foreign_keys(on)",
	}
	if m == reading && mapped {
		pragmas = append(pragmas, mapping)
	}
	if m == writing {
		pragmas = append(pragmas,
			"journal_mode(wal)",
			// FULL syncs the log at each commit, so that an acknowledged write
			// survives a power failure. NORMAL does not.
			"synchronous(full)",
			// Deleted data is overwritten with zeros.
			"secure_delete(on)",
			// Pages of 4 KiB in the log before a commit checkpoints it. An import writes the
			// same pages repeatedly: a late checkpoint copies each once.
			"wal_autocheckpoint(4000)",
			"journal_size_limit(67108864)",
		)
	}
	query := url.Values{"_pragma": pragmas, "_dqs": {"0"}}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // path of a drive, as SQLite reads URIs (sqlite.org/uri.html)
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// writerTimeout lets SQLite itself wait only 3 ms for the write lock: controlWithRetry waits
// longer.
const writerTimeout = "PRAGMA busy_timeout = 3"

// pool is a bounded pool of sessions.
type pool struct {
	path   string
	db     *sql.DB
	mode   mode
	tokens chan struct{}
	// patience is lockTimeout, except in tests.
	patience time.Duration

	mu   sync.Mutex
	idle []*session
}

func newPool(path string, m mode, size int) *pool {
	p := &pool{path: path, mode: m, patience: lockTimeout, tokens: make(chan struct{}, size)}
	// sql.Open does not connect.
	db, err := sql.Open("sqlite", dsn(path, m))
	if err != nil {
		panic("sqlite: the driver is not registered: " + err.Error())
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	p.db = db
	return p
}

// with runs fn with exclusive use of a session. It waits for a session until ctx ends.
func (p *pool) with(ctx context.Context, fn func(*session) error) error {
	select {
	case p.tokens <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.tokens }()
	s, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer p.release(s)
	return fn(s)
}

func (p *pool) acquire(ctx context.Context) (*session, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return nil, interpret("connect", err)
	}
	if p.mode == writing {
		if _, err := conn.ExecContext(ctx, writerTimeout); err != nil {
			return nil, errors.Join(interpret("connect", err), conn.Close())
		}
	}
	return &session{path: p.path, patience: p.patience, conn: conn, statements: make(map[string]*sql.Stmt)}, nil
}

func (p *pool) release(s *session) {
	if s.broken {
		_ = s.close() // its error adds nothing
		return
	}
	p.mu.Lock()
	p.idle = append(p.idle, s)
	p.mu.Unlock()
}

// close closes all connections. None may be in use.
func (p *pool) close() error {
	var errs []error
	for _, s := range p.idle {
		errs = append(errs, s.close())
	}
	return errors.Join(append(errs, p.db.Close())...)
}
