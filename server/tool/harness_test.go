package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"mneme/acl"
	"mneme/embed"
	"mneme/embed/e5"
	"mneme/memory"
	"mneme/server/tool"
	"mneme/storage/sqlite/sqlitetest"
	"mneme/vector"
	"mneme/vector/flat"
)

// house is the tools over a fresh database.
type house struct {
	*tool.Tools
	t       testing.TB
	service *memory.Service
	clock   *clock
	// wire, if set, brings the calls of try to the tools.
	wire func(p acl.Principal, name string, input json.RawMessage) (tool.Result, error)
}

// clock is a clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// encoder is the real E5, loaded once.
var encoder = sync.OnceValues(func() (embed.Embedder, error) { return e5.New(e5.Options{}) })

// open makes a house whose searches answer by words.
func open(t testing.TB) *house { return openWith(t, memory.Options{}, tool.Options{}) }

// openWithModel makes one whose searches answer by meaning too.
func openWithModel(t testing.TB) *house {
	t.Helper()
	e, err := encoder()
	if err != nil {
		t.Fatal(err)
	}
	return openWith(t, memory.Options{VectorBudget: time.Minute, Models: []memory.Model{{
		Embedder: e, Local: true,
		Open: func(context.Context) (vector.Index, error) { return flat.New(e.Dim()), nil },
	}}}, tool.Options{})
}

func openWith(t testing.TB, o memory.Options, tools tool.Options) *house {
	t.Helper()
	h := &house{t: t, clock: &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}}
	var err error
	o.Now = h.clock.Now
	if h.service, err = memory.New(context.Background(), sqlitetest.Open(t), o); err != nil {
		t.Fatal(err)
	}
	tools.ValueLimit = o.Limits.Value
	h.Tools = tool.New(h.service, tools)
	return h
}

var (
	alice  = acl.Principal{Agent: "alice", Taint: acl.Public}
	bob    = acl.Principal{Agent: "bob", Taint: acl.Public}
	sharer = acl.Principal{Agent: "alice", Taint: acl.Public, Share: true}
)

// input is a tool's input, of names and values in turn.
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
func (h *house) try(p acl.Principal, name string, pairs ...any) tool.Result {
	h.t.Helper()
	bring := h.wire
	if bring == nil {
		bring = func(p acl.Principal, name string, input json.RawMessage) (tool.Result, error) {
			return h.Call(context.Background(), p, name, input)
		}
	}
	result, err := bring(p, name, input(pairs...))
	if err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	return result
}

// must calls a tool that has to succeed and returns its text.
func (h *house) must(p acl.Principal, name string, pairs ...any) string {
	h.t.Helper()
	result := h.try(p, name, pairs...)
	if result.IsError {
		h.t.Fatalf("%s %s: %s", name, input(pairs...), result.Text)
	}
	return result.Text
}

// refused calls a tool that has to refuse and returns what it says.
func (h *house) refused(p acl.Principal, name string, pairs ...any) string {
	h.t.Helper()
	result := h.try(p, name, pairs...)
	if !result.IsError {
		h.t.Fatalf("%s %s was not refused: %s", name, input(pairs...), result.Text)
	}
	return result.Text
}

// put writes an entry without a tool.
func (h *house) put(p acl.Principal, store, key, value string, change ...func(*memory.PutRequest)) memory.PutResult {
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
func (h *house) value(p acl.Principal, store, key string) string {
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

func (h *house) share(p acl.Principal, grantee string, level acl.Level) {
	h.t.Helper()
	_, err := h.service.Share(context.Background(), memory.Caller{Principal: p}, memory.ShareRequest{Store: p.Agent, Grantee: grantee, Level: level})
	if err != nil {
		h.t.Fatal(err)
	}
}

// must is a value as JSON.
func must(t testing.TB, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
