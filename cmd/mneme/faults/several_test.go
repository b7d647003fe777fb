package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
)

func TestWritersThroughSeveralProcessesLoseNoUpdate(t *testing.T) {
	s := newService(t)
	t.Parallel()
	const processes, clients, each = 3, 6, 10
	var all []caller
	for range processes {
		p := s.serve()
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
				c := all[(n+i)%processes]
				r := c.get("counter")
				var e entry
				var count int
				if err := json.Unmarshal(r.body, &e); r.status != http.StatusOK || err != nil || json.Unmarshal(e.Value, &count) != nil {
					t.Errorf("get: %v", r)
					return
				}
				// Write through another process than the one read from.
				switch w := all[(n+i+1)%processes].put("counter", count+1, "If-Match", r.header.Get("ETag")); w.status {
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
			t.Errorf("the counter is %s in version %d, after %s increments", e.Value, e.Version, want)
		}
	}
	all[0].idle()
	all[0].inStep(1)
}

func TestNoProcessReturnsWhatAnotherHasDeleted(t *testing.T) {
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
				if f, err := there.ask("note about " + key); err != nil || f.of(key) == nil {
					t.Errorf("what one process wrote, another does not find: %v, %v", f, err)
				}
				if r := here.remove(key); r.status != http.StatusNoContent {
					t.Errorf("delete: %v", r)
					return
				}
				for _, c := range []caller{there, here} {
					if f, err := c.ask("note about " + key); err != nil || f.of(key) != nil {
						t.Errorf("what one process deleted, a search returns: %v, %v", f, err)
					}
				}
			}
		})
	}
	working.Wait()
	first.idle()
	second.idle()
	first.inStep(0)
}

// A process that shuts down gracefully, even one that waits for a silent Milvus,
// keeps no leases.
func TestAProcessThatEndsHandsItsWorkOn(t *testing.T) {
	s := newService(t)
	t.Parallel()
	proxy := s.proxied()
	first := s.serve()
	c := first.as("a")
	c.whole()
	proxy.Stall()
	for _, m := range meaning {
		read[entry](c, c.put(m.key, m.text), http.StatusCreated)
	}
	<-proxy.Stalled()
	if status := first.end(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	var waiting, leased int
	if err := s.query(&waiting, "SELECT count(*) FROM queue"); err != nil {
		t.Fatal(err)
	}
	if err := s.query(&leased, "SELECT count(*) FROM queue WHERE not_before > now()"); err != nil {
		t.Fatal(err)
	}
	if waiting != len(meaning) || leased > 0 {
		t.Errorf("of %d entries %d are in the queue, %d of them leased", len(meaning), waiting, leased)
	}
	s.milvus = vectors.Addr()
	second := s.serve()
	second.idle()
	c.at(second).understands()
	second.inStep(len(meaning))
}

// The first process cannot finish: its connection to Milvus is stalled. Once it
// is dead, the second process finishes its work.
func TestTheWorkOfAKilledProcessIsDoneByAnother(t *testing.T) {
	s := newService(t)
	t.Parallel()
	proxy := s.proxied()
	first := s.serve()
	s.milvus = vectors.Addr()
	c := first.as("a")
	c.whole()
	second := s.serve()

	proxy.Stall()
	const leased = `SELECT count(*) FROM queue WHERE not_before > '-infinity' AND attempts = 0`
	// Both look for work. What the second takes is soon done: go on until the
	// first holds something.
	written := 0
	eventually(t, func() error {
		if written < len(meaning) {
			m := meaning[written]
			read[entry](c, c.put(m.key, m.text), http.StatusCreated)
		} else {
			read[entry](c, c.put(fmt.Sprintf("more-%d", written), "nothing of interest"), http.StatusCreated)
		}
		written++
		var holds int
		if err := s.query(&holds, leased); err != nil {
			return err
		}
		if written < len(meaning) || holds == 0 {
			return fmt.Errorf("of %d entries %d are leased", written, holds)
		}
		select {
		case <-proxy.Stalled():
			return nil
		default:
			return fmt.Errorf("the first process asks nothing of Milvus")
		}
	})
	first.kill()
	second.idle()
	c.at(second).understands()
	second.inStep(written)
}
