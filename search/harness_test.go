package search_test

import (
	"context"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/e5/e5test"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// Helpers that the tests of packages memory and search share.
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
	return openWith(t, b, backendtest.Options{Memory: memory.Options{Limits: limits}})
}

// openWith is open with options.
func openWith(t testing.TB, b backendtest.Backend, options backendtest.Options) *harness {
	t.Helper()
	return &harness{backendtest.Open(t, b, options, encoder(t)), t}
}

// openOver opens another service over a database, as another process would.
func openOver(t testing.TB, data *backendtest.Data, options backendtest.Options, embedders ...embed.Embedder) *harness {
	t.Helper()
	return &harness{backendtest.OpenOver(t, data, options, embedders...), t}
}

func path(store, key string) memory.Path { return memory.Path{Store: store, Key: key} }

// values collects the values of an answer. It fails if more than a batch of them was in
// memory at any time.
func (h *harness) values(a *search.Answer, seen func(*search.Hit)) (values []string, shown *search.Values) {
	h.t.Helper()
	shown = a.Values()
	err := shown.Each(background, func(hit *search.Hit) error {
		held := 0
		for i := range a.Hits {
			held += len(a.Hits[i].Value)
		}
		if held > 700<<10 {
			h.t.Errorf("%d bytes of values are in memory", held)
		}
		if seen != nil {
			seen(hit)
		}
		values = append(values, string(hit.Value))
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return values, shown
}

var background = context.Background()

func must(h *harness, err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// share grants grantee a level on a store, which belongs to the agent of the same name, at
// every label.
func share(h *harness, store, grantee string, level acl.Level) {
	h.t.Helper()
	h.Lend(store, grantee, level)
}
