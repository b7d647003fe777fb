package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mneme/acl"
	"mneme/indexer"
	"mneme/lexical"
	"mneme/lexical/posting"
	"mneme/memory"
	"mneme/storage/postgres/postgrestest"
	"mneme/storage/sqlcommon"
	"mneme/test/wait"
	"mneme/vector"
)

// Each Storage simulates a process: they share only the database.

func newEntry(store, key string) memory.Entry {
	now := time.Now().UTC().Truncate(time.Microsecond)
	return memory.Entry{
		ID: uuid.Must(uuid.NewV7()), Path: memory.Path{Store: store, Key: key}, Owner: store, Label: acl.Public,
		Value: []byte(`"` + key + `"`), InContext: true, Version: 1, Revision: 1, CreatedAt: now, UpdatedAt: now, UpdatedBy: store,
	}
}

func doc(words ...string) lexical.Document {
	d := lexical.Document{Length: len(words)}
	for _, word := range words {
		d.Terms = append(d.Terms, lexical.Term{Text: word, Count: 1})
	}
	return d
}

func mustUpdate(t testing.TB, s *Storage, fn func(tx memory.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func TestGrantsAreCountedWhenOneIsRenewedDuringASweep(t *testing.T) {
	database := postgrestest.Database(t)
	renewing, sweeping := openAt(t, database), openAt(t, database)
	now := time.Now()
	for range 300 {
		var wg sync.WaitGroup
		var swept error
		wg.Go(func() {
			swept = sweeping.Update(t.Context(), func(tx memory.Tx) error {
				_, err := tx.TrimFacts(t.Context(), now, 10)
				return err
			})
		})
		mustUpdate(t, renewing, func(tx memory.Tx) error {
			return tx.PutGrant(t.Context(), acl.Grant{Store: "s", Grantee: "g", Level: acl.Read, MaxLabel: acl.Public, Label: acl.Public, Accepted: acl.Public, Maker: "s", ExpiresAt: now.Add(-time.Hour), CreatedAt: now})
		})
		wg.Wait()
		must(t, swept)
	}
	must(t, sweeping.Update(t.Context(), func(tx memory.Tx) error {
		_, err := tx.TrimFacts(t.Context(), now, 10)
		return err
	}))
	must(t, renewing.View(t.Context(), func(tx memory.ReadTx) error {
		n, err := tx.CountGrants(t.Context(), "s", acl.Public)
		if n != 0 {
			t.Errorf("%d grants are counted, want none", n)
		}
		return err
	}))
}

func TestAMembershipRenewedDuringASweepStays(t *testing.T) {
	database := postgrestest.Database(t)
	renewing, sweeping := openAt(t, database), openAt(t, database)
	now := time.Now().UTC().Truncate(time.Microsecond)
	for _, via := range []acl.Via{acl.ViaChat, acl.ViaUser} {
		put := func(until time.Time) func(tx memory.Tx) error {
			return func(tx memory.Tx) error {
				return tx.PutMembership(t.Context(), via, "of", "ada", acl.Membership{Present: true, ExpiresAt: until})
			}
		}
		mustUpdate(t, renewing, put(now.Add(-time.Hour)))
		swept := make(chan error, 1)
		mustUpdate(t, renewing, func(tx memory.Tx) error {
			if err := put(now.Add(time.Hour))(tx); err != nil {
				return err
			}
			go func() {
				swept <- sweeping.Update(t.Context(), func(tx memory.Tx) error {
					_, err := tx.TrimFacts(t.Context(), now, 10)
					return err
				})
			}()
			wait.Until(t, "the sweep waits for the renewal", func() error { return blocked(t.Context(), renewing) })
			return nil
		})
		must(t, <-swept)
		must(t, renewing.View(t.Context(), func(tx memory.ReadTx) error {
			m, err := tx.Membership(t.Context(), via, "of", "ada")
			if !m.Present || !m.ExpiresAt.Equal(now.Add(time.Hour)) {
				t.Errorf("%v: got %+v", via, m)
			}
			return err
		}))
	}
}

// The transaction that loads a dump may write millions of entries.
func TestATransactionWritesItsFeedInBoundedStatements(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		s := openAt(t, database(t))
		write := func(w *writeTx, key string) {
			t.Helper()
			must(t, w.Put(t.Context(), newEntry("s", key), doc("word")))
			if n := len(w.feed.stores); n >= maxFeed {
				t.Errorf("%d records are collected", n)
			}
		}
		mustUpdate(t, s, func(tx memory.Tx) error {
			w := tx.(*writeTx)
			write(w, "first")
			for range 2 {
				row := sqlcommon.FeedRow{Store: w.stores["s"].number, Label: acl.Public, At: time.Now()}
				for range maxFeed {
					w.announce(uuid.New(), []sqlcommon.FeedRow{row})
				}
				write(w, fmt.Sprint("after ", maxFeed, uuid.New()))
			}
			write(w, "last")
			return nil
		})
		var records, first, last, head int64
		must(t, s.view(t.Context(), func(r *readTx) error {
			_, err := r.one(t.Context(), []any{&records, &first, &last, &head}, "SELECT count(DISTINCT position), min(position), max(position), (SELECT last FROM feed_head) FROM feed")
			return err
		}))
		if want := int64(2*maxFeed + 4); records != want || first != 1 || last != want || head != want {
			t.Errorf("%d records from %d to %d, of %d, want %d", records, first, last, head, want)
		}
	})
}

func TestAFollowerMissesNoChangeInAnyCommitOrder(t *testing.T) {
	dsn := postgrestest.Database(t)
	const processes, rounds = 3, 60
	var all []memory.Entry
	first := openAt(t, dsn)
	mustUpdate(t, first, func(tx memory.Tx) error {
		for i := range processes * 4 {
			e := newEntry(fmt.Sprint("s", i), "k")
			all = append(all, e)
			if err := tx.Put(t.Context(), e, doc("word")); err != nil {
				return err
			}
		}
		return nil
	})
	var saved, rolledBack atomic.Int64
	var writers sync.WaitGroup
	errRollBack := errors.New("roll back")
	for p := range processes * 2 {
		s := openAt(t, dsn)
		writers.Go(func() {
			for range rounds {
				fail := rand.IntN(5) == 0
				err := s.ForIndexer().Update(t.Context(), func(tx indexer.Tx) error {
					// No other writer saves these two entries. Their order is random.
					for _, i := range rand.Perm(2) {
						e := all[2*p+i]
						ok, err := tx.SaveVectors(t.Context(), e.ID, 1, "model", []vector.Record{{Entry: e.ID, Vector: vector.Half{1}}})
						if err != nil || !ok {
							return fmt.Errorf("save: %v %w", ok, err)
						}
					}
					if rand.IntN(2) == 0 { // this read assigns positions, long before the commit
						if _, err := tx.VectorChanges(t.Context(), 0, 0); err != nil {
							return err
						}
					}
					if fail {
						return errRollBack
					}
					return nil
				})
				switch {
				case err == nil:
					saved.Add(2)
				case errors.Is(err, errRollBack):
					rolledBack.Add(1)
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		writers.Wait()
	}()
	follower := openAt(t, dsn)
	var position, seen int64
	for ended := false; ; {
		select {
		case <-done:
			ended = true
		default:
		}
		n := 0
		err := follower.ForIndexer().View(t.Context(), func(tx indexer.ReadTx) error {
			changes, reset, err := tx.Changes(t.Context(), position, 7)
			if err != nil || reset {
				return fmt.Errorf("changes: reset %v: %w", reset, err)
			}
			for _, c := range changes {
				if c.Position != position+1 {
					return fmt.Errorf("position %d follows %d", c.Position, position)
				}
				position = c.Position
			}
			n = len(changes)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		seen += int64(n)
		if ended && n == 0 {
			break
		}
	}
	if seen != saved.Load() || rolledBack.Load() == 0 {
		t.Errorf("%d changes seen of %d, %d transactions rolled back", seen, saved.Load(), rolledBack.Load())
	}
}

// A transaction that has lost several conflicts runs alone, after all others.
func TestATransactionThatKeepsConflictingRunsAlone(t *testing.T) {
	s := openAt(t, postgrestest.Database(t))
	held, release := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		err := s.Update(t.Context(), func(tx memory.Tx) error {
			err := increment(t.Context(), tx, "other")
			close(held)
			<-release
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	attempts, others := 0, 0
	err := s.Update(t.Context(), func(tx memory.Tx) error {
		w := tx.(*writeTx)
		switch attempts++; {
		case w.exclusive != (attempts >= aloneFrom):
			t.Errorf("attempt %d: exclusive is %v", attempts, w.exclusive)
		case attempts == aloneFrom-1:
			close(release) // the next attempt waits for the transaction of the other goroutine
			return errConflict
		case attempts < aloneFrom:
			return errConflict
		}
		entries, err := tx.At(t.Context(), memory.Path{Store: "other", Key: "counter"}.At(acl.Restricted))
		others = len(entries)
		return err
	})
	group.Wait()
	if err != nil || attempts != aloneFrom || others != 1 {
		t.Errorf("%d attempts, the last one saw %d entries: %v", attempts, others, err)
	}
}

func TestConcurrentProcessesLoseNoUpdate(t *testing.T) {
	onEachLayout(t, func(t *testing.T, database func(testing.TB) string) {
		dsn := database(t)
		const processes, rounds, stores = 4, 25, 3
		var group sync.WaitGroup
		for p := range processes {
			s := openAt(t, dsn)
			group.Go(func() {
				for i := range rounds {
					err := s.Update(t.Context(), func(tx memory.Tx) error {
						// Two stores in random order: some transactions deadlock.
						for _, n := range rand.Perm(stores)[:2] {
							if err := increment(t.Context(), tx, fmt.Sprint("s", n)); err != nil {
								return err
							}
						}
						return tx.Put(t.Context(), newEntry("log", fmt.Sprintf("%d/%d", p, i)), doc("word"))
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		total := 0
		s := openAt(t, dsn)
		err := s.View(t.Context(), func(tx memory.ReadTx) error {
			for n := range stores {
				entries, err := tx.At(t.Context(), memory.Path{Store: fmt.Sprint("s", n), Key: "counter"}.At(acl.Restricted))
				if err != nil || len(entries) != 1 {
					return fmt.Errorf("%d entries: %w", len(entries), err)
				}
				total += entries[0].Version
			}
			usage, err := tx.Usage(t.Context(), "log", "log", acl.Public, time.Now())
			if usage.Entries != processes*rounds {
				t.Errorf("%d entries counted", usage.Entries)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if total != 2*processes*rounds {
			t.Errorf("%d updates, want %d", total, 2*processes*rounds)
		}
		s.checkIndex(t)
	})
}

// increment edits the store's counter entry, or creates it: the entry's version is the count.
func increment(ctx context.Context, tx memory.Tx, store string) error {
	entries, err := tx.At(ctx, memory.Path{Store: store, Key: "counter"}.At(acl.Restricted))
	if err != nil {
		return err
	}
	e := newEntry(store, "counter")
	if len(entries) > 0 {
		e = entries[0]
		e.Version, e.Revision = e.Version+1, e.Revision+1
	}
	return tx.Put(ctx, e, doc("counter", fmt.Sprint("v", e.Version)))
}

// checkIndex compares the inverted index with the rows that it is derived from.
func (s *Storage) checkIndex(t *testing.T) {
	t.Helper()
	type indexed struct {
		store int64
		label int16
		term  string
		posting.Posting
	}
	want, got := make(map[indexed]bool), make(map[indexed]bool)
	tx, err := s.pool.BeginTx(t.Context(), pgx.TxOptions{BeginQuery: beginView})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	rows, err := tx.Query(t.Context(), "SELECT store, place, label, length, terms FROM entry WHERE terms IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var p indexed
		var terms []byte
		if err := rows.Scan(&p.store, &p.Doc, &p.label, &p.Length, &terms); err != nil {
			t.Fatal(err)
		}
		err := posting.Aligned.DecodeTerms(terms, func(key []byte, count uint32) {
			p.term, p.Count = string(key), count
			want[p] = true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, err = tx.Query(t.Context(), "SELECT store, label, block, term, data FROM posting")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var p indexed
		var block int32
		var term, data []byte
		if err := rows.Scan(&p.store, &p.label, &block, &term, &data); err != nil {
			t.Fatal(err)
		}
		postings, err := posting.Aligned.DecodeBlock(nil, posting.AlignedStart(block), data)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range postings {
			p.term, p.Posting = string(term), one
			if got[p] {
				t.Errorf("duplicate posting: %v", p)
			}
			got[p] = true
		}
	}
	for p := range want {
		if !got[p] {
			t.Errorf("posting missing: %v", p)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d postings, want %d", len(got), len(want))
	}
}

func TestProcessesStartedConcurrentlyMigrateOnce(t *testing.T) {
	dsn := postgrestest.Database(t)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			s, err := Open(t.Context(), dsn, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = s.Close() }()
			err = s.Update(t.Context(), func(tx memory.Tx) error {
				// The first transaction creates the secret, and the others find it.
				secret, err := tx.Meta(t.Context(), "secret")
				if err == nil && secret == nil {
					err = tx.SetMeta(t.Context(), "secret", fmt.Append(nil, rand.Int64()))
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestASchemaThatIsTooOldIsRefused(t *testing.T) {
	dsn := postgrestest.Database(t)
	s := openAt(t, dsn)
	if _, err := s.pool.Exec(t.Context(), "UPDATE goose_db_version SET version_id = 5 WHERE version_id > 0"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dsn, Options{}); !errors.Is(err, ErrOlder) || !strings.Contains(err.Error(), "export its entries") {
		t.Errorf("error %v", err)
	}
	if _, _, err := ReadSchema(t.Context(), dsn); !errors.Is(err, ErrOlder) {
		t.Errorf("its schema: error %v", err)
	}
}

func TestANewerSchemaIsRefused(t *testing.T) {
	dsn := postgrestest.Database(t)
	s := openAt(t, dsn)
	if _, err := s.pool.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), dsn, Options{}); !errors.Is(err, ErrNewer) {
		t.Errorf("error %v", err)
	}
}
