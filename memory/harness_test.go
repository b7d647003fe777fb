package memory_test

import (
	"encoding/json"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

// onEachBackend runs a test on every supported backend. It is for rules that
// involve a search or the index; tests of other rules use onEachStorage, which
// does not wait for Milvus.
func onEachBackend(t *testing.T, test func(t *testing.T, b backendtest.Backend)) {
	t.Helper()
	t.Parallel()
	backendtest.Each(t, backendtest.Backends(), test)
}

// onEachStorage runs a test on each storage, with the flat index.
func onEachStorage(t *testing.T, test func(t *testing.T, b backendtest.Backend)) {
	t.Helper()
	t.Parallel()
	backendtest.Each(t, backendtest.Storages(), test)
}

// encoder returns the built-in encoder.
func encoder(t testing.TB) *backendtest.CachingEmbedder {
	t.Helper()
	return backendtest.MustEncoder(t)
}

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

func text(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

func caller(p acl.Principal) memory.Caller { return memory.Caller{Principal: p, Internal: true} }

func agent(name string, taint acl.Label) memory.Caller {
	return caller(acl.Principal{Agent: name, Taint: taint})
}

// status is backendtest.Status.
func status(err error) int { return backendtest.Status(err) }

func must(h *harness, err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// search runs a search that must succeed, with a limit of 10 unless set.
func (h *harness) search(c memory.Caller, r search.Request) search.Answer {
	h.t.Helper()
	if r.Limit == 0 {
		r.Limit = 10
	}
	a, err := h.Search(background, c, r)
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

// keys returns the keys of the hits of an answer.
func keys(a search.Answer) []string {
	var keys []string
	for _, hit := range a.Hits {
		keys = append(keys, hit.Key)
	}
	return keys
}
