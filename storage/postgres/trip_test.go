package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mneme/acl"
	"mneme/memory"
)

// counted is a connection that counts round trips.
type counted struct {
	*pgx.Conn
	trips int
}

func (c *counted) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	c.trips++
	return c.Conn.Query(ctx, query, args...)
}

func (c *counted) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	c.trips++
	return c.Conn.Exec(ctx, query, args...)
}

func (c *counted) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	c.trips++
	return c.Conn.SendBatch(ctx, batch)
}

// beginCounted begins a transaction whose round trips are counted. end rolls it back if it has
// not ended.
func beginCounted(t *testing.T, s *Storage) (w *writeTx, c *counted, end func()) {
	t.Helper()
	conn, err := s.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c = &counted{Conn: conn.Conn()}
	w = newWriteTx(c)
	w.written = &s.written
	w.begin(s.settings)
	return w, c, func() {
		rollBack(t.Context(), conn)
		conn.Release()
	}
}

// putOwn writes an entry to an agent's own store as memory.Service.Put does, and returns the
// number of round trips.
func putOwn(t *testing.T, s *Storage, agent, key string) int {
	t.Helper()
	ctx, now := t.Context(), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	w, c, end := beginCounted(t, s)
	defer end()
	e := newEntry(agent, key)
	steps := []func() error{
		func() error {
			return w.PrepareWrite(ctx, memory.WritePlan{Store: agent, Paths: []memory.Path{e.Path}, Label: e.Label, Agent: agent})
		},
		func() error {
			_, err := acl.Decide(ctx, w, acl.Principal{Agent: agent, Taint: e.Label}, agent, now)
			return err
		},
		func() error { _, err := w.At(ctx, e.Path.At(e.Label)); return err },
		func() error { _, err := w.Usage(ctx, agent, agent, e.Label, time.Time{}); return err },
		func() error { return w.Put(ctx, e, doc("some words")) },
		func() error { return w.commit(ctx) },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	return c.trips
}

// Workers save concurrently, but none saves while a setting that determines its vectors is
// being changed.
func TestSavingVectorsSharesTheSettingsThatItReadsWithItsRows(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s, ctx := openAt(t, database(t)), t.Context()
		e := newEntry("a", "k")
		err := s.Update(ctx, func(tx memory.Tx) error {
			return errors.Join(tx.SetMeta(ctx, "known", []byte("value")), tx.Put(ctx, e, doc("some words")))
		})
		if err != nil {
			t.Fatal(err)
		}
		w, c, end := beginCounted(t, s)
		defer end()
		settings := []string{"known", "unknown"}
		if err := w.PrepareVectors(ctx, []uuid.UUID{e.ID}, settings); err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"value", ""} {
			if got, err := w.Meta(ctx, settings[i]); string(got) != want || err != nil {
				t.Errorf("%s is %q: %v", settings[i], got, err)
			}
			var alone, shared bool
			err := s.pool.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock($1), pg_try_advisory_xact_lock_shared($1)", lockKey("meta", settings[i])).Scan(&alone, &shared)
			if alone || !shared || err != nil {
				t.Errorf("%s can be locked alone: %v, and shared: %v: %v", settings[i], alone, shared, err)
			}
		}
		if c.trips != 1 {
			t.Errorf("it took %d round trips", c.trips)
		}
	})
}

func TestAPutToTheAgentsOwnStoreTakesTwoRoundTrips(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		putOwn(t, s, "a", "first") // numbers the store
		if n := putOwn(t, s, "a", "second"); n != 2 {
			t.Errorf("it took %d round trips", n)
		}
	})
}
