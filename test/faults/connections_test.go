//go:build unix

package faults

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mneme/storage/postgres/postgrestest"
	"mneme/test/size"
)

// ownPostgres starts a server for one test.
func ownPostgres(t *testing.T, settings ...string) *postgrestest.Server {
	t.Helper()
	dir, err := os.MkdirTemp(postgresDir, "server-*")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the database runs as another user
		t.Fatal(err)
	}
	server, err := postgrestest.NewServer(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context(), settings...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	return server
}

// onPostgres returns a running trial on the given database server. parameters apply to
// its processes' connections.
func onPostgres(t *testing.T, number uint64, database *postgrestest.Server, servers, connections int, parameters string) *trial {
	t.Helper()
	r := newTrial(t, postgresFlat, faultSeed, number, &stats{counts: make(map[string]int)})
	r.on(database)
	r.dsn += parameters
	r.calm()
	r.connections, r.servers = connections, make([]*server, servers)
	r.startAll()
	return r
}

// SIGKILL of the whole database server loses no acknowledged write, because PostgreSQL
// passes a commit to the operating system before it acknowledges it. (To survive a power
// failure it also needs fsync, which is on by default and off here.)
func TestKilledPostgresLosesNoAcknowledgedWrite(t *testing.T) {
	need(t, build, startPostgres)
	t.Parallel()
	r := onPostgres(t, 5, ownPostgres(t), size.Of(1, 2), 8, "")
	r.unclear = true
	r.faulty.Store(true)
	stop := make(chan struct{})
	running := r.load(stop)
	ends := size.Of(2, 6)
	each := size.Of(25, 150) // more than a thousand in total in a full run
	for range ends {
		err := poll(t.Context(), r.stats.more(acknowledged, each))
		if err != nil {
			t.Error(err)
			break
		}
		time.Sleep(time.Duration(r.rng.IntN(300)) * time.Millisecond) // a random instant
		refused := r.stats.more(refusals, 1)
		if err := r.server.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := poll(t.Context(), refused); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		err = r.server.Start(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := poll(t.Context(), r.stats.more(acknowledged, each)); err != nil {
		t.Error(err)
	}
	close(stop)
	running.Wait()
	r.faulty.Store(false)
	r.check()
	t.Logf("%d kills of the database\n%s", ends, r.stats)
}

// Processes need more connections than a server accepts. Calls wait or are refused, but
// none happens partly. No process ends, and the service recovers as soon as connections
// are free.
func TestTooManyConnectionsRefuseWholeCalls(t *testing.T) {
	need(t, build, startPostgres)
	t.Parallel()
	processes, connections, allowed := size.Of(2, 3), size.Of(15, 20), size.Of(20, 30)
	// These timeouts are longer than the test holds a lock, so that a write waits for it.
	const patient = "&lock_timeout=600000&statement_timeout=600000" // ms
	r := onPostgres(t, 6, ownPostgres(t, fmt.Sprint("max_connections=", allowed)), processes, connections, patient)
	r.faulty.Store(true)
	db, err := r.open() // as a superuser, with a reserved connection
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	crowd := r.newCrowd(processes * connections)
	held, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Rollback() //nolint:errcheck // usually it has ended
	if _, err := held.ExecContext(t.Context(), "SELECT FROM store WHERE id LIKE 'crowd-%' FOR UPDATE"); err != nil {
		t.Fatal(err)
	}

	// In addition to the clients, each agent of the crowd writes to its own store, and
	// waits for the lock. There are more writers than the server accepts connections:
	// while the test holds the lock, the other writers are refused.
	stop := make(chan struct{})
	crowd.write(stop)
	clients := r.load(stop)
	var most int64
	err = poll(t.Context(), func() error {
		n, err := number(t.Context(), db, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
		most = max(most, n)
		if err == nil && (crowd.refused.Load() < 20 || most < int64(allowed)-5) {
			err = fmt.Errorf("%d calls are refused, at most %d connections", crowd.refused.Load(), most)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if n := crowd.served.Load(); n > 0 {
		t.Errorf("%d calls were served while their stores were locked", n)
	}
	// Now the waiting writers are served, and others after them.
	more := r.stats.more(acknowledged, size.Of(5, 20))
	if err := held.Rollback(); err != nil {
		t.Error(err)
	}
	if err := poll(t.Context(), func() error {
		if n := crowd.served.Load(); n < int64(size.Of(50, 100)) {
			return fmt.Errorf("%d calls are served, %d refused", n, crowd.refused.Load())
		}
		return more()
	}); err != nil {
		t.Error(err)
	}
	close(stop)
	crowd.Wait()
	clients.Wait()
	// End idle connections by hand to free them; processes would close them after five
	// minutes. Skip connections in recent use: a process does not check whether these
	// have been closed.
	const ofProcesses = "FROM pg_stat_activity WHERE application_name LIKE 'mneme-%'"
	if err := poll(t.Context(), func() error {
		const endIdle = "SELECT count(pg_terminate_backend(pid)) " + ofProcesses + " AND state = 'idle' AND state_change < now() - interval '3 seconds'"
		if _, err := number(t.Context(), db, endIdle); err != nil {
			return err
		}
		n, err := number(t.Context(), db, "SELECT count(*) "+ofProcesses)
		if err == nil && n > int64(allowed/2) {
			err = fmt.Errorf("%d connections are left", n)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	for _, c := range r.clients {
		if err := poll(t.Context(), func() error { _, err := c.views(false); return err }); err != nil {
			t.Errorf("process %s does not recover: %v", c.to.name, err)
		}
	}
	r.faulty.Store(false)
	r.check()
	t.Logf("at most %d connections; %d calls served, %d refused with 503\n%s", most, crowd.served.Load(), crowd.refused.Load(), r.stats)
}

// crowd is a group of agents who each write to their own store.
type crowd struct {
	sync.WaitGroup
	t               *testing.T
	agents          []remote
	served, refused atomic.Int64
}

// newCrowd returns a crowd whose stores exist. Its agents call the processes in turn.
func (r *trial) newCrowd(agents int) *crowd {
	r.t.Helper()
	c := &crowd{t: r.t}
	for n := range agents {
		agent := r.caller(r.servers[n%len(r.servers)], fmt.Sprint("crowd-", n), "PUBLIC")
		if got := agent.call(http.MethodPut, memories+"first", map[string]any{"value": n}); got.status != http.StatusCreated {
			r.t.Fatalf("the first write of %d: %v", n, got)
		}
		c.agents = append(c.agents, agent)
	}
	return c
}

// write makes each agent write until stop is closed. A call may be refused.
func (c *crowd) write(stop <-chan struct{}) {
	for n, agent := range c.agents {
		c.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				got := agent.call(http.MethodPut, fmt.Sprint(memories, "n-", i%3), map[string]any{"value": fmt.Sprint(n, " wrote ", i)})
				switch got.status {
				case http.StatusOK, http.StatusCreated:
					c.served.Add(1)
				case http.StatusTooManyRequests:
				default:
					if err := got.refused(); err != nil {
						c.t.Error(err)
						return
					}
					c.refused.Add(1)
				}
			}
		})
	}
}
