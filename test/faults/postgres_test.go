//go:build unix

package faults

import (
	"net/http"
	"testing"
)

func TestPostgresOutageUnderLoadLeavesNoPartialWrites(t *testing.T) {
	s := newService(t)
	p := s.serve()
	c := p.as("a")
	l := newLoad()
	stop := make(chan struct{})
	running := l.run([]caller{c}, stop, reply.refused)
	for range 2 {
		l.waitWrites(t, 30)
		if err := postgresServer.Stop(); err != nil {
			t.Fatal(err)
		}
		for _, r := range []reply{
			c.put("refused", "nobody reads this"), c.get("refused"), c.remove("refused"),
			c.call(http.MethodGet, "/v1/stores/self/memories", nil),
			c.call(http.MethodPost, "/v1/search", map[string]any{"query": "number"}),
		} {
			if err := r.refused(); err != nil {
				t.Errorf("while Postgres is down: %v", err)
			}
		}
		if r := c.call(http.MethodGet, "/readyz", nil); r.status != http.StatusServiceUnavailable {
			t.Errorf("/readyz while Postgres is down: %v", r)
		}
		if r := c.call(http.MethodGet, "/livez", nil); r.status != http.StatusOK {
			t.Errorf("/livez while Postgres is down: %v", r)
		}
		if err := postgresServer.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l.waitWrites(t, 30)
	close(stop)
	running.Wait()
	if r := c.get("refused"); r.status != http.StatusNotFound {
		t.Errorf("a refused write is stored: %v", r)
	}
	p.waitIdle()
	p.checkInSync(l.check(c))
}

func TestHungPostgresDelaysWritesAndLosesNone(t *testing.T) {
	s := newService(t)
	p := s.serve()
	c := p.as("a")
	l := newLoad()
	stop := make(chan struct{})
	running := l.run([]caller{c}, stop, reply.refused)
	l.waitWrites(t, 30)
	if err := postgresServer.Pause(); err != nil {
		t.Fatal(err)
	}
	before := l.acknowledged()
	r := c.call(http.MethodGet, "/readyz", nil) // returns after its own timeout
	after := l.acknowledged()
	if err := postgresServer.Resume(); err != nil {
		t.Fatal(err)
	}
	if r.status != http.StatusServiceUnavailable {
		t.Errorf("/readyz while Postgres hangs: %v", r)
	}
	// Each client may have had one response in flight.
	if after > before+loadClients {
		t.Errorf("%d writes were acknowledged while Postgres hung", after-before)
	}
	l.waitWrites(t, 30)
	close(stop)
	running.Wait()
	p.waitIdle()
	p.checkInSync(l.check(c))
}
