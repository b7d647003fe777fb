package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mneme/acl"
	"mneme/memory"
)

var batched = []clause{
	{"batched updates each have an outcome of their own", func(f *fixture) {
		const callers, each = 12, 8
		errStop := errors.New("stop")
		var group sync.WaitGroup
		for c := range callers {
			group.Go(func() {
				store := fmt.Sprint("s", c%4) // callers share stores
				for i := range each {
					ctx, cancel := context.WithCancel(f.ctx)
					e := entry(store, fmt.Sprintf("%d/%d", c, i), says("shared words"))
					kind := (c + i) % 4 // selects how the transaction ends
					outcome := func() (err error) {
						defer func() {
							if recover() != nil {
								err = errStop
							}
						}()
						return f.storage.UpdateBatched(ctx, func(tx memory.Tx) error {
							if err := put(ctx, tx, e); err != nil {
								return err
							}
							switch kind {
							case 1:
								return errStop
							case 2:
								panic("stop")
							case 3:
								cancel()
								return put(ctx, tx, entry(store, e.Key+"/second"))
							}
							return nil
						})
					}()
					cancel()
					if want := [...]error{nil, errStop, errStop, context.Canceled}[kind]; !errors.Is(outcome, want) {
						f.Errorf("the error of an end of kind %d is %v", kind, outcome)
					}
					if rows := f.get(e.ID); len(rows) != 1 && kind == 0 || len(rows) != 0 && kind != 0 {
						f.Errorf("an update with an end of kind %d left %d entries", kind, len(rows))
					}
				}
			})
		}
		group.Wait()
		reaches := []reach{{"s0", acl.Public}, {"s1", acl.Public}, {"s2", acl.Public}, {"s3", acl.Public}}
		f.equal(len(f.search(f.scope(reaches...), "shared", 1000)), callers*each/4)
		f.equal(f.depth(start), callers*each/4)
	}},

	{"batched updates lose nothing", func(f *fixture) {
		const writers, each = 8, 12
		counter := entry("a", "counter", says("count"))
		f.put(counter)
		var group sync.WaitGroup
		for range writers {
			group.Go(func() {
				for range each {
					err := f.storage.UpdateBatched(f.ctx, func(tx memory.Tx) error {
						rows, err := tx.Get(f.ctx, idsOf(counter))
						if err != nil {
							return err
						}
						return put(f.ctx, tx, edited(rows[0]))
					})
					if err != nil {
						f.Errorf("unexpected error: %v", err)
						return
					}
				}
			})
		}
		group.Wait()
		f.equal(f.get(counter.ID)[0].Version, 1+writers*each)
	}},

	{"an update that waits to run with others ends with its context", func(f *fixture) {
		entered, end := make(chan struct{}), make(chan struct{})
		var group sync.WaitGroup
		group.Go(func() {
			err := f.storage.UpdateBatched(f.ctx, func(tx memory.Tx) error {
				err := put(f.ctx, tx, entry("a", "first"))
				close(entered)
				<-end
				return err
			})
			if err != nil {
				f.Errorf("unexpected error: %v", err)
			}
		})
		<-entered
		ctx, cancel := context.WithCancel(f.ctx)
		waiting := entry("a", "waiting")
		outcome := make(chan error, 1)
		group.Go(func() {
			outcome <- f.storage.UpdateBatched(ctx, func(tx memory.Tx) error { return put(ctx, tx, waiting) })
		})
		cancel()
		f.wantError(<-outcome, context.Canceled)
		close(end)
		group.Wait()
		f.equal(len(f.get(waiting.ID)), 0)
		f.ok(f.storage.UpdateBatched(f.ctx, func(tx memory.Tx) error { return put(f.ctx, tx, entry("a", "after")) }))
	}},

	{"a closed storage runs no batched update", func(f *fixture) {
		f.ok(f.storage.Close())
		f.wantError(f.storage.UpdateBatched(f.ctx, func(memory.Tx) error { return nil }), memory.ErrUnavailable)
	}},
}
