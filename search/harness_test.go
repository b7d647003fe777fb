package search_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/internal/condition"
	"mneme/lexical"
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

// put writes a text and checks the status of the outcome.
func (h *harness) put(c memory.Caller, store, key, value string, want int, change ...func(*memory.PutRequest)) memory.PutResult {
	h.t.Helper()
	r := memory.PutRequest{Path: memory.Path{Store: store, Key: key}, Value: text(value)}
	for _, f := range change {
		f(&r)
	}
	result, err := h.Put(background, c, r)
	got := status(err)
	if err == nil && result.Created {
		got = 201
	}
	if got != want {
		h.t.Fatalf("put %s/%s: status %d (%v), want %d", store, key, got, err, want)
	}
	return result
}

// get reads an entry and checks its text; "" means that it must not exist.
func (h *harness) get(c memory.Caller, store, key, want string) memory.Found {
	h.t.Helper()
	f, err := h.Get(background, c, memory.Path{Store: store, Key: key})
	if want == "" {
		if status(err) != 404 {
			h.t.Fatalf("get %s/%s: status %d, want 404", store, key, status(err))
		}
		return f
	}
	if err != nil {
		h.t.Fatalf("get %s/%s: %v", store, key, err)
	}
	var got string
	if json.Unmarshal(f.Value, &got) != nil || got != want {
		h.t.Fatalf("get %s/%s: %s, want %q", store, key, f.Value, want)
	}
	return f
}

// wantStatus checks the status of an error.
func (h *harness) wantStatus(err error, want int) {
	h.t.Helper()
	if got := status(err); got != want {
		h.t.Fatalf("status %d (%v), want %d", got, err, want)
	}
}

func path(store, key string) memory.Path { return memory.Path{Store: store, Key: key} }

func notInContext(r *memory.PutRequest) { no := false; r.InContext = &no }
func sealed(r *memory.PutRequest)       { yes := true; r.Encrypted = &yes }
func ttl(d time.Duration) func(*memory.PutRequest) {
	return func(r *memory.PutRequest) { r.TTL = &d }
}

// putValue writes an entry with a JSON value.
func (h *harness) putValue(c memory.Caller, store, key, value string, change ...func(*memory.PutRequest)) {
	h.t.Helper()
	r := memory.PutRequest{Path: memory.Path{Store: store, Key: key}, Value: json.RawMessage(value)}
	for _, f := range change {
		f(&r)
	}
	_, err := h.Put(background, c, r)
	must(h, err)
}

// share grants a store to an agent.
func (h *harness) share(c memory.Caller, grantee string, level acl.Level) {
	h.t.Helper()
	if _, err := h.Share(background, c, memory.ShareRequest{Store: c.Agent, Grantee: grantee, Level: level}); err != nil {
		h.t.Fatal(err)
	}
}

// values collects the values of an answer, and fails if more than a batch of
// them was held at any time.
func (h *harness) values(a *search.Answer, seen func(*search.Hit)) (values []string, label acl.Label) {
	h.t.Helper()
	label, err := h.EachHit(background, a, func(hit *search.Hit) error {
		held := 0
		for i := range a.Hits {
			held += len(a.Hits[i].Value)
		}
		if held > 700<<10 {
			h.t.Errorf("%d bytes of values are held", held)
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
	return values, label
}

// grantWrite grants another agent readwrite on the caller's own store.
func (h *harness) grantWrite(c memory.Caller, grantee string) {
	h.t.Helper()
	if _, err := h.Share(context.Background(), c, memory.ShareRequest{Store: c.Agent, Grantee: grantee, Level: acl.ReadWrite}); err != nil {
		h.t.Fatal(err)
	}
}

// status is backendtest.Status.
func status(err error) int { return backendtest.Status(err) }

var background = context.Background()

func must(h *harness, err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// share grants a store of its own agent.
func share(h *harness, store, grantee string, level acl.Level) {
	h.t.Helper()
	_, err := h.Share(background, agent(store, acl.Restricted), memory.ShareRequest{Store: store, Grantee: grantee, Level: level})
	must(h, err)
}

// match parses exact words.
func match(text string) *lexical.Match {
	m, err := memory.ParseMatch([]byte(text))
	if err != nil {
		panic(err)
	}
	return m
}

// where parses a condition.
func where(text string) *condition.Condition {
	c, err := memory.ParseWhere([]byte(text))
	if err != nil {
		panic(err)
	}
	return c
}

// long is a value of about 90 kB that says what it is about.
func long(about string) string { return about + " " + strings.Repeat("and so on ", 9000) }
