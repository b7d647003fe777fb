package faults

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
)

// whole waits until searches of a process use both legs again.
func (c caller) whole() {
	c.t.Helper()
	eventually(c.t, func() error {
		f, err := c.ask("anything at all")
		if err == nil && !f.whole() {
			err = fmt.Errorf("still %v", f)
		}
		return err
	})
}

// The proxy lets no answer of Milvus through until the search has returned:
// nothing but the leg's budget can have ended it.
func TestASearchIsAnsweredWithinItsBudgetWhileMilvusIsSlow(t *testing.T) {
	s := newService(t)
	t.Parallel()
	proxy := s.proxied()
	p := s.serve("MNEME_SEARCH_VECTOR_BUDGET=300ms")
	c := p.as("a")
	read[entry](c, c.put("tea?wait=indexed", "I like my tea green"), http.StatusCreated)
	c.whole()

	release := proxy.Stall()
	for range 3 {
		if f := c.search("green tea"); !f.lexical() || f.of("tea") == nil {
			t.Errorf("while Milvus is slow: %v", f)
		}
	}
	// Nothing was written meanwhile: it is the searches that make it known.
	eventually(t, func() error {
		now, err := p.ready()
		if err == nil && now.Vector {
			err = errors.New("Milvus is still counted on")
		}
		return err
	})
	r := c.put("late", "written while it is slow")
	release()
	read[entry](c, r, http.StatusCreated)
	c.whole()
	p.idle()
	if f := c.search("favourite hot beverage"); f.of("tea") == nil || f.of("tea").Explain.Vector == nil {
		t.Errorf("when it is quick again: %v", f)
	}
	p.inStep(2)
}

// A process that starts while Milvus is silent serves all the same, and is
// whole later.
func TestAProcessStartsBesideASilentMilvus(t *testing.T) {
	s := newService(t)
	t.Parallel()
	proxy := s.proxied()
	release := proxy.Stall()
	p := s.serve()
	c := p.as("a")
	read[entry](c, c.put("tea", "I like my tea green"), http.StatusCreated)
	<-proxy.Stalled() // another attempt to open the collection is under way
	if f := c.search("green tea"); !f.lexical() || f.of("tea") == nil {
		t.Errorf("while Milvus is silent: %v", f)
	}
	release()
	c.whole()
	p.idle()
	p.inStep(1)
}

func TestAMilvusThatHangsHoldsUpNoSearch(t *testing.T) {
	s := newService(t)
	p := s.serve("MNEME_SEARCH_VECTOR_BUDGET=300ms")
	c := p.as("a")
	read[entry](c, c.put("tea?wait=indexed", "I like my tea green"), http.StatusCreated)
	c.whole()
	if err := vectors.Pause(); err != nil {
		t.Fatal(err)
	}
	f, failed := c.ask("green tea")
	r := c.put("late", "written while it hangs")
	if err := vectors.Resume(); err != nil { // before anything can end the test
		t.Fatal(err)
	}
	if failed != nil || !f.lexical() || f.of("tea") == nil {
		t.Errorf("while Milvus hangs: %v, %v", f, failed)
	}
	read[entry](c, r, http.StatusCreated)
	c.whole()
	p.idle()
	p.inStep(2)
}
