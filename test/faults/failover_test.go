//go:build unix

package faults

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"mneme/acl"
	"mneme/storage/postgres/postgrestest"
	"mneme/test/mnemetest"
)

// failover is the load on a process during a failover: clients that each write a new entry
// and read it, repeatedly.
type failover struct {
	t       *testing.T
	caller  remote
	running sync.WaitGroup
	stop    chan struct{}

	mu      sync.Mutex
	written []string // keys that were acknowledged
	refused int
}

// startFailover starts a process and its load.
func startFailover(t *testing.T, d *database) *failover {
	t.Helper()
	p := mnemetest.Start(t, d.command("mneme", "serve", "--addr", "127.0.0.1:0", "--json"))
	signed, err := d.mint(acl.Principal{Agent: "ada", Taint: acl.Internal})
	if err != nil {
		t.Fatal(err)
	}
	f := &failover{t: t, caller: remote{t, p.Address, signed}, stop: make(chan struct{})}
	t.Cleanup(f.running.Wait)
	for n := range 4 {
		f.running.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-f.stop:
					return
				case <-t.Context().Done(): // the test has failed
					return
				default:
					f.write(fmt.Sprintf("note-%d-%d", n, i))
				}
			}
		})
	}
	return f
}

// write writes an entry and reads it.
func (f *failover) write(key string) {
	got := f.caller.call(http.MethodPut, memories+key, map[string]any{"value": key})
	if f.t.Context().Err() != nil {
		return
	}
	f.answered(got, http.StatusCreated)
	if got.status == http.StatusCreated {
		f.mu.Lock()
		f.written = append(f.written, key)
		f.mu.Unlock()
		f.answered(f.caller.call(http.MethodGet, memories+key, nil), http.StatusOK)
	}
}

// answered counts an answer, which must have the status or be a 503.
func (f *failover) answered(got reply, want int) {
	if got.status == want {
		return
	}
	if err := got.refused(); err != nil {
		f.t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused++
}

// awaitWrites waits until n more entries are written.
func (f *failover) awaitWrites(more int) {
	f.t.Helper()
	count := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.written)
	}
	before := count()
	eventually(f.t, func() error {
		if n := count() - before; n < more {
			return fmt.Errorf("%d writes", n)
		}
		return nil
	})
}

// checkRefused checks that reads and writes are refused.
func (f *failover) checkRefused() {
	f.t.Helper()
	for _, got := range []reply{
		f.caller.call(http.MethodPut, memories+"refused", map[string]any{"value": "nobody reads this"}),
		f.caller.call(http.MethodGet, memories+"note-0-0", nil),
		f.caller.call(http.MethodGet, "/v1/stores/self/memories", nil),
		f.caller.call(http.MethodPost, "/v1/search", map[string]any{"query": "note"}),
	} {
		if err := got.refused(); err != nil {
			f.t.Errorf("while the server is a standby: %v", err)
		}
	}
}

// end stops the load, and checks that the acknowledged entries exist.
func (f *failover) end() {
	f.t.Helper()
	close(f.stop)
	f.running.Wait()
	for _, key := range f.written {
		eventually(f.t, func() error {
			got := f.caller.call(http.MethodGet, memories+key, nil)
			if err := got.refused(); err == nil {
				return fmt.Errorf("refused: %v", got)
			}
			if got.status != http.StatusOK {
				f.t.Errorf("%s was acknowledged: %v", key, got)
			}
			return nil
		})
	}
	f.t.Logf("%d writes, %d calls refused", len(f.written), f.refused)
}

// The DSN names two servers. The standby takes over, and then the first server again.
func TestCallsFollowAFailoverToAStandbyAndBack(t *testing.T) {
	need(t, build, startPostgres)
	t.Parallel()
	primary, standby := ownPostgres(t), ownPostgres(t)
	d := newDatabase(t, postgresFlat, false)
	d.on(primary)
	both, err := url.Parse(d.dsn)
	must(t, err)
	second, err := url.Parse(standby.DSN())
	must(t, err)
	both.Host += "," + second.Host
	d.dsn = both.String()
	must(t, standby.Stop())
	f := startFailover(t, d)
	for range 2 {
		must(t, standby.Follow(t.Context(), primary))
		primary.AwaitStandbys(t)
		f.awaitWrites(20)
		must(t, primary.Stop())
		f.checkRefused()
		must(t, standby.Promote())
		f.awaitWrites(20)
		primary, standby = standby, primary
	}
	f.end()
}

// A server becomes a standby, and a primary again, at the same address. A pooler keeps its
// clients' connections open in the meantime.
func TestCallsToAStandbyAreRefusedUntilItIsThePrimary(t *testing.T) {
	need(t, build, startPostgres)
	for name, through := range map[string]func(t *testing.T, dsn string) string{
		"directly": func(_ *testing.T, dsn string) string { return dsn },
		"through a pooler": func(t *testing.T, dsn string) string {
			return postgrestest.Pooler(t, dsn, "pool_mode=transaction", "server_login_retry=1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := ownPostgres(t)
			d := newDatabase(t, postgresFlat, false)
			d.on(server)
			d.dsn = through(t, d.dsn)
			f := startFailover(t, d)
			for range 2 {
				f.awaitWrites(20)
				must(t, server.StandBy(t.Context()))
				f.checkRefused()
				must(t, server.Promote())
			}
			f.awaitWrites(20)
			f.end()
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
