package storagetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"mneme/acl"
	"mneme/memory"
)

var feeds = []clause{
	{"each write of an entry in context is a record of its path, without gaps", func(f *fixture) {
		e, other := entry("a", "k", func(e *memory.Entry) { e.Namespace = "n" }), entry("a", "l")
		f.put(e, other)
		e = edited(e)
		f.put(e)
		e = f.delete(e, after(time.Minute))
		f.put(changed(e, restored))
		f.put(entry("a", "hidden", outOfContext), entry("a", "sealed", encrypted), entry("b", "elsewhere"))
		f.equal(f.feed("a", acl.Public, memory.FeedPositions{}), []string{"1 1 n/k", "1 2 /l", "1 3 n/k", "1 4 n/k", "1 5 n/k", "1 6 /sealed"})
		f.equal(f.feed("b", acl.Public, memory.FeedPositions{}), []string{"1 1 /elsewhere"})
		f.equal(f.feed("none", acl.Restricted, memory.FeedPositions{}), []string{})
	}},

	{"each label has positions of its own, and those above the ceiling are not read", func(f *fixture) {
		f.put(entry("a", "low"), entry("a", "high", labelled(acl.Restricted)), entry("a", "mid", labelled(acl.Internal)), entry("a", "high 2", labelled(acl.Restricted)))
		f.equal(f.feed("a", acl.Internal, memory.FeedPositions{}), []string{"1 1 /low", "2 1 /mid"})
		f.equal(f.feed("a", acl.Restricted, memory.FeedPositions{1, 0, 0, 1}), []string{"2 1 /mid", "4 2 /high 2"})
		f.view(func(tx memory.ReadTx) error {
			for _, limit := range []int{0, 10} {
				feed, err := feedOf(f.ctx, tx, memory.FeedQuery{Store: "a", Ceiling: acl.Internal, Limit: limit})
				f.ok(err)
				f.equal(feed.Last, memory.FeedPositions{1, 1})
			}
			heads, err := tx.Feed(f.ctx, memory.FeedQuery{Store: "none", Ceiling: acl.Restricted}, memory.FeedQuery{Store: "a", Ceiling: acl.Restricted},
				memory.FeedQuery{Store: "b", Ceiling: acl.Restricted}, memory.FeedQuery{Store: "a", Ceiling: acl.Public})
			f.equal(heads, []memory.Feed{{}, {Last: memory.FeedPositions{1, 1, 0, 2}}, {}, {Last: memory.FeedPositions{1}}})
			return err
		})
	}},

	{"the limit is of each label, and keeps the order", func(f *fixture) {
		for i := range 5 {
			f.put(entry("a", fmt.Sprint(i)), entry("a", fmt.Sprint("high", i), labelled(acl.Internal)))
		}
		f.view(func(tx memory.ReadTx) error {
			feed, err := feedOf(f.ctx, tx, memory.FeedQuery{Store: "a", Ceiling: acl.Restricted, After: memory.FeedPositions{1}, Limit: 2})
			f.equal(shown(feed.Records), []string{"1 2 /1", "1 3 /2", "2 1 /high0", "2 2 /high1"})
			return err
		})
	}},

	{"a record has the time of its write, and of an expiry that instant", func(f *fixture) {
		e := entry("a", "k", expiring(after(time.Hour)))
		f.put(e)
		e = edited(e, func(e *memory.Entry) { e.UpdatedAt = after(time.Minute) })
		f.put(e)
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(e), after(2*time.Hour)) })
		f.view(func(tx memory.ReadTx) error {
			feed, err := feedOf(f.ctx, tx, memory.FeedQuery{Store: "a", Ceiling: acl.Public, Limit: 10})
			f.ok(err)
			var times []time.Time
			for _, r := range feed.Records {
				times = append(times, r.At)
			}
			f.equal(times, []time.Time{start, after(time.Minute), after(time.Hour)})
			return nil
		})
	}},

	{"an entry that leaves its path is a record of both paths", func(f *fixture) {
		e := entry("a", "old")
		f.put(e)
		e = edited(e, func(e *memory.Entry) { e.Key = "new" })
		f.put(e)
		e = edited(e, func(e *memory.Entry) { e.Namespace = "n" })
		f.put(e)
		f.equal(f.feed("a", acl.Public, memory.FeedPositions{1}), []string{"1 2 /old", "1 3 n/new", "1 4 /new", "1 5 n/new"})
	}},

	{"a sweep is a record, unless the entry was deleted or is not in context", func(f *fixture) {
		seen, gone, hidden := entry("a", "seen", expiring(start)), entry("a", "gone", expiring(start)), entry("a", "hidden", expiring(start), outOfContext)
		f.put(seen, gone, hidden)
		gone = f.delete(gone, after(-time.Hour))
		f.update(func(tx memory.Tx) error { return tx.Sweep(f.ctx, idsOf(seen, gone, hidden), start) })
		f.equal(f.feed("a", acl.Public, memory.FeedPositions{3}), []string{"1 4 /seen"})
	}},

	{"a purge leaves records without a path", func(f *fixture) {
		e, due, kept := entry("a", "old"), entry("a", "due", expiring(after(-time.Hour))), entry("a", "kept")
		f.put(e, due, kept)
		e = edited(e, func(e *memory.Entry) { e.Key = "new" })
		f.put(e)
		f.delete(e, after(-time.Hour))
		f.equal(len(f.purge(start, 10)), 2)
		f.equal(f.feed("a", acl.Public, memory.FeedPositions{}), []string{"1 1 /", "1 2 /", "1 3 /kept", "1 4 /", "1 5 /", "1 6 /", "1 7 /"})
	}},

	{"Trim removes records that are older than a time or beyond a number, and the feed says how far", func(f *fixture) {
		for i := range 6 {
			at := func(e *memory.Entry) {
				e.CreatedAt, e.UpdatedAt = after(time.Duration(i)*time.Minute), after(time.Duration(i)*time.Minute)
			}
			f.put(entry("a", fmt.Sprint(i), at), entry("b", fmt.Sprint(i), at, labelled(acl.Internal)))
		}
		trim := func(before time.Time, keep int64, limit int) (more bool) {
			f.update(func(tx memory.Tx) (err error) {
				more, err = tx.TrimFeed(f.ctx, before, keep, limit)
				return err
			})
			return more
		}
		f.equal(trim(start, 100, 100), false)
		f.equal(trim(after(2*time.Minute), 100, 3), true)
		f.equal(len(f.feed("b", acl.Internal, memory.FeedPositions{0, 1})), 5)
		f.equal(trim(after(2*time.Minute), 100, 3), true)
		f.equal(trim(after(2*time.Minute), 100, 3), false)
		f.equal(f.feed("a", acl.Public, memory.FeedPositions{2}), []string{"1 3 /2", "1 4 /3", "1 5 /4", "1 6 /5"})
		f.equal(trim(start, 3, 100), true)
		f.view(func(tx memory.ReadTx) error {
			feed, err := feedOf(f.ctx, tx, memory.FeedQuery{Store: "b", Ceiling: acl.Restricted, After: memory.FeedPositions{0, 3}, Limit: 100})
			f.equal(feed.Removed, memory.FeedPositions{0, 3})
			f.equal(feed.Last, memory.FeedPositions{0, 6})
			f.equal(shown(feed.Records), []string{"2 4 /3", "2 5 /4", "2 6 /5"})
			return err
		})
		f.equal(trim(after(time.Hour), 100, 100), true)
		f.put(entry("a", "next"))
		f.equal(f.feed("a", acl.Public, memory.FeedPositions{6}), []string{"1 7 /next"})
	}},

	{"AtPaths returns what At does for several paths, but only what is in context", func(f *fixture) {
		at := func(namespace string) func(*memory.Entry) {
			return func(e *memory.Entry) { e.Namespace = namespace }
		}
		found := []memory.Entry{entry("a", "k"), entry("a", "k", labelled(acl.Internal)), entry("a", "k", ownedBy("b")), entry("a", "l", at("n"), expiring(start))}
		deleted := entry("a", "m")
		f.put(append(found, deleted, entry("a", "k", ownedBy("c"), outOfContext), entry("a", "k", labelled(acl.Restricted)), entry("a", "l"), entry("b", "k"))...)
		f.delete(deleted, start)
		paths := []memory.Path{{Store: "a", Key: "k"}, {Store: "a", Namespace: "n", Key: "l"}, {Store: "a", Key: "m"}, {Store: "a", Key: "none"}}
		f.view(func(tx memory.ReadTx) error {
			got, err := tx.At(f.ctx, memory.AtPaths{Paths: paths, Ceiling: acl.Internal, InContext: true})
			f.ok(err)
			sortByID(got)
			f.equal(got, withoutText(found...))
			none, err := tx.At(f.ctx, memory.AtPaths{Paths: nil, Ceiling: acl.Internal, InContext: true})
			f.equal(len(none), 0)
			return err
		})
	}},

	{"what expires in a store is listed up to a ceiling, the first one first", func(f *fixture) {
		first, second, later := entry("a", "1", expiring(after(-2*time.Hour)), labelled(acl.Internal)), entry("a", "2", expiring(start)), entry("a", "3", expiring(after(time.Hour)))
		deleted, high := entry("a", "4", expiring(after(-3*time.Hour))), entry("a", "5", expiring(after(-3*time.Hour)), labelled(acl.Restricted))
		f.put(first, second, later, deleted, high, entry("a", "6"), entry("b", "7", expiring(after(-4*time.Hour))))
		f.delete(deleted, start)
		next := func(store string, ceiling acl.Label) (t time.Time) {
			f.view(func(tx memory.ReadTx) error {
				first, err := tx.Expiring(f.ctx, memory.ExpiryQuery{Store: store, Ceiling: ceiling, Limit: 1})
				if len(first) > 0 {
					t = first[0].At
				}
				return err
			})
			return t
		}
		f.equal(next("a", acl.Confidential), after(-2*time.Hour))
		f.equal(next("a", acl.Public), start)
		f.equal(next("none", acl.Restricted).IsZero(), true)
		f.update(func(tx memory.Tx) error {
			due, err := expiringIn(tx.Expiring(f.ctx, memory.ExpiryQuery{Store: "a", Ceiling: acl.Confidential, Until: start, Limit: 10}))
			f.ok(err)
			f.equal(sorted(due), sorted(idsOf(first, second)))
			one, err := expiringIn(tx.Expiring(f.ctx, memory.ExpiryQuery{Store: "a", Ceiling: acl.Confidential, Until: start, Limit: 1}))
			f.ok(err)
			f.equal(len(one), 1)
			return tx.Sweep(f.ctx, due, start)
		})
		f.equal(next("a", acl.Confidential), after(time.Hour))
	}},

	{"a reader that has seen a record misses none before it, whatever is written at the same time", func(f *fixture) {
		const writers, writes = 4, 15
		var running sync.WaitGroup
		for w := range writers {
			running.Go(func() {
				for i := range writes {
					label := acl.Label(1 + i%2)
					err := f.storage.Update(f.ctx, func(tx memory.Tx) error {
						return put(f.ctx, tx, entry("a", fmt.Sprint(w, "-", i, "-1"), labelled(label)), entry("b", fmt.Sprint(w, "-", i)), entry("a", fmt.Sprint(w, "-", i, "-2"), labelled(label)))
					})
					if err != nil {
						f.Error(err)
						return
					}
				}
			})
		}
		var after memory.FeedPositions
		var seen []string
		for len(seen) < 2*writers*writes && !f.Failed() {
			f.view(func(tx memory.ReadTx) error {
				feed, err := feedOf(f.ctx, tx, memory.FeedQuery{Store: "a", Ceiling: acl.Restricted, After: after, Limit: 3})
				f.ok(err)
				for _, r := range feed.Records {
					if last := after.Of(r.Label); r.Position != *last+1 {
						f.Errorf("position %d follows %d", r.Position, *last)
					}
					*after.Of(r.Label) = r.Position
					seen = append(seen, r.Key)
				}
				return nil
			})
		}
		running.Wait()
		slices.Sort(seen)
		f.equal(len(slices.Compact(seen)), 2*writers*writes)
	}},
}

// feed returns the records of a store after positions.
func (f *fixture) feed(store string, ceiling acl.Label, after memory.FeedPositions) (records []string) {
	f.Helper()
	f.view(func(tx memory.ReadTx) error {
		feed, err := feedOf(f.ctx, tx, memory.FeedQuery{Store: store, Ceiling: ceiling, After: after, Limit: 100})
		records = shown(feed.Records)
		return err
	})
	return records
}

func shown(records []memory.FeedRecord) []string {
	lines := make([]string, len(records))
	for i, r := range records {
		lines[i] = fmt.Sprintf("%d %d %s/%s", r.Label, r.Position, r.Namespace, r.Key)
	}
	return lines
}
