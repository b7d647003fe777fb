package faults

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// restart starts Milvus again and waits until it serves.
func restart(t *testing.T) {
	t.Helper()
	if err := vectors.Start(); err != nil {
		t.Fatal(err)
	}
	if err := vectors.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestMilvusStoppedDelaysVectorsAndNothingElse(t *testing.T) {
	s := newService(t)
	p := s.serve()
	c := p.as("a")
	if e := read[entry](c, c.put("first?wait=indexed", "the first of all"), http.StatusCreated); !e.Indexed {
		t.Fatal("no vector before the outage")
	}

	// Writers and readers that the outage meets in the middle.
	const clients, each = 3, 15
	half := make(chan struct{}, clients)
	stopped := make(chan struct{})
	var load sync.WaitGroup
	for n := range clients {
		load.Go(func() {
			for i := range each {
				if i == each/2 {
					half <- struct{}{}
					<-stopped
				}
				key := fmt.Sprintf("load-%d-%d", n, i)
				if r := c.put(key, "word "+key); r.status != http.StatusCreated {
					t.Errorf("put: %v", r)
				}
				f, err := c.ask("word " + key)
				if err != nil || f.of(key) == nil {
					t.Errorf("search: %v, %v", f, err)
				}
				if i >= each/2 && !f.lexical() {
					t.Errorf("search without Milvus: %v", f)
				}
			}
		})
	}
	for range clients {
		<-half
	}
	if err := vectors.Stop(); err != nil {
		t.Fatal(err)
	}
	close(stopped)
	load.Wait()
	for _, m := range meaning {
		if r := c.put(m.key, m.text); r.status != http.StatusCreated {
			t.Errorf("put: %v", r)
		}
	}
	if r := c.remove("load-0-0"); r.status != http.StatusNoContent {
		t.Errorf("delete: %v", r)
	}
	if f := c.search("green tea"); !f.lexical() || f.of("breakfast") == nil {
		t.Errorf("search without Milvus: %v", f)
	}

	restart(t)
	p.idle()
	c.understands()
	p.inStep(clients*each + len(meaning)) // with first, without load-0-0
}

// One service runs on while Milvus is wiped, the other is mended by command.
// The counters tell that neither embeds anything again.
func TestAWipedMilvusIsFilledFromTheRowsWithoutEmbeddingAnything(t *testing.T) {
	running, resting := newService(t), newService(t)
	p, q := running.serve(), resting.serve()
	c, d := p.as("a"), q.as("a")
	for _, m := range meaning {
		read[entry](c, c.put(m.key, m.text), http.StatusCreated)
		read[entry](d, d.put(m.key, m.text), http.StatusCreated)
	}
	p.idle()
	q.idle()
	q.kill()
	indexed := p.counter("mneme_indexed_entries_total")
	if err := vectors.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := vectors.Wipe(); err != nil {
		t.Fatal(err)
	}
	restart(t)

	if got, want := q.reconcile(), (reconciled{Rows: len(meaning), Restored: len(meaning)}); got != want {
		t.Errorf("reconcile reports %+v, want %+v", got, want)
	}
	q.inStep(len(meaning))
	q.start()
	d = q.as("a")
	d.understands()
	if n := q.counter("mneme_indexed_entries_total"); n != 0 {
		t.Errorf("%v entries were indexed anew after a reconciliation", n)
	}

	// The write makes the collection anew, with one entry in it.
	read[entry](c, c.put("after", "written after the loss"), http.StatusCreated)
	c.understands()
	if n := p.counter("mneme_indexed_entries_total") - indexed; n != 1 {
		t.Errorf("%v entries were indexed since the loss, 1 was written", n)
	}
	p.inStep(len(meaning) + 1)
}
