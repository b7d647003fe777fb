package memory_test

import (
	"testing"

	"mneme/embed"
	"mneme/embed/e5/e5test"
	"mneme/memory"
	"mneme/test/backendtest"
)

// Helpers shared by the tests of packages memory and search.
var (
	onEachBackend, onEachStorage = backendtest.OnEachBackend, backendtest.OnEachStorage
	encoder                      = e5test.MustEncoder
	caller, agent                = backendtest.Caller, backendtest.Agent
	status, keys, text, long     = backendtest.Status, backendtest.Keys, backendtest.Text, backendtest.Long
	match, where                 = backendtest.Match, backendtest.Where
	notInContext, sealed, ttl    = backendtest.NotInContext, backendtest.Sealed, backendtest.TTL
)

// harness is a service and its indexer under test.
type harness struct {
	*backendtest.Fixture
	t testing.TB
}

// open opens a service over a fresh database.
func open(t testing.TB, b backendtest.Backend, limits memory.Limits) *harness {
	t.Helper()
	return openWith(t, b, memory.Options{Limits: limits})
}

// openWith is open with options.
func openWith(t testing.TB, b backendtest.Backend, options memory.Options) *harness {
	t.Helper()
	return &harness{backendtest.Open(t, b, backendtest.Options{Memory: options}, encoder(t)), t}
}

// openOver opens another service over a database, as another process would.
func openOver(t testing.TB, data *backendtest.Data, options memory.Options, embedders ...embed.Embedder) *harness {
	t.Helper()
	return &harness{backendtest.OpenOver(t, data, backendtest.Options{Memory: options}, embedders...), t}
}

func must(h *harness, err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}
