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

// onPostgres returns a running trial on a server of its own.
func onPostgres(t *testing.T, number uint64, servers, connections int, settings ...string) *trial {
	t.Helper()
	r := newTrial(t, postgresFlat, faultSeed, number, &stats{counts: make(map[string]int)})
	r.on(ownPostgres(t, settings...))
	r.calm()
	r.connections, r.servers = connections, make([]*server, servers)
	r.startAll()
	return r
}

// SIGKILL of the whole database server takes no acknowledged write with it: a
// commit is handed to the operating system before it is acknowledged. (A power
// failure also needs fsync, which is PostgreSQL's default and off here.)
func TestKilledPostgresLosesNoAcknowledgedWrite(t *testing.T) {
	need(t, build, startPostgres)
	t.Parallel()
	r := onPostgres(t, 5, size.Of(1, 2), 8)
	r.unclear = true
	r.faulty.Store(true)
	stop := make(chan struct{})
	running := r.load(stop)
	ends := size.Of(2, 6)
	for range ends {
		err := poll(t.Context(), r.stats.more(acknowledged, 25))
		if err != nil {
			t.Error(err)
			break
		}
		time.Sleep(time.Duration(r.rng.IntN(300)) * time.Millisecond) // the instant is what is random
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
	if err := poll(t.Context(), r.stats.more(acknowledged, 25)); err != nil {
		t.Error(err)
	}
	close(stop)
	running.Wait()
	r.faulty.Store(false)
	r.check()
	t.Logf("%d kills of the database\n%s", ends, r.stats)
}

// Processes want more connections than a server has room for. Calls wait or are refused;
// none is halved, no process ends, and all is well as soon as there is room.
func TestTooManyConnectionsRefuseCallsAndHalveNone(t *testing.T) {
	need(t, build, startPostgres)
	t.Parallel()
	processes, connections, allowed := size.Of(2, 3), size.Of(15, 20), size.Of(20, 30)
	r := onPostgres(t, 6, processes, connections, fmt.Sprint("max_connections=", allowed))
	r.faulty.Store(true)
	db, err := r.open() // before there is no room
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := number(t.Context(), db, "SELECT 1"); err != nil {
		t.Fatal(err)
	}

	// Besides the clients, a caller for each connection keeps the pools busy.
	var served, refused atomic.Int64
	var most int64
	stop := make(chan struct{})
	var crowd sync.WaitGroup
	for n := range processes * connections {
		crowd.Go(func() {
			c := r.caller(r.servers[n%processes], fmt.Sprint("crowd-", n%processes), "PUBLIC")
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				got := c.call(http.MethodPut, fmt.Sprintf("/v1/stores/self/memories/n-%d-%d", n, i%3), map[string]any{"value": i})
				switch got.status {
				case http.StatusOK, http.StatusCreated:
					served.Add(1)
				case http.StatusTooManyRequests:
				default:
					if err := got.refused(); err != nil {
						t.Error(err)
						return
					}
					refused.Add(1)
				}
			}
		})
	}
	clients := r.load(stop)
	err = poll(t.Context(), func() error {
		n, err := number(t.Context(), db, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
		most = max(most, n)
		if err == nil && (served.Load() < int64(size.Of(50, 100)) || refused.Load() < 20 || most < int64(allowed)-5) {
			err = fmt.Errorf("%d calls served, %d refused, at most %d connections", served.Load(), refused.Load(), most)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	close(stop)
	crowd.Wait()
	clients.Wait()
	// Now there is room: the idle connections end by hand, as after five minutes.
	const endIdle = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name LIKE 'mneme-%' AND state = 'idle'`
	if _, err := number(t.Context(), db, endIdle); err != nil {
		t.Error(err)
	}
	for i, s := range r.servers {
		if err := poll(t.Context(), func() error { _, err := ready(s.Address); return err }); err != nil {
			t.Errorf("process %d does not recover: %v", i, err)
		}
	}
	r.faulty.Store(false)
	r.check()
	t.Logf("at most %d connections; %d calls served, %d refused with 503\n%s", most, served.Load(), refused.Load(), r.stats)
}
