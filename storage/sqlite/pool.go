package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"sync"

	_ "modernc.org/sqlite" // the driver
)

// use is what a connection is for.
type use int

const (
	reading use = iota
	writing
)

// source returns the data source name of a file, with the settings of its
// connections.
func source(path string, u use) string {
	pragmas := []string{
		// How long to wait in ms while another process recovers the log.
		"busy_timeout(5000)",
		// The page cache of each connection: 16 MiB. The operating system
		// caches the file as well.
		"cache_size(-16384)",
		"temp_store(memory)",
		"foreign_keys(on)",
	}
	if u == writing {
		pragmas = append(pragmas,
			"journal_mode(wal)",
			// An acknowledged write survives a power failure: NORMAL does not
			// sync the log before a checkpoint.
			"synchronous(full)",
			// Deleted data is overwritten with zeros.
			"secure_delete(on)",
			// How many pages of 4 KiB the log has before a commit checkpoints
			// it: an import writes the same pages repeatedly, and a late
			// checkpoint copies each once.
			"wal_autocheckpoint(4000)",
			"journal_size_limit(67108864)",
		)
	}
	query := url.Values{"_pragma": pragmas, "_dqs": {"0"}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// pool is a pool of sessions, bounded in size.
type pool struct {
	db     *sql.DB
	use    use
	tokens chan struct{}

	mu   sync.Mutex
	idle []*session
}

func newPool(path string, u use, size int) *pool {
	p := &pool{use: u, tokens: make(chan struct{}, size)}
	// sql.Open does not connect.
	db, err := sql.Open("sqlite", source(path, u))
	if err != nil {
		panic("sqlite: the driver is not registered: " + err.Error())
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	p.db = db
	return p
}

// with runs fn with a session that no one else uses.
func (p *pool) with(ctx context.Context, fn func(*session) error) error {
	select {
	case p.tokens <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.tokens }()
	s, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer p.giveBack(s)
	return fn(s)
}

func (p *pool) take(ctx context.Context) (*session, error) {
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
	if p.use == writing {
		// controlWaiting waits for the write lock.
		if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 3"); err != nil {
			return nil, errors.Join(interpret("connect", err), conn.Close())
		}
	}
	return &session{conn: conn, statements: make(map[string]*sql.Stmt)}, nil
}

func (p *pool) giveBack(s *session) {
	if s.broken {
		_ = s.close() // it cannot be reused
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
