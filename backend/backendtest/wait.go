package backendtest

import (
	"context"
	"testing"
	"time"
)

// Each runs a test on each backend, as parallel subtests: they spend most of
// their time waiting for servers.
func Each(t *testing.T, backends []Backend, test func(t *testing.T, b Backend)) {
	t.Helper()
	for _, b := range backends {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

// Eventually polls until a condition holds, for at most a minute.
func Eventually(t testing.TB, condition string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", condition)
		}
	}
}

// Start runs the background work of the service and its indexer until the
// test ends.
func (f *Fixture) Start() {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	f.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			f.t.Error(err)
		}
	})
}

// AwaitEmptyQueue waits until no entry is queued for indexing.
func (f *Fixture) AwaitEmptyQueue() {
	f.t.Helper()
	Eventually(f.t, "the queue is empty", func() bool {
		s := f.Status(context.Background())
		return s.Storage && s.Queue == 0
	})
}
