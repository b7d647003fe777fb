package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/e5/e5test"
	"mneme/memory"
	"mneme/server/tool"
	"mneme/test/backendtest"
)

// harness is the tools over a fresh database.
type harness struct {
	*tool.Tools
	t       testing.TB
	service *backendtest.Fixture
	clock   *backendtest.Clock
	index   func() // drains the indexing queue
	// wire, if set, sends the calls of try to the tools.
	wire func(p acl.Principal, name string, input json.RawMessage) (tool.Result, error)
}

// open opens tools without a model: searches are lexical.
func open(t testing.TB) *harness { return openWith(t, memory.Limits{}, tool.Options{}) }

// openWithModel opens tools with the built-in model.
func openWithModel(t testing.TB) *harness {
	t.Helper()
	return openWith(t, memory.Limits{}, tool.Options{}, e5test.MustEncoder(t))
}

func openWith(t testing.TB, limits memory.Limits, tools tool.Options, embedders ...embed.Embedder) *harness {
	t.Helper()
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{Limits: limits, SimilarWait: time.Nanosecond}}, embedders...) // nothing is indexed by itself
	tools.ValueLimit, tools.Market = limits.Value, f.Market
	return &harness{Tools: tool.New(f.Service, tools), t: t, service: f, clock: f.Clock, index: f.Index}
}

// with returns tools with other options over the database of open.
func (h *harness) with(tools tool.Options) *harness {
	other := *h
	tools.Market = h.service.Market
	other.Tools = tool.New(h.service.Service, tools)
	return &other
}

var (
	alice  = acl.Principal{Agent: "alice", Taint: acl.Public}
	bob    = acl.Principal{Agent: "bob", Taint: acl.Public}
	sharer = acl.Principal{Agent: "alice", Taint: acl.Public, Share: true}
)

// input encodes alternating names and values as a tool's input.
func input(pairs ...any) json.RawMessage {
	object := make(map[string]any)
	for i := 0; i < len(pairs); i += 2 {
		object[pairs[i].(string)] = pairs[i+1]
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return text
}

// try calls a tool.
func (h *harness) try(p acl.Principal, name string, pairs ...any) tool.Result {
	h.t.Helper()
	send := h.wire
	if send == nil {
		send = func(p acl.Principal, name string, input json.RawMessage) (tool.Result, error) {
			return h.Call(context.Background(), p, name, input)
		}
	}
	result, err := send(p, name, input(pairs...))
	if err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	return result
}

// must makes a call that must succeed, and returns its text.
func (h *harness) must(p acl.Principal, name string, pairs ...any) string {
	h.t.Helper()
	result := h.try(p, name, pairs...)
	if result.IsError {
		h.t.Fatalf("%s %s: %s", name, input(pairs...), result.Text)
	}
	return result.Text
}

// refused makes a call that must be refused, and returns the error text.
func (h *harness) refused(p acl.Principal, name string, pairs ...any) string {
	h.t.Helper()
	result := h.try(p, name, pairs...)
	if !result.IsError {
		h.t.Fatalf("%s %s was not refused: %s", name, input(pairs...), result.Text)
	}
	return result.Text
}

// put writes an entry without a tool.
func (h *harness) put(p acl.Principal, store, key, value string, change ...func(*memory.PutRequest)) memory.PutResult {
	h.t.Helper()
	r := memory.PutRequest{Path: memory.Path{Store: store, Key: key}, Value: json.RawMessage(value)}
	for _, one := range change {
		one(&r)
	}
	put, err := h.service.Put(context.Background(), memory.Caller{Principal: p, Internal: true}, r)
	if err != nil {
		h.t.Fatal(err)
	}
	return put
}

// value reads an entry without a tool; "" if it is absent.
func (h *harness) value(p acl.Principal, store, key string) string {
	h.t.Helper()
	found, err := h.service.Get(context.Background(), memory.Caller{Principal: p, Internal: true}, memory.Path{Store: store, Key: key})
	if errors.Is(err, memory.ErrNotFound) {
		return ""
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return string(found.Value)
}

func (h *harness) share(p acl.Principal, grantee string, level acl.Level) {
	h.t.Helper()
	_, err := h.service.Share(context.Background(), memory.Caller{Principal: p}, memory.ShareRequest{Store: p.Agent, Grantee: grantee, Level: level})
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.service.AcceptGrant(context.Background(), memory.Caller{Principal: acl.Principal{Agent: grantee, Taint: p.Taint}}, p.Agent); err != nil {
		h.t.Fatal(err)
	}
}

// must encodes a value as JSON.
func must(t testing.TB, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
