package faults

import (
	"fmt"
	"sync/atomic"
	"testing"
)

func TestKillUnderLoadLosesNothingThatWasAcknowledged(t *testing.T) {
	s := newService(t)
	t.Parallel()
	p := s.serve()
	l := newLoad()
	for range 3 {
		c := p.as("a")
		before := l.acknowledged()
		stop := make(chan struct{})
		var killed atomic.Bool
		running := l.run([]caller{c}, stop, func(r reply) error {
			if !killed.Load() {
				return fmt.Errorf("before the kill: %v", r)
			}
			return nil
		})
		eventually(t, func() error {
			if n := l.acknowledged(); n < before+30 {
				return fmt.Errorf("%d writes", n-before)
			}
			return nil
		})
		killed.Store(true)
		p.kill()
		close(stop)
		running.Wait()
		p.start()
		l.check(p.as("a"))
	}
	c := p.as("a")
	p.idle()
	p.inStep(l.check(c))
}
