package faults

import (
	"net/http"
	"testing"
)

func TestPostgresStoppedUnderLoadIsRefusedAndLeavesNothingHalfWritten(t *testing.T) {
	s := newService(t)
	p := s.serve()
	c := p.as("a")
	l := newLoad()
	stop := make(chan struct{})
	running := l.run([]caller{c}, stop, reply.refused)
	for range 2 {
		l.grows(t, 30)
		if err := rows.Stop(); err != nil {
			t.Fatal(err)
		}
		for _, r := range []reply{
			c.put("refused", "nobody reads this"), c.get("refused"), c.remove("refused"),
			c.call(http.MethodGet, "/v1/stores/self/memories", nil),
			c.call(http.MethodPost, "/v1/search", map[string]any{"query": "number"}),
		} {
			if err := r.refused(); err != nil {
				t.Errorf("while Postgres is away: %v", err)
			}
		}
		if r := c.call(http.MethodGet, "/readyz", nil); r.status != http.StatusServiceUnavailable {
			t.Errorf("/readyz while Postgres is away: %v", r)
		}
		if r := c.call(http.MethodGet, "/livez", nil); r.status != http.StatusOK {
			t.Errorf("/livez while Postgres is away: %v", r)
		}
		if err := rows.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l.grows(t, 30)
	close(stop)
	running.Wait()
	if r := c.get("refused"); r.status != http.StatusNotFound {
		t.Errorf("a write that was refused: %v", r)
	}
	p.idle()
	p.inStep(l.check(c))
}

func TestPostgresThatHangsDelaysWritesAndLosesNone(t *testing.T) {
	s := newService(t)
	p := s.serve()
	c := p.as("a")
	l := newLoad()
	stop := make(chan struct{})
	running := l.run([]caller{c}, stop, reply.refused)
	l.grows(t, 30)
	if err := rows.Pause(); err != nil {
		t.Fatal(err)
	}
	before := l.acknowledged()
	r := c.call(http.MethodGet, "/readyz", nil) // waits for its own bound
	after := l.acknowledged()
	if err := rows.Resume(); err != nil {
		t.Fatal(err)
	}
	if r.status != http.StatusServiceUnavailable {
		t.Errorf("/readyz while Postgres hangs: %v", r)
	}
	// Of those that had the answer on its way, each client has one.
	if after > before+loadClients {
		t.Errorf("%d writes were acknowledged while Postgres hung", after-before)
	}
	l.grows(t, 30)
	close(stop)
	running.Wait()
	p.idle()
	p.inStep(l.check(c))
}
