package postgres

import (
	"context"
	"errors"
	"net/url"
	"testing"
	"time"

	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
	"mneme/test/faulttest"
)

// throughProxy starts a proxy in front of the real server and returns it with a DSN that leads
// through it.
func throughProxy(t *testing.T, dsn string) (*faulttest.FaultProxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	proxy := faulttest.NewFaultProxy(t, u.Host)
	u.Host = proxy.Addr()
	return proxy, u.String()
}

func TestAnOutageIsUnavailableAndStorageRecovers(t *testing.T) {
	direct := postgrestest.Database(t)
	proxy, dsn := throughProxy(t, direct)
	s := openAt(t, dsn)
	kept := newEntry("a", "kept")
	mustUpdate(t, s, func(tx memory.Tx) error { return tx.Put(t.Context(), kept, doc("word")) })

	// The connection is cut during a transaction, and stays down.
	err := s.Update(t.Context(), func(tx memory.Tx) error {
		if err := tx.Put(t.Context(), newEntry("a", "lost"), doc("word")); err != nil {
			return err
		}
		proxy.Disable()
		return nil
	})
	if !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("cut during a transaction: %v", err)
	}
	put := func(key string) error {
		return s.Update(t.Context(), func(tx memory.Tx) error { return tx.Put(t.Context(), newEntry("a", key), doc("word")) })
	}
	if err := put("refused"); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("while the server is down: %v", err)
	}
	if err := s.View(t.Context(), func(memory.ReadTx) error { return nil }); !errors.Is(err, memory.ErrUnavailable) {
		t.Errorf("a view while the server is down: %v", err)
	}
	proxy.Enable(t)
	if err := put("after"); err != nil {
		t.Errorf("after the server is back: %v", err)
	}

	// If the server does not respond, the caller's deadline applies.
	proxy.Discard(true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err = s.View(ctx, func(tx memory.ReadTx) error {
		_, err := tx.KindOf(ctx, "a")
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the server hangs: %v", err)
	}
	proxy.Discard(false)
	proxy.Disable()
	proxy.Enable(t)
	if err := put("at last"); err != nil {
		t.Errorf("after the server answers again: %v", err)
	}

	err = openAt(t, direct).View(t.Context(), func(tx memory.ReadTx) error {
		usage, err := tx.Usage(t.Context(), "a", "a", kept.Label, time.Now())
		if usage.Entries != 3 {
			t.Errorf("%d entries, want kept, after and at last", usage.Entries)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.checkIndex(t)
}
