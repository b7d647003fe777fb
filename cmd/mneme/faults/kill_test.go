package faults

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// Of two processes under load one is killed, and started again, in turn.
func TestKillUnderLoadLosesNothingThatWasAcknowledged(t *testing.T) {
	s := newService(t)
	t.Parallel()
	processes := []*process{s.serve(), s.serve()}
	c := processes[0].as("a")
	l := newLoad()
	for round := range 4 {
		victim := processes[round%2]
		var killed atomic.Bool
		stop := make(chan struct{})
		running := l.run([]caller{c.at(processes[0]), c.at(processes[1])}, stop, func(r reply) error {
			if r.err == nil || !killed.Load() {
				return fmt.Errorf("round %d: %v", round, r)
			}
			return nil
		})
		l.grows(t, 30)
		killed.Store(true)
		victim.kill()
		l.grows(t, 10) // through the other
		close(stop)
		running.Wait()
		victim.start()
		l.check(c.at(victim))
	}
	for _, p := range processes {
		p.idle()
		p.inStep(l.check(c.at(p)))
	}
}
