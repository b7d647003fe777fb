//go:build unix

package faults

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// Two processes serve a load. They are killed and restarted in turn.
func TestKillUnderLoadLosesNoAcknowledgedWrite(t *testing.T) {
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
		l.waitWrites(t, 30)
		killed.Store(true)
		victim.kill()
		l.waitWrites(t, 10) // through the other process
		close(stop)
		running.Wait()
		victim.start()
		l.check(c.at(victim))
	}
	for _, p := range processes {
		checkInSync(l.check(c.at(p)), processes...)
	}
}
