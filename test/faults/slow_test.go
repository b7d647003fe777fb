//go:build unix

package faults

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
)

// waitBothLegs waits until searches use both legs again.
func (c caller) waitBothLegs() {
	c.t.Helper()
	eventually(c.t, func() error {
		f, err := c.ask("anything at all")
		if err == nil && !f.complete() {
			err = fmt.Errorf("search: %v", f)
		}
		return err
	})
}

// The proxy delays Milvus's responses until the search has returned, so only the time
// budget of the vector leg can have ended the search.
func TestSearchReturnsWithinItsBudgetWhileMilvusIsSlow(t *testing.T) {
	s := newService(t)
	t.Parallel()
	proxy := s.proxied()
	p := s.serve("MNEME_SEARCH_VECTOR_BUDGET=3s")
	c := p.as("a")
	read[entry](c, c.put("tea?wait=indexed", "I like my tea green"), http.StatusCreated)
	c.waitBothLegs()

	release := proxy.Stall()
	for range 3 {
		if f := c.search("green tea"); !f.lexicalOnly() || f.hit("tea") == nil {
			t.Errorf("while Milvus is slow: %v", f)
		}
	}
	// There were no writes: the searches alone mark the index as down.
	eventually(t, func() error {
		now, err := p.ready()
		if err == nil && now.Vector {
			err = errors.New("/readyz still reports the vector index as up")
		}
		return err
	})
	r := c.put("late", "written while it is slow")
	release()
	read[entry](c, r, http.StatusCreated)
	c.waitBothLegs()
	p.waitIdle()
	eventually(t, func() error {
		f, err := c.ask("favourite hot beverage")
		if err == nil && (f.hit("tea") == nil || f.hit("tea").Explain.Vector == nil) {
			err = fmt.Errorf("after Milvus has recovered: %v", f)
		}
		return err
	})
	p.checkInSync(2)
}

// A server that starts while Milvus is unresponsive serves lexical searches, and
// recovers with Milvus.
func TestServerStartsWhileMilvusIsUnresponsive(t *testing.T) {
	s := newService(t)
	t.Parallel()
	proxy := s.proxied()
	release := proxy.Stall()
	p := s.serve()
	c := p.as("a")
	read[entry](c, c.put("tea", "I like my tea green"), http.StatusCreated)
	<-proxy.Stalled() // another attempt to open the collection has begun
	if f := c.search("green tea"); !f.lexicalOnly() || f.hit("tea") == nil {
		t.Errorf("while Milvus is unresponsive: %v", f)
	}
	release()
	c.waitBothLegs()
	p.waitIdle()
	p.checkInSync(1)
}

func TestHungMilvusDelaysNoSearch(t *testing.T) {
	s := newService(t)
	p := s.serve("MNEME_SEARCH_VECTOR_BUDGET=3s")
	c := p.as("a")
	read[entry](c, c.put("tea?wait=indexed", "I like my tea green"), http.StatusCreated)
	c.waitBothLegs()
	if err := milvusServer.Pause(); err != nil {
		t.Fatal(err)
	}
	f, failed := c.ask("green tea")
	r := c.put("late", "written while it hangs")
	if err := milvusServer.Resume(); err != nil { // before a check can end the test
		t.Fatal(err)
	}
	if failed != nil || !f.lexicalOnly() || f.hit("tea") == nil {
		t.Errorf("while Milvus hangs: %v, %v", f, failed)
	}
	read[entry](c, r, http.StatusCreated)
	c.waitBothLegs()
	p.waitIdle()
	p.checkInSync(2)
}
