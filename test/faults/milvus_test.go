//go:build unix

package faults

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"mneme/test/size"
)

// restartMilvus starts Milvus again and waits until it serves.
func restartMilvus(t *testing.T) {
	t.Helper()
	if err := milvusServer.Start(); err != nil {
		t.Fatal(err)
	}
	if err := milvusServer.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestMilvusOutageDelaysOnlyVectors(t *testing.T) {
	s := newService(t)
	p := s.serve()
	c, loader := p.as("a"), p.as("b")
	read[entry](c, c.put("first", "the first of all"), http.StatusCreated)
	p.waitIdle() // it has a vector before the outage

	// The outage begins when each client is halfway through.
	clients, each := 3, size.Of(15, 350) // more than a thousand writes in a full run
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
				if r := loader.put(key, "word "+key); r.status != http.StatusCreated {
					t.Errorf("put: %v", r)
				}
				f, err := loader.ask("word " + key)
				if err != nil || f.hit(key) == nil {
					t.Errorf("search: %v, %v", f, err)
				}
				if i >= each/2 && !f.lexicalOnly() {
					t.Errorf("search without Milvus: %v", f)
				}
			}
		})
	}
	for range clients {
		<-half
	}
	if err := milvusServer.Stop(); err != nil {
		t.Fatal(err)
	}
	close(stopped)
	load.Wait()
	for _, m := range paraphrases {
		if r := c.put(m.key, m.text); r.status != http.StatusCreated {
			t.Errorf("put: %v", r)
		}
	}
	if r := loader.remove("load-0-0"); r.status != http.StatusNoContent {
		t.Errorf("delete: %v", r)
	}
	if f := c.search("green tea"); !f.lexicalOnly() || f.hit("breakfast") == nil {
		t.Errorf("search without Milvus: %v", f)
	}

	restartMilvus(t)
	p.waitIdle()
	c.waitSemanticHits()
	p.checkInSync(clients*each + len(paraphrases)) // plus first, minus load-0-0
}

// One service keeps running while Milvus is wiped; mneme reconcile repairs the other.
// The counters show that neither embeds anything again.
func TestWipedMilvusIsRestoredWithoutEmbedding(t *testing.T) {
	running, resting := newService(t), newService(t)
	p, q := running.serve(), resting.serve()
	c, d := p.as("a"), q.as("a")
	for _, m := range paraphrases {
		read[entry](c, c.put(m.key, m.text), http.StatusCreated)
		read[entry](d, d.put(m.key, m.text), http.StatusCreated)
	}
	p.waitIdle()
	q.waitIdle()
	q.kill()
	indexed := p.waitIndexed(float64(len(paraphrases)))
	if err := milvusServer.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := milvusServer.Wipe(); err != nil {
		t.Fatal(err)
	}
	restartMilvus(t)

	if got, want := q.reconcile(), (reconciled{Rows: len(paraphrases), Restored: len(paraphrases)}); got != want {
		t.Errorf("reconcile reports %+v, want %+v", got, want)
	}
	q.checkInSync(len(paraphrases))
	q.start()
	d = q.as("a")
	d.waitSemanticHits()
	if n := q.counter("mneme_indexed_entries_total"); n != 0 {
		t.Errorf("%v entries were embedded again after a reconciliation", n)
	}

	// The write recreates the collection, with only its own entry.
	read[entry](c, c.put("after", "written after the loss"), http.StatusCreated)
	c.waitSemanticHits()
	p.waitIdle()
	if n := p.waitIndexed(indexed+1) - indexed; n != 1 {
		t.Errorf("%v entries were embedded since the loss, but 1 was written", n)
	}
	p.checkInSync(len(paraphrases) + 1)
}
