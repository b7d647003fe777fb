package backendtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"mneme/test/size"
	"mneme/test/wait"
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

// OnEachBackend runs a test on every supported backend, in parallel with other tests. A small
// run uses only Embedded and Production, which cover each database and each index once. It is
// for rules that involve a search or the index; tests of other rules use OnEachStorage, which
// does not wait for Milvus.
func OnEachBackend(t *testing.T, test func(t *testing.T, b Backend)) {
	t.Helper()
	t.Parallel()
	backends := Backends()
	if !size.Full() {
		backends = []Backend{backends[0], Production()}
	}
	Each(t, backends, test)
}

// OnEachStorage runs a test on each storage, with the flat index, in parallel with
// other tests.
func OnEachStorage(t *testing.T, test func(t *testing.T, b Backend)) {
	t.Helper()
	t.Parallel()
	Each(t, Storages(), test)
}

// Eventually polls until a condition holds; see wait.Until, which also reports the last
// observed state.
func Eventually(t testing.TB, condition string, holds func() bool) {
	t.Helper()
	wait.Until(t, condition, func() error {
		if !holds() {
			return errors.New("the condition does not hold")
		}
		return nil
	})
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
	wait.Until(f.t, "the queue is empty", func() error {
		if s := f.Status(context.Background()); !s.Counted || s.Queue > 0 {
			return fmt.Errorf("the status is %+v", s)
		}
		return nil
	})
}
