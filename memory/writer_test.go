package memory_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed/choice"
	"mneme/memory"
	"mneme/storage"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// updates is a storage that lets a test observe and block writing transactions.
type updates struct {
	storage.Storage
	running, count atomic.Int64
	hold           chan struct{}     // unless nil, each transaction waits for it
	before         func(n int) error // unless nil, it runs before each transaction, after n have begun; its error fails the transaction
}

func (u *updates) Update(ctx context.Context, fn func(memory.Tx) error) error {
	return u.run(func() error { return u.Storage.Update(ctx, fn) })
}

func (u *updates) UpdateBatched(ctx context.Context, fn func(memory.Tx) error) error {
	return u.run(func() error { return u.Storage.UpdateBatched(ctx, fn) })
}

func (u *updates) run(update func() error) error {
	n := int(u.count.Add(1))
	if u.before != nil {
		if err := u.before(n); err != nil {
			return err
		}
	}
	if u.hold != nil {
		u.running.Add(1)
		defer u.running.Add(-1)
		<-u.hold
	}
	return update()
}

// openUpdates opens a service over a fresh database whose writing transactions a test observes.
func openUpdates(t *testing.T, b backendtest.Backend, options memory.Options) (*updates, *harness) {
	t.Helper()
	rows := &updates{Storage: b.Open(t).Storage(t)}
	p := backendtest.OpenProcess(t, rows, backendtest.Options{Memory: options})
	return rows, &harness{backendtest.Wrap(t, p), t}
}

// awaitWrites waits until calls writes are running or waiting. It returns the number of running
// ones.
func awaitWrites(t *testing.T, what string, rows *updates, h *harness, calls int) (running int64) {
	t.Helper()
	wait.Until(t, what+" takes turns", func() error {
		load := h.WriteLoad()
		if running = rows.running.Load(); running != int64(load.Running) || load.Running+load.Waiting != calls {
			return fmt.Errorf("%d transactions run, %+v", running, load)
		}
		return nil
	})
	return running
}

// An agent takes a turn for every write, and never holds more than its share of the writers. So
// another agent's write always finds a free one.
func TestAnAgentHoldsItsShareOfTheWriters(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		rows, h := openUpdates(t, b, memory.Options{Limits: memory.Limits{WriteWait: wait.Limit}})
		ada := agent("ada", acl.Public)
		platform := caller(acl.Principal{Agent: "hog", Taint: acl.Restricted, Platform: true})
		put := func(c memory.Caller) error {
			_, err := h.Put(background, c, memory.PutRequest{Path: path(c.Agent, "k"), Value: text("tea")})
			return err
		}
		must(h, put(platform))
		must(h, put(ada))
		items := []memory.BatchItem{{Op: memory.BatchPut, PutRequest: memory.PutRequest{Path: memory.Path{Key: "k"}, Value: text("tea")}}}
		calls := map[string]func(c memory.Caller) error{
			"put": put,
			"delete": func(c memory.Caller) error {
				return h.Delete(background, c, path("hog", "none"), memory.Preconditions{})
			},
			"delete a tree": func(c memory.Caller) error {
				_, err := h.DeleteTree(background, c, memory.Tree{Store: "hog", Folder: "none"})
				return err
			},
			"rename a tree": func(c memory.Caller) error {
				_, err := h.RenameTree(background, c, memory.Tree{Store: "hog", Folder: "none"}, "hog", "other")
				return err
			},
			"rename": func(c memory.Caller) error {
				_, err := h.Rename(background, c, memory.RenameRequest{Path: path("hog", "none"), To: "other"})
				return err
			},
			"restore": func(c memory.Caller) error {
				_, err := h.Restore(background, c, memory.RestoreRequest{Path: path("hog", "none")})
				return err
			},
			"batch": func(c memory.Caller) error {
				_, err := h.Batch(background, c, memory.BatchRequest{Store: "hog", Items: items})
				return err
			},
			"import": func(c memory.Caller) error {
				_, err := h.PutAll(background, c, []memory.PutRequest{{Path: path("hog", "k"), Value: text("tea")}})
				return err
			},
			"record an import": func(c memory.Caller) error {
				return h.Outcomes().RecordImport(background, c, memory.Idempotency{Key: "k"}, nil)
			},
			"share": func(c memory.Caller) error {
				_, err := h.Share(background, c, memory.ShareRequest{Store: "hog", Grantee: "bob"})
				return err
			},
			"unshare": func(c memory.Caller) error { return h.Unshare(background, c, "hog", "none") },
			"language": func(c memory.Caller) error {
				_, err := h.SetLanguage(background, c, "hog", choice.LanguageEnglish)
				return err
			},
			"settings": func(c memory.Caller) error { return h.PutSettings(background, c, "hog", acl.Settings{}) },
			"participant": func(c memory.Caller) error {
				return h.PutParticipant(background, c, "room", "bob", nil)
			},
			"no participant": func(c memory.Caller) error { return h.DeleteParticipant(background, c, "room", "none") },
			"session":        func(c memory.Caller) error { return h.PutSession(background, c, "user", "bob", nil) },
		}
		limits := rows.Writers()
		for name, call := range calls {
			rows.hold = make(chan struct{})
			n := 2 * limits.RunningEach
			var group sync.WaitGroup
			for range n {
				group.Go(func() {
					if err := call(platform); err != nil && status(err) >= 500 {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			most := awaitWrites(t, name, rows, h, n)
			if most < 1 || most > int64(limits.RunningEach) {
				t.Errorf("%s: %d transactions of an agent run at a time", name, most)
			}
			group.Go(func() {
				if err := put(ada); err != nil {
					t.Errorf("beside %s: %v", name, err)
				}
			})
			if beside := awaitWrites(t, "a put beside "+name, rows, h, n+1); beside != most+1 {
				t.Errorf("beside %s: %d transactions run, and another's put does not", name, beside)
			}
			close(rows.hold)
			group.Wait()
			rows.hold = nil
		}
	})
}

// Writes to one store are sent to PostgreSQL one after another. An agent's writes to several
// stores and its reads together use less than half of the connections.
func TestWritersOfAStoreWaitInTheProcess(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		rows, h := openUpdates(t, b, memory.Options{Limits: memory.Limits{WriteWait: wait.Limit}})
		limits := rows.Writers()
		if !limits.ByStore {
			t.Skip("the storage has one writer")
		}
		if each, all := limits.RunningEach+rows.Readers()/2, limits.Running+rows.Readers(); 2*each >= all {
			t.Errorf("an agent may have %d of %d connections", each, all)
		}
		rows.hold = make(chan struct{})
		var group sync.WaitGroup
		write := func(store, key string) {
			group.Go(func() {
				if _, err := h.Put(background, agent(store, acl.Public), memory.PutRequest{Path: path(store, key), Value: text("tea")}); err != nil {
					t.Error(err)
				}
			})
		}
		for i := range 10 {
			write("hog", fmt.Sprint("k", i))
		}
		if running := awaitWrites(t, "a store", rows, h, 10); running != 1 {
			t.Errorf("%d transactions of one store run", running)
		}
		for i := range limits.Running - 1 {
			write(fmt.Sprint("agent-", i), "k")
		}
		if running := awaitWrites(t, "each store", rows, h, 9+limits.Running); running != int64(limits.Running) {
			t.Errorf("%d transactions of %d stores run", running, limits.Running)
		}
		close(rows.hold)
		group.Wait()
	})
}

func TestAWriteWaitsForABoundedTime(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		rows, h := openUpdates(t, b, memory.Options{Limits: memory.Limits{WriteWait: time.Millisecond}})
		me := agent("me", acl.Public)
		rows.hold = make(chan struct{})
		var group sync.WaitGroup
		tree := func() error {
			_, err := h.DeleteTree(background, me, memory.Tree{Store: "me", Folder: "none"})
			return err
		}
		group.Go(func() {
			if err := tree(); !errors.Is(err, memory.ErrNotFound) {
				t.Error(err)
			}
		})
		awaitWrites(t, "the first", rows, h, 1)
		var late *memory.WaitTooLongError
		if err := tree(); !errors.As(err, &late) || late.RetryAfter <= 0 {
			t.Errorf("the second: %v", err)
		}
		ctx, cancel := context.WithCancel(background)
		cancel()
		if _, err := h.Put(ctx, me, memory.PutRequest{Path: path("me", "k"), Value: text("tea")}); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled one: %v", err)
		}
		if load := h.WriteLoad(); load.Running != 1 || load.Waiting != 0 || load.Refused != 1 {
			t.Errorf("load %+v", load)
		}
		close(rows.hold)
		group.Wait()
	})
}
