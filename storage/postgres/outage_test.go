package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
)

// line is a proxy before the real server, which can be cut and can hang.
type line struct {
	server  string
	address string
	mu      sync.Mutex
	open    net.Listener // nil while cut
	conns   []net.Conn
	hangs   bool
	wait    sync.WaitGroup
}

// newLine returns a proxy and the DSN that leads through it.
func newLine(t *testing.T, dsn string) (*line, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{server: u.Host, address: "127.0.0.1:0"}
	l.restore(t)
	t.Cleanup(func() { l.cut(); l.wait.Wait() })
	u.Host = l.address
	return l, u.String()
}

func (l *line) restore(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", l.address)
	if err != nil {
		t.Fatal(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open, l.address = listener, listener.Addr().String()
	l.wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.connect(conn)
		}
	})
}

func (l *line) connect(conn net.Conn) {
	to, err := net.Dial("tcp", l.server)
	if err != nil {
		_ = conn.Close()
		return
	}
	l.mu.Lock()
	l.conns = append(l.conns, conn, to)
	l.mu.Unlock()
	for _, pair := range [][2]net.Conn{{conn, to}, {to, conn}} {
		l.wait.Go(func() {
			_, _ = io.Copy(valve{l, pair[0]}, pair[1])
			_ = pair[0].Close()
			_ = pair[1].Close()
		})
	}
}

// valve drops what is written to a line that hangs.
type valve struct {
	line *line
	to   net.Conn
}

func (v valve) Write(b []byte) (int, error) {
	v.line.mu.Lock()
	hangs := v.line.hangs
	v.line.mu.Unlock()
	if hangs {
		return len(b), nil
	}
	return v.to.Write(b)
}

func (l *line) hang(hangs bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hangs = hangs
}

// cut breaks every connection and takes no new one.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		_ = l.open.Close()
		l.open = nil
	}
	for _, conn := range l.conns {
		_ = conn.Close()
	}
	l.conns = nil
}

func TestAnOutageIsUnavailableWritesNothingByHalvesAndEndsByItself(t *testing.T) {
	direct := postgrestest.Database(t)
	line, through := newLine(t, direct)
	s := openAt(t, through)
	kept := newEntry("a", "kept")
	mustUpdate(t, s, func(tx memory.Tx) error { return tx.Put(t.Context(), kept, doc("word")) })

	// Cut in the middle of a transaction, and while it lasts.
	err := s.Update(t.Context(), func(tx memory.Tx) error {
		if err := tx.Put(t.Context(), newEntry("a", "lost"), doc("word")); err != nil {
			return err
		}
		line.cut()
		return nil
	})
	if !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("cut within: %v", err)
	}
	put := func(key string) error {
		return s.Update(t.Context(), func(tx memory.Tx) error { return tx.Put(t.Context(), newEntry("a", key), doc("word")) })
	}
	if err := put("refused"); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("while it is cut: %v", err)
	}
	if err := s.View(t.Context(), func(memory.ReadTx) error { return nil }); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("a view while it is cut: %v", err)
	}
	line.restore(t)
	if err := put("after"); err != nil {
		t.Errorf("after it is back: %v", err)
	}

	// A server that does not answer: the caller's deadline holds.
	line.hang(true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err = s.View(ctx, func(tx memory.ReadTx) error {
		_, err := tx.KindOf(ctx, "a")
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it hangs: %v", err)
	}
	line.hang(false)
	line.cut()
	line.restore(t)
	if err := put("at last"); err != nil {
		t.Errorf("after it answers again: %v", err)
	}

	err = openAt(t, direct).View(t.Context(), func(tx memory.ReadTx) error {
		usage, err := tx.Usage(t.Context(), "a", "a", kept.Label, time.Now())
		if usage.Entries != 3 {
			t.Errorf("%d entries stand, want kept, after and at last", usage.Entries)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.checkIndex(t)
}
