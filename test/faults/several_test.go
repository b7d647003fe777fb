//go:build unix

package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

func TestConcurrentWritersOnSeveralProcessesLoseNoUpdate(t *testing.T) {
	s := newService(t)
	t.Parallel()
	const clients, each = 6, 10
	processes := []*process{s.serve(), s.serve(), s.serve()}
	var all []caller
	for _, p := range processes {
		if len(all) == 0 {
			all = append(all, p.as("a"))
		} else {
			all = append(all, all[0].at(p))
		}
	}
	read[entry](all[0], all[0].put("counter", 0), http.StatusCreated)
	var writing sync.WaitGroup
	for n := range clients {
		writing.Go(func() {
			for i := 0; i < each; {
				c := all[(n+i)%len(all)]
				r := c.get("counter")
				var e entry
				var count int
				if err := json.Unmarshal(r.body, &e); r.status != http.StatusOK || err != nil || json.Unmarshal(e.Value, &count) != nil {
					t.Errorf("get: %v", r)
					return
				}
				// Write through a process other than the one that was read.
				switch w := all[(n+i+1)%len(all)].put("counter", count+1, "If-Match", r.header.Get("ETag")); w.status {
				case http.StatusOK:
					i++
				case http.StatusPreconditionFailed:
				default:
					t.Errorf("put: %v", w)
					return
				}
			}
		})
	}
	writing.Wait()
	for _, c := range all {
		e := read[entry](c, c.get("counter"), http.StatusOK)
		if want := fmt.Sprint(clients * each); string(e.Value) != want || e.Version != clients*each+1 {
			t.Errorf("the counter is %s in version %d after %s increments", e.Value, e.Version, want)
		}
	}
	checkInSync(1, processes...)
}

func TestDeletedEntryDisappearsFromEveryProcess(t *testing.T) {
	s := newService(t)
	t.Parallel()
	const clients, each = 3, 8
	first := s.serve()
	second := s.serve()
	a := first.as("a")
	both := []caller{a, a.at(second)}
	var working sync.WaitGroup
	for n := range clients {
		working.Go(func() {
			for i := range each {
				here, there := both[(n+i)%2], both[(n+i+1)%2]
				key := fmt.Sprintf("note-%d-%d", n, i)
				path := key
				if i%2 == 0 { // some are deleted before they have vectors
					path += "?wait=indexed"
				}
				if r := here.put(path, "a note about "+key); r.status != http.StatusCreated {
					t.Errorf("put: %v", r)
					return
				}
				if f, err := there.ask("note about " + key); err != nil || f.hit(key) == nil {
					t.Errorf("a write through one process is not found through another: %v, %v", f, err)
				}
				if r := here.remove(key); r.status != http.StatusNoContent {
					t.Errorf("delete: %v", r)
					return
				}
				for _, c := range []caller{there, here} {
					if f, err := c.ask("note about " + key); err != nil || f.hit(key) != nil {
						t.Errorf("a search returns an entry that a process deleted: %v, %v", f, err)
					}
				}
			}
		})
	}
	working.Wait()
	checkInSync(0, first, second)
}

// A process that shuts down gracefully releases its leases, even while it waits for an
// unresponsive Milvus. It abandons a release that takes too long, which may happen on a
// busy machine, so the test makes several attempts.
func TestGracefulShutdownReleasesLeases(t *testing.T) {
	needServers(t)
	t.Parallel()
	const rounds = 3
	for range rounds {
		leased := leasedAfterShutdown(t)
		if leased == 0 {
			return
		}
		t.Logf("%d entries are still leased after a shutdown", leased)
	}
	t.Errorf("leases were not released in %d shutdowns", rounds)
}

// leasedAfterShutdown returns the number of leases that a process of a new service leaves,
// after another process has finished its work.
func leasedAfterShutdown(t *testing.T) (leased int) {
	s := newService(t)
	proxy := s.proxied()
	first := s.serve()
	c := first.as("a")
	c.waitBothLegs()
	proxy.Stall()
	for _, m := range paraphrases {
		read[entry](c, c.put(m.key, m.text), http.StatusCreated)
	}
	select {
	case <-proxy.Stalled():
	case <-time.After(patience):
		t.Fatal("no worker called Milvus")
	}
	if status := first.shutDown(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	var waiting int
	if err := s.query(&waiting, "SELECT count(*) FROM queue"); err != nil {
		t.Fatal(err)
	}
	if err := s.query(&leased, "SELECT count(*) FROM queue WHERE not_before > now()"); err != nil {
		t.Fatal(err)
	}
	if waiting != len(paraphrases) {
		t.Errorf("%d entries written, %d in the queue", len(paraphrases), waiting)
	}
	s.milvus = milvusServer.Addr()
	second := s.serve()
	second.waitIdle()
	c.at(second).waitSemanticHits()
	second.checkInSync(len(paraphrases))
	return leased
}

// The first process cannot index entries, because its connection to Milvus is stalled.
// After it is killed, the second process finishes its work.
func TestAnotherProcessFinishesTheWorkOfAKilledOne(t *testing.T) {
	s := newService(t)
	t.Parallel()
	proxy := s.proxied()
	first := s.serve()
	s.milvus = milvusServer.Addr()
	c := first.as("a")
	c.waitBothLegs()
	second := s.serve()

	proxy.Stall()
	const leased = `SELECT count(*) FROM queue WHERE not_before > '-infinity' AND attempts = 0`
	// Both processes lease work. The second finishes its leases quickly, so the test
	// writes until the first has a lease.
	written := 0
	eventually(t, func() error {
		if written < len(paraphrases) {
			m := paraphrases[written]
			read[entry](c, c.put(m.key, m.text), http.StatusCreated)
		} else {
			read[entry](c, c.put(fmt.Sprintf("more-%d", written), "one more note"), http.StatusCreated)
		}
		written++
		var holds int
		if err := s.query(&holds, leased); err != nil {
			return err
		}
		if written < len(paraphrases) || holds == 0 {
			return fmt.Errorf("%d entries written, %d leased", written, holds)
		}
		select {
		case <-proxy.Stalled():
			return nil
		default:
			return errors.New("the first process has not called Milvus yet")
		}
	})
	first.kill()
	second.waitIdle()
	c.at(second).waitSemanticHits()
	second.checkInSync(written)
}
