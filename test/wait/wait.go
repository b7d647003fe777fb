// Package wait lets tests wait for goroutines, processes and servers.
package wait

import (
	"testing"
	"time"
)

// Limit is the maximum duration of a wait. It is far above the waits on a busy
// machine, and below the time limit of go test.
const Limit = 4 * time.Minute

// Until polls until check returns nil. At the limit, it fails the test with the last
// error, which should describe the observed state.
func Until(t testing.TB, condition string, check func() error) {
	t.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(Limit); ; time.Sleep(pause) {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s: %v", Limit, condition, err)
		}
		pause = min(2*pause, 20*time.Millisecond)
	}
}

// For receives a value from a channel. At the limit, it fails the test.
func For[T any](t testing.TB, event string, ch <-chan T) T {
	t.Helper()
	timer := time.NewTimer(Limit)
	defer timer.Stop()
	select {
	case value := <-ch:
		return value
	case <-timer.C:
		t.Fatalf("not within %v: %s", Limit, event)
		panic("unreachable")
	}
}
