package storagetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"mneme/indexer"
	"mneme/memory"
)

const leaseTime = time.Minute

// lease leases at most limit rows, the oldest first. It clears store and chunks of the leases,
// so that tests can compare them.
func (f *fixture) lease(now time.Time, limit int) (leases []indexer.Lease) {
	f.Helper()
	leases, _ = f.turn(now, indexer.Turn{Work: indexer.Oldest, Rows: limit, Chunks: 1_000_000})
	for i := range leases {
		leases[i].Store, leases[i].Chunks = 0, 0
	}
	return leases
}

func (f *fixture) turn(now time.Time, turn indexer.Turn) (leases []indexer.Lease, last int64) {
	f.Helper()
	f.updateIndex(func(tx indexer.Tx) (err error) {
		leases, last, err = tx.Lease(f.ctx, now, now.Add(leaseTime), turn)
		return err
	})
	return leases, last
}

func (f *fixture) done(leases ...indexer.Lease) {
	f.Helper()
	f.updateIndex(func(tx indexer.Tx) error {
		for _, l := range leases {
			f.ok(tx.Finish(f.ctx, l, nil))
		}
		return nil
	})
}

// drain empties the queue.
func (f *fixture) drain() {
	f.Helper()
	f.done(f.lease(after(1000*time.Hour), 1_000_000)...)
	f.equal(f.depth(start), 0)
}

func (f *fixture) depth(now time.Time) (rows int64) {
	f.Helper()
	f.viewIndex(func(tx indexer.ReadTx) (err error) {
		rows, _, err = tx.QueueDepth(f.ctx, now)
		return err
	})
	return rows
}

func (f *fixture) pending(id uuid.UUID) (pending bool) {
	f.Helper()
	f.viewIndex(func(tx indexer.ReadTx) (err error) {
		pending, err = tx.Waiting(f.ctx, id)
		return err
	})
	return pending
}

var queues = []clause{
	{"every Put queues its entry once, at its revision", func(f *fixture) {
		e := entry("a", "k")
		f.equal(f.pending(e.ID), false)
		f.put(e)
		f.put(edited(e))
		f.equal(f.pending(e.ID), true)
		f.equal(f.lease(start, 10), []indexer.Lease{{Entry: e.ID, Revision: 2}})
		f.drain()
		f.equal(f.pending(e.ID), false)
		f.put(changed(edited(e), deletedAt(start)))
		f.equal(f.pending(e.ID), true)
	}},

	{"a leased row is hidden until its lease ends", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		f.equal(len(f.lease(start, 10)), 1)
		f.equal(len(f.lease(start, 10)), 0)
		f.equal(len(f.lease(after(leaseTime-time.Microsecond), 10)), 0)
		f.equal(f.pending(e.ID), true)
		f.equal(len(f.lease(after(leaseTime), 10)), 1)
	}},

	{"a lease or backoff made before the clock was set back ends at once", func(f *fixture) {
		leased, failed := entry("a", "leased"), entry("a", "failed")
		f.put(leased)
		f.put(failed)
		f.equal(len(f.lease(start, 10)), 2)
		f.updateIndex(func(tx indexer.Tx) error {
			return tx.Finish(f.ctx, indexer.Lease{Entry: failed.ID, Revision: 1}, &indexer.Failure{Until: after(indexer.MaxDelay / 2), Reason: "timeout"})
		})
		f.equal(len(f.lease(start, 10)), 0)
		f.equal(len(f.lease(after(-time.Hour), 10)), 2)
	}},

	{"entries that their embedder does not take are named until they are written again", func(f *fixture) {
		storage := f.storage.(interface {
			Refused(ctx context.Context, limit int) ([]indexer.Refused, error)
		})
		refused := func(limit int) []indexer.Refused {
			list, err := storage.Refused(f.ctx, limit)
			f.ok(err)
			return list
		}
		first, second, other := entry("a", "first"), entry("b", "second"), entry("a", "other")
		second.Namespace = "n"
		for i, e := range []memory.Entry{first, second, other} {
			e.UpdatedAt = after(time.Duration(i) * time.Second)
			f.put(e)
		}
		f.equal(len(refused(10)), 0)
		const reason = ": status 413"
		for _, lease := range f.lease(after(time.Minute), 10) {
			failure := indexer.Failure{Until: after(time.Hour), Reason: indexer.RefusedReason + reason}
			if lease.Entry == other.ID {
				failure.Reason = "timeout"
			}
			f.updateIndex(func(tx indexer.Tx) error { return tx.Finish(f.ctx, lease, &failure) })
		}
		list := refused(10)
		slices.SortFunc(list, func(a, b indexer.Refused) int { return strings.Compare(a.Key, b.Key) })
		f.equal(list, []indexer.Refused{
			{Store: "a", Key: "first", Reason: indexer.RefusedReason + reason},
			{Store: "b", Namespace: "n", Key: "second", Reason: indexer.RefusedReason + reason},
		})
		f.equal(len(refused(1)), 1)
		f.put(edited(first))
		f.put(changed(second, deletedAt(start)))
		f.equal(len(refused(10)), 0)
	}},

	{"no row is leased twice by workers at the same time", func(f *fixture) {
		const rows = 60
		for i := range rows {
			f.put(entry("a", fmt.Sprint(i)))
		}
		var mu sync.Mutex
		taken := make(map[uuid.UUID]int)
		var group sync.WaitGroup
		for i := range 4 {
			work := []indexer.Work{indexer.Short, indexer.Oldest}[i%2]
			group.Go(func() {
				for {
					var leases []indexer.Lease
					err := f.storage.ForIndexer().Update(f.ctx, func(tx indexer.Tx) (err error) {
						leases, _, err = tx.Lease(f.ctx, start, after(leaseTime), indexer.Turn{Work: work, Rows: 7, Chunks: 100})
						return err
					})
					if err != nil {
						f.Errorf("lease: %v", err)
					}
					if err != nil || len(leases) == 0 {
						return
					}
					mu.Lock()
					for _, l := range leases {
						taken[l.Entry]++
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		f.equal(len(taken), rows)
		for _, n := range taken {
			f.equal(n, 1)
		}
	}},

	{"rows are leased in the order in which they were queued, at most limit at a time", func(f *fixture) {
		var want []uuid.UUID
		for i := range 10 {
			e := entry("a", fmt.Sprint(i), func(e *memory.Entry) { e.UpdatedAt = after(time.Duration(i) * time.Second) })
			want = append(want, e.ID)
			f.put(e)
		}
		var got []uuid.UUID
		for {
			leases := f.lease(after(time.Minute), 3)
			if len(leases) > 3 {
				f.Fatalf("%d leases", len(leases))
			}
			if len(leases) == 0 {
				break
			}
			for _, l := range leases {
				got = append(got, l.Entry)
			}
		}
		f.equal(got, want)
	}},

	{"Done removes a row at the lease's revision, but not one that has been queued again", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		lease := f.lease(start, 10)
		f.put(edited(e))
		f.done(lease...)
		f.equal(f.pending(e.ID), true)
		// The entry that was queued again is due at once, although the old lease has not ended.
		again := f.lease(start, 10)
		f.equal(again, []indexer.Lease{{Entry: e.ID, Revision: 2}})
		f.done(again...)
		f.equal(f.pending(e.ID), false)
		f.done(again...)
	}},

	{"Renew changes the end of a lease, and an end that has passed makes the row due", func(f *fixture) {
		e, other := entry("a", "k"), entry("a", "other")
		f.put(e, other)
		leases := f.lease(start, 10)
		renew := func(until time.Time) {
			f.updateIndex(func(tx indexer.Tx) error { return tx.Renew(f.ctx, leases, until) })
		}
		renew(after(2 * leaseTime))
		f.equal(len(f.lease(after(2*leaseTime-time.Microsecond), 10)), 0)
		f.equal(len(f.lease(after(2*leaseTime), 10)), 2)
		f.done(leases[1:]...)
		renew(start)
		f.equal(f.lease(start, 10), leases[:1])
	}},

	{"Renew of an old lease does not touch a row that was queued again", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		old := f.lease(start, 10)
		f.put(edited(e))
		f.updateIndex(func(tx indexer.Tx) error { return tx.Renew(f.ctx, old, after(time.Hour)) })
		f.equal(f.lease(start, 10), []indexer.Lease{{Entry: e.ID, Revision: 2}})
		f.updateIndex(func(tx indexer.Tx) error { return tx.Renew(f.ctx, old, start) })
		f.equal(len(f.lease(start, 10)), 0)
		f.updateIndex(func(tx indexer.Tx) error { return tx.Renew(f.ctx, nil, start) })
	}},

	{"Retry makes a row due at a later time and counts the attempt", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		for attempt := range 3 {
			now := after(time.Duration(attempt) * time.Hour)
			leases := f.lease(now, 10)
			f.equal(leases, []indexer.Lease{{Entry: e.ID, Revision: 1, Attempts: attempt}})
			f.updateIndex(func(tx indexer.Tx) error {
				return tx.Finish(f.ctx, leases[0], &indexer.Failure{Until: now.Add(time.Hour), Reason: "timeout"})
			})
			f.equal(len(f.lease(now.Add(time.Hour-time.Microsecond), 10)), 0)
		}
	}},

	{"Retry of an old lease does not touch a row that was queued again", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		old := f.lease(start, 10)
		f.put(edited(e))
		f.updateIndex(func(tx indexer.Tx) error {
			return tx.Finish(f.ctx, old[0], &indexer.Failure{Until: after(time.Hour), Reason: "timeout"})
		})
		f.equal(f.lease(start, 10), []indexer.Lease{{Entry: e.ID, Revision: 2}})
	}},

	{"a returned row does not wait for all fresh ones", func(f *fixture) {
		returned := entry("a", "returned")
		f.put(returned)
		lease := f.lease(start, 1)
		f.updateIndex(func(tx indexer.Tx) error {
			return tx.Finish(f.ctx, lease[0], &indexer.Failure{Until: after(time.Second), Reason: "timeout"})
		})
		for i := range 50 {
			f.put(entry("a", fmt.Sprint(i)))
		}
		for _, l := range f.lease(after(time.Second), 8) {
			if l.Entry == returned.ID {
				return
			}
		}
		f.Error("the returned row was not leased")
	}},

	{"QueueDepth returns the number of rows and percentiles of their waits", func(f *fixture) {
		depth := func() (rows int64, waits indexer.Waits) {
			f.viewIndex(func(tx indexer.ReadTx) (err error) {
				rows, waits, err = tx.QueueDepth(f.ctx, after(200*time.Second))
				return err
			})
			return rows, waits
		}
		for i := range 200 {
			f.put(entry("a", fmt.Sprint(i), func(e *memory.Entry) { e.UpdatedAt = after(time.Duration(i) * time.Second) }))
		}
		rows, waits := depth()
		f.equal(rows, 200)
		f.equal(waits, indexer.Waits{P50: 100 * time.Second, P90: 180 * time.Second, P99: 198 * time.Second, Max: 200 * time.Second})
		f.done(f.lease(start, 199)...)
		rows, waits = depth()
		f.equal(rows, 1)
		f.equal(waits, indexer.Waits{P50: time.Second, P90: time.Second, P99: time.Second, Max: time.Second})
		f.drain()
		rows, waits = depth()
		f.equal(rows, 0)
		f.equal(waits, indexer.Waits{})
	}},
}
