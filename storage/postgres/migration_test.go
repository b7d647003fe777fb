package postgres

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"

	"mneme/indexer"
	"mneme/lexical"
	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
)

// A queue that was written before its rows had store, label and cost gets them
// from the entries.
func TestQueueOfAnEarlierVersionIsLeasedInTurn(t *testing.T) {
	dsn := postgrestest.Database(t)
	s := openAt(t, dsn)
	ctx := t.Context()
	long, short, private, gone := newEntry("a", "long"), newEntry("a", "short"), newEntry("a", "private"), newEntry("a", "gone")
	long.Value = []byte(`"` + strings.Repeat("word ", 10_000) + `"`)
	private.InContext = false
	later := long.CreatedAt.Add(time.Second)
	deleted := gone
	deleted.Revision, deleted.DeletedAt, deleted.DeletedBy = 2, later, "a"
	other := newEntry("b", "other")
	err := s.Update(ctx, func(tx memory.Tx) error {
		for _, e := range []memory.Entry{long, short, private, gone, deleted, other} {
			if err := tx.Put(ctx, e, lexical.Document{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDBFromPool(s.pool)
	provider, err := newProvider(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(ctx, 3); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, dsn)
	lease := func(turn indexer.Turn) (leases []indexer.Lease) {
		turn.Rows, turn.Chunks = 10, 100
		err := s.ForIndexer().Update(ctx, func(tx indexer.Tx) (err error) {
			leases, _, err = tx.Lease(ctx, later, later.Add(time.Minute), turn)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return leases
	}
	if got := lease(indexer.Turn{Work: indexer.Long}); len(got) != 1 || got[0].Entry != long.ID || got[0].Store != 1 || got[0].Chunks < 20 || got[0].Chunks > 40 {
		t.Errorf("long rows: %+v", got)
	}
	got := lease(indexer.Turn{Work: indexer.Short})
	chunks := make(map[string]int)
	for _, l := range got {
		chunks[l.Entry.String()] = l.Chunks
	}
	for _, want := range []struct {
		entry  memory.Entry
		chunks int
	}{{short, 1}, {private, 0}, {gone, 0}, {other, 1}} {
		if have, ok := chunks[want.entry.ID.String()]; !ok || have != want.chunks {
			t.Errorf("%s: %d chunks (found %v), want %d", want.entry.Key, have, ok, want.chunks)
		}
	}
	if len(got) != 4 || got[len(got)-1].Store == got[0].Store && got[1].Store == got[0].Store && got[2].Store == got[0].Store {
		t.Errorf("short rows: %+v", got)
	}
}

// When entries occurred survives the migration from the version that knew days and times
// alone; back there, months and years are their first day.
func TestDatesOfAnEarlierVersionStay(t *testing.T) {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	dsn := postgrestest.Database(t)
	s := openAt(t, dsn)
	ctx := t.Context()
	entries := make(map[string]memory.Entry)
	must(t, s.Update(ctx, func(tx memory.Tx) error {
		for _, text := range []string{"2023", "2023-05", "2023-05-08", "2023-05-08T13:56:00Z"} {
			e := newEntry("a", "at-"+text)
			moment, err := memory.ParseMoment(text)
			must(t, err)
			e.OccurredAt, entries[text] = moment, e
			must(t, tx.Put(ctx, e, lexical.Document{}))
			e.Version, e.Revision = 2, 2 // the first is history
			must(t, tx.Put(ctx, e, lexical.Document{}))
		}
		return nil
	}))
	db := stdlib.OpenDBFromPool(s.pool)
	provider, err := newProvider(db)
	must(t, err)
	_, err = provider.DownTo(ctx, 8)
	must(t, err)
	must(t, errors.Join(db.Close(), s.Close()))
	s = openAt(t, dsn)
	for text, want := range map[string]string{"2023": "2023-01-01", "2023-05": "2023-05-01", "2023-05-08": "2023-05-08", "2023-05-08T13:56:00Z": "2023-05-08T13:56:00Z"} {
		must(t, s.View(ctx, func(tx memory.ReadTx) error {
			e := entries[text]
			live, err := tx.At(ctx, e.Path.At(e.Label))
			must(t, err)
			history, err := tx.List(ctx, memory.HistoryQuery{Entry: e.ID, Before: 0, Limit: 10})
			must(t, err)
			for _, got := range append(live, history...) {
				if got.OccurredAt.String() != want {
					t.Errorf("%s became %s, want %s", text, got.OccurredAt, want)
				}
			}
			if len(live) != 1 || len(history) < 1 {
				t.Errorf("%d live, %d former", len(live), len(history))
			}
			return nil
		}))
	}
}
