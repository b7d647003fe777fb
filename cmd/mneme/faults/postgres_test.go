package faults

import (
	"fmt"
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
	for round := range 2 {
		before := l.acknowledged()
		eventually(t, func() error {
			if n := l.acknowledged(); n < before+30 {
				return fmt.Errorf("round %d: %d writes", round, n-before)
			}
			return nil
		})
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
	before := l.acknowledged()
	eventually(t, func() error {
		if n := l.acknowledged(); n < before+30 {
			return fmt.Errorf("after the last: %d writes", n-before)
		}
		return nil
	})
	close(stop)
	running.Wait()
	if r := c.get("refused"); r.status != http.StatusNotFound {
		t.Errorf("a write that was refused: %v", r)
	}
	p.idle()
	p.inStep(l.check(c))
}
