package storagetest

import (
	"fmt"
	"strings"
	"time"

	"mneme/acl"
	"mneme/indexer"
	"mneme/memory"
)

// sized makes an entry's value so long that embedding it takes that many chunks.
func sized(chunks int) func(*memory.Entry) {
	return func(e *memory.Entry) {
		e.Value = text(strings.Repeat("garden ", (chunks-1)*448+1)) // one token per word
	}
}

// queuedAt sets the time at which an entry's row is queued.
func queuedAt(at time.Time) func(*memory.Entry) {
	return func(e *memory.Entry) { e.CreatedAt, e.UpdatedAt = at, at }
}

// keysOfLeases returns the stores and keys of leased entries.
func (f *fixture) keysOfLeases(leases []indexer.Lease) []string {
	f.Helper()
	keys := make([]string, len(leases))
	for i, lease := range leases {
		for _, e := range f.get(lease.Entry) {
			keys[i] = e.Store + "/" + e.Key
		}
	}
	return keys
}

// wantTurn takes a turn, which must lease these entries, and returns where the next turn
// continues.
func (f *fixture) wantTurn(turn indexer.Turn, want ...string) (last int64) {
	f.Helper()
	leases, last := f.turn(start, turn)
	f.equal(f.keysOfLeases(leases), append([]string{}, want...))
	return last
}

var turns = []clause{
	{"a lease names the store's number and the cost that Chunks estimates", func(f *fixture) {
		e := entry("b", "k", sized(5))
		f.put(entry("a", "k"), e)
		leases, _ := f.turn(start, indexer.Turn{Work: indexer.Short, Rows: 10, Chunks: 100})
		var numbers map[string]int64
		f.view(func(tx memory.ReadTx) (err error) {
			numbers, err = numbersOf(f.ctx, tx, "b")
			return err
		})
		f.equal(leases[1], indexer.Lease{Entry: e.ID, Revision: 1, Store: numbers["b"], Chunks: 5})
		f.equal(indexer.Chunks(&e), 5)
	}},

	{"stores share a turn, and what one leaves goes to the others", func(f *fixture) {
		for i := range 10 {
			f.put(entry("busy", fmt.Sprint(i), queuedAt(after(time.Duration(i)*time.Second))))
		}
		f.put(entry("two", "0", queuedAt(after(time.Minute))), entry("two", "1", queuedAt(after(time.Hour))), entry("one", "0", queuedAt(after(time.Hour))))
		f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 6, Chunks: 100}, "busy/0", "busy/1", "two/0", "two/1", "one/0", "busy/2")
	}},

	{"a turn begins after the store at which the last one ended, and goes round", func(f *fixture) {
		for _, store := range []string{"a", "b", "c"} {
			for i := range 3 {
				f.put(entry(store, fmt.Sprint(i), queuedAt(after(time.Duration(i)*time.Second))))
			}
		}
		last := f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 2, Chunks: 100}, "a/0", "b/0")
		last = f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 2, Chunks: 100, After: last}, "c/0", "a/1")
		f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 1, Chunks: 100, After: last}, "b/1")
	}},

	{"of each store the cheapest rows come first, then the oldest", func(f *fixture) {
		f.put(entry("a", "dear", sized(5)), entry("a", "cheap", queuedAt(after(time.Second))), entry("a", "cheaper later", queuedAt(after(time.Hour))),
			entry("b", "b", sized(2)))
		f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 4, Chunks: 100}, "a/cheap", "a/cheaper later", "b/b", "a/dear")
	}},

	{"a turn takes no more chunks than it allows, but a first row always", func(f *fixture) {
		f.put(entry("a", "k", sized(5)), entry("b", "k", sized(3)), entry("c", "k", sized(2)), entry("d", "k"))
		last := f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 10, Chunks: 2}, "a/k")
		// The next turn begins with what did not fit.
		last = f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 10, Chunks: 5, After: last}, "b/k", "c/k")
		f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 10, Chunks: 5, After: last}, "d/k")
	}},

	{"short and long rows are separate kinds of work", func(f *fixture) {
		f.put(entry("a", "long", sized(indexer.LongChunks+1)), entry("a", "short", sized(indexer.LongChunks)), entry("b", "longer", sized(60)))
		f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 10, Chunks: 100}, "a/short")
		f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 10, Chunks: 100})
		f.wantTurn(indexer.Turn{Work: indexer.Long, Rows: 10, Chunks: 100}, "a/long", "b/longer")
		f.wantTurn(indexer.Turn{Work: indexer.Long, Rows: 10, Chunks: 100})
	}},

	{"the oldest rows are taken whatever their store and cost", func(f *fixture) {
		f.put(entry("b", "second", sized(60), queuedAt(after(time.Second))), entry("a", "third", queuedAt(after(2*time.Second))), entry("c", "first"))
		f.wantTurn(indexer.Turn{Work: indexer.Oldest, Rows: 10, Chunks: 59}, "c/first")
		f.wantTurn(indexer.Turn{Work: indexer.Oldest, Rows: 10, Chunks: 59}, "b/second")
		f.wantTurn(indexer.Turn{Work: indexer.Oldest, Rows: 10, Chunks: 59}, "a/third")
	}},

	{"rows with nothing to embed cost nothing, and are due", func(f *fixture) {
		e := entry("a", "k", sized(60))
		f.put(e)
		f.drain()
		f.delete(e, start)
		f.put(entry("a", "private", outOfContext), entry("a", "sealed", encrypted))
		leases, _ := f.turn(start, indexer.Turn{Work: indexer.Short, Rows: 10, Chunks: 1})
		f.equal(len(leases), 3)
		for _, lease := range leases {
			f.equal(lease.Chunks, 0)
		}
	}},

	{"an entry that is written again keeps its place among those that wait", func(f *fixture) {
		e := entry("a", "k")
		f.put(e)
		f.put(entry("a", "other", queuedAt(after(time.Second))))
		again := edited(e, queuedAt(after(time.Minute)))
		f.put(again)
		f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 1, Chunks: 100}, "a/k")
		f.drain()
		// Once deleted, the entry does not wait; once restored, it waits again.
		gone := changed(again, deletedAt(after(time.Hour)))
		f.put(gone, entry("a", "third", queuedAt(after(90*time.Minute))), edited(gone, restored, queuedAt(after(2*time.Hour))))
		f.wantTurn(indexer.Turn{Work: indexer.Short, Rows: 1, Chunks: 100}, "a/third")
	}},

	{"a returned row comes before those of its store that were queued later", func(f *fixture) {
		returned := entry("a", "returned", queuedAt(after(time.Second)))
		f.put(returned)
		leases, _ := f.turn(start, indexer.Turn{Work: indexer.Short, Rows: 1, Chunks: 100})
		f.updateIndex(func(tx indexer.Tx) error {
			return tx.Finish(f.ctx, leases[0], &indexer.Failure{Until: start, Reason: "timeout"})
		})
		for i := range 50 {
			f.put(entry("a", fmt.Sprint(i), queuedAt(after(time.Minute))))
		}
		leases, _ = f.turn(start, indexer.Turn{Work: indexer.Short, Rows: 1, Chunks: 100})
		f.equal(leases[0].Entry, returned.ID)
		f.equal(leases[0].Attempts, 1)
	}},
}

// lagging reports whether an entry of a scope has waited in the queue since before start.
func (f *fixture) lagging(now time.Time, reaches ...reach) (lagging bool) {
	f.Helper()
	scope := f.scope(reaches...)
	f.view(func(tx memory.ReadTx) (err error) {
		lagging, err = tx.WaitingIn(f.ctx, scope, start, now)
		return err
	})
	return lagging
}

var lags = []clause{
	{"an entry lags if it waits since before the time, leased or in backoff or not", func(f *fixture) {
		own := reach{"a", acl.Public}
		f.equal(f.lagging(start, own), false)
		f.put(entry("a", "recent"))
		f.equal(f.lagging(start, own), false)
		f.put(entry("a", "k", queuedAt(start.Add(-time.Microsecond))))
		f.equal(f.lagging(start, own), true)
		leases := f.lease(start, 10)
		f.equal(f.lagging(start, own), true)
		f.updateIndex(func(tx indexer.Tx) error {
			return tx.Finish(f.ctx, leases[0], &indexer.Failure{Until: after(time.Hour), Reason: "timeout"})
		})
		f.equal(f.lagging(start, own), true)
		f.drain()
		f.equal(f.lagging(start, own), false)
	}},

	{"only entries within the scope lag", func(f *fixture) {
		long := queuedAt(start.Add(-time.Hour))
		f.put(entry("a", "higher", long, labelled(acl.Confidential)), entry("b", "k", long), entry("c", "recent"))
		f.equal(f.lagging(start), false)
		f.equal(f.lagging(start, reach{"a", acl.Internal}, reach{"c", acl.Restricted}, reach{"nowhere", acl.Restricted}), false)
		f.equal(f.lagging(start, reach{"a", acl.Confidential}), true)
		f.equal(f.lagging(start, reach{"a", acl.Internal}, reach{"b", acl.Public}), true)
	}},

	{"only live searchable entries lag", func(f *fixture) {
		long := queuedAt(start.Add(-time.Hour))
		gone := entry("a", "gone", long)
		f.put(gone, entry("a", "private", long, outOfContext),
			entry("a", "sealed", long, encrypted),
			entry("a", "expiring", long, expiring(start)))
		f.put(changed(gone, deletedAt(start.Add(-time.Minute))))
		f.equal(f.lagging(start, reach{"a", acl.Restricted}), false)
		f.equal(f.lagging(start.Add(-time.Microsecond), reach{"a", acl.Restricted}), true)
	}},
}
