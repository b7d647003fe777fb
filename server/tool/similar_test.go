package tool_test

import (
	"context"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/embed/e5/e5test"
	"mneme/memory"
	"mneme/server/tool"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// openIndexing opens tools with the built-in model that index the writes.
func openIndexing(t testing.TB) *harness {
	t.Helper()
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{SimilarWait: wait.Limit}}, e5test.MustEncoder(t))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return &harness{Tools: tool.New(f.Service, tool.Options{Market: f.Market}), t: t, service: f, clock: f.Clock, index: f.Index}
}

type saved struct {
	Saved   bool
	Similar []struct {
		Key, Namespace, Description string
		Relevance                   float64
	}
	Unknown bool `json:"similar_unknown"`
}

func TestSavesNameSimilarMemories(t *testing.T) {
	h := openIndexing(t)
	const bees = "Anna is allergic to bees."
	save := func(p acl.Principal, key, content string) saved {
		return decode[saved](h, h.must(p, "memory_save", "key", key, "content", content))
	}
	if got := save(alice, "bees", bees); !got.Saved || got.Similar != nil || got.Unknown {
		t.Errorf("the first: %+v", got)
	}
	confidential := acl.Principal{Agent: "alice", Taint: acl.Confidential}
	if got := save(confidential, "secret", bees); len(got.Similar) != 1 || got.Similar[0].Key != "bees" || got.Similar[0].Relevance < 0.5 {
		t.Errorf("at a higher label: %+v", got)
	}
	if got := save(alice, "wasps", "Anna is allergic to bees and wasps."); len(got.Similar) != 1 || got.Similar[0].Key != "bees" {
		t.Errorf("with a similar secret: %+v", got)
	}
	if got := save(alice, "plumber", "The plumber comes on Thursday."); got.Similar != nil || got.Unknown {
		t.Errorf("the plumber: %+v", got)
	}
	note := func(p acl.Principal, path, parameter string) string {
		return h.must(p, "memory", "command", "create", "path", path, parameter, bees)
	}
	got := note(alice, "/memories/again", "file_text")
	if !strings.HasPrefix(got, "File created successfully at: /memories/again\n") || !strings.Contains(got, "\n- /memories/bees (relevance 0.") || strings.Contains(got, "secret") {
		t.Errorf("create: %s", got)
	}
	if got := note(alice, "/memories/again", "content"); !strings.HasPrefix(got, "File overwritten successfully at: /memories/again\n") || !strings.Contains(got, "\n- /memories/bees") || strings.Contains(got, "- /memories/again") {
		t.Errorf("overwritten: %s", got)
	}
	h.share(alice, "bob", acl.ReadWrite)
	if got := note(bob, "/memories/shared/alice/his", "file_text"); !strings.Contains(got, "\n- /memories/shared/alice/bees") {
		t.Errorf("in a shared store: %s", got)
	}
	if got := note(bob, "/memories/own", "file_text"); got != "File created successfully at: /memories/own" {
		t.Errorf("in his own store: %s", got)
	}
}

// A model can follow the note of a save and update or delete a similar entry, also in
// another namespace, as after an import.
func TestSimilarMemoriesOfAnotherNamespaceCanBeChanged(t *testing.T) {
	h := openIndexing(t)
	h.put(alice, "alice", "bees", `"Anna is allergic to bees."`, func(r *memory.PutRequest) { r.Path.Namespace, r.Similar = "mem0", true })
	got := decode[saved](h, h.must(alice, "memory_save", "key", "allergy", "content", "Anna is allergic to bees."))
	if len(got.Similar) != 1 || got.Similar[0].Namespace != "mem0" {
		t.Fatalf("%+v", got)
	}
	at := []any{"key", got.Similar[0].Key, "namespace", got.Similar[0].Namespace}
	h.must(alice, "memory_save", append(at, "content", "Anna is allergic to wasps.")...)
	e, err := h.service.Get(t.Context(), memory.Caller{Principal: alice}, memory.Path{Store: "alice", Namespace: "mem0", Key: "bees"})
	if err != nil || e.Version != 2 || string(e.Value) != `"Anna is allergic to wasps."` || h.value(alice, "alice", "bees") != "" {
		t.Errorf("updated: %+v, %v, and %q without a namespace", e, err, h.value(alice, "alice", "bees"))
	}
	h.must(alice, "memory_delete", at...)
	if got := h.must(alice, "memory_get", at...); got != `{"found":false,"key":"bees"}` {
		t.Errorf("deleted: %s", got)
	}
	if h.value(alice, "alice", "allergy") == "" {
		t.Error("the saved one is gone")
	}
}

func TestSavesThatAreNotIndexedInTimeSaySo(t *testing.T) {
	h := openWithModel(t)
	if got := decode[saved](h, h.must(alice, "memory_save", "key", "a", "content", "x")); !got.Saved || !got.Unknown {
		t.Errorf("%+v", got)
	}
	got := h.must(alice, "memory", "command", "create", "path", "/memories/b", "file_text", "x")
	if got != "File created successfully at: /memories/b\n(It was not compared with other memories in time.)" {
		t.Errorf("%s", got)
	}
	h = open(t)
	if got := h.must(alice, "memory", "command", "create", "path", "/memories/b", "file_text", "x"); got != "File created successfully at: /memories/b" {
		t.Errorf("without a model: %s", got)
	}
}
