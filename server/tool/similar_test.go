package tool_test

import (
	"context"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/tool"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// openIndexing opens tools with the built-in model that index what is written.
func openIndexing(t testing.TB) *harness {
	t.Helper()
	f := backendtest.Open(t, backendtest.Embedded(), backendtest.Options{Memory: memory.Options{SimilarWait: wait.Limit}}, backendtest.MustEncoder(t))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return &harness{Tools: tool.New(f.Service, f.Searcher, tool.Options{Market: f.Market}), t: t, service: f, clock: f.Clock, index: f.Index}
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
		t.Errorf("with a secret beside it: %+v", got)
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
