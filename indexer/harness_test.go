package indexer_test

import (
	"context"
	"encoding/json"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/e5/e5test"
	"mneme/memory"
	"mneme/search"
	"mneme/test/backendtest"
)

var background = context.Background()

// onEachBackend runs a test on every supported backend, in parallel.
func onEachBackend(t *testing.T, test func(t *testing.T, b backendtest.Backend)) {
	t.Helper()
	t.Parallel()
	backendtest.Each(t, backendtest.Backends(), test)
}

// encoder returns the built-in encoder.
func encoder(t testing.TB) *e5test.CachingEmbedder {
	t.Helper()
	return e5test.MustEncoder(t)
}

// harness is a service and its indexer under test.
type harness struct {
	*backendtest.Fixture
	t testing.TB
}

// openOver opens another service over a database, as another process would.
func openOver(t testing.TB, data *backendtest.Data, options memory.Options, embedders ...embed.Embedder) *harness {
	t.Helper()
	return &harness{backendtest.OpenOver(t, data, backendtest.Options{Memory: options}, embedders...), t}
}

// wrap returns a harness for a process that the test has opened itself.
func wrap(t testing.TB, p *backendtest.Process) *harness {
	return &harness{backendtest.Wrap(t, p), t}
}

// put creates an entry whose value is a text.
func (h *harness) put(c memory.Caller, store, key, value string, change ...func(*memory.PutRequest)) memory.PutResult {
	h.t.Helper()
	r := memory.PutRequest{Path: path(store, key), Value: text(value)}
	for _, f := range change {
		f(&r)
	}
	result, err := h.Put(background, c, r)
	must(h, err)
	if !result.Created {
		h.t.Fatalf("put %s/%s: the entry already exists", store, key)
	}
	return result
}

// search runs a search that must succeed, with a limit of 10 unless set.
func (h *harness) search(c memory.Caller, r search.Request) search.Answer {
	h.t.Helper()
	if r.Limit == 0 {
		r.Limit = 10
	}
	a, err := h.Search(background, c, r)
	must(h, err)
	return a
}

func must(h *harness, err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func path(store, key string) memory.Path { return memory.Path{Store: store, Key: key} }

func text(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

func agent(name string, taint acl.Label) memory.Caller {
	return memory.Caller{Principal: acl.Principal{Agent: name, Taint: taint}, Internal: true}
}
