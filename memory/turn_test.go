package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"mneme/acl"
	"mneme/backend/backendtest"
	"mneme/backend/backendtest/wait"
	"mneme/embed"
	"mneme/fairqueue"
	"mneme/memory"
)

// held is an embedder whose queries wait for a word each.
type held struct {
	embed.Embedder
	entered chan string
	release chan struct{}
}

func (h *held) Query(ctx context.Context, text string) (embed.Query, error) {
	h.entered <- text
	<-h.release
	return h.Embedder.Query(ctx, text)
}

// awaitLoad waits until so many searches run and wait.
func awaitLoad(t *testing.T, h *harness, running, waiting int) {
	t.Helper()
	wait.Until(t, fmt.Sprintf("%d searches run and %d wait", running, waiting), func() error {
		if load := h.SearchLoad(); load.Running != running || load.Waiting != waiting {
			return fmt.Errorf("the load is %+v", load)
		}
		return nil
	})
}

func TestSearchesTakeTurns(t *testing.T) {
	t.Parallel()
	gate := &held{Embedder: encoder(t), entered: make(chan string, 100), release: make(chan struct{})}
	options := memory.Options{Searches: fairqueue.Limits{Running: 1, RunningEach: 1, Waiting: 6, WaitingEach: 5}}
	h := &harness{backendtest.Open(t, backendtest.Embedded(), options, gate), t}
	hog, ada, bob := agent("hog", acl.Public), agent("ada", acl.Public), agent("bob", acl.Public)
	h.put(hog, "hog", "k", "tea", 201)
	h.put(ada, "ada", "k", "tea", 201)

	var group sync.WaitGroup
	var mu sync.Mutex
	waits := 0 // searches whose answer tells of a wait
	ask := func(c memory.Caller, query string, waiting int) {
		group.Go(func() {
			answer, err := h.Search(context.Background(), c, memory.SearchRequest{Query: query, Limit: 10})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if answer.Took.Queue > 0 {
				waits++
			}
		})
		awaitLoad(t, h, 1, waiting)
	}
	for i := range 6 {
		ask(hog, fmt.Sprint("hog ", i), i)
	}
	ask(ada, "ada", 6)

	var busy *memory.BusyError
	if _, err := h.Search(background, hog, memory.SearchRequest{Query: "one too many", Limit: 10}); !errors.As(err, &busy) || busy.RetryAfter <= 0 {
		t.Errorf("an agent's search above its limit: %v", err)
	}
	if _, err := h.Search(background, bob, memory.SearchRequest{Query: "one too many", Limit: 10}); !errors.As(err, &busy) {
		t.Errorf("a search above the limit of all: %v", err)
	}
	var order []string
	for range 7 {
		order = append(order, <-gate.entered)
		gate.release <- struct{}{}
	}
	group.Wait()
	if at := slices.Index(order, "ada"); at < 1 || at > 2 {
		t.Errorf("the searches ran in the order %v", order)
	}
	if waits != 7 {
		t.Errorf("%d of 7 waits show in the answers", waits)
	}
	awaitLoad(t, h, 0, 0)
}

func TestACanceledSearchLeavesTheQueue(t *testing.T) {
	t.Parallel()
	gate := &held{Embedder: encoder(t), entered: make(chan string, 100), release: make(chan struct{})}
	options := memory.Options{Searches: fairqueue.Limits{Running: 1, RunningEach: 1, Waiting: 6, WaitingEach: 5}}
	h := &harness{backendtest.Open(t, backendtest.Embedded(), options, gate), t}
	ada := agent("ada", acl.Public)
	h.put(ada, "ada", "k", "tea", 201)
	var group sync.WaitGroup
	group.Go(func() { h.search(ada, memory.SearchRequest{Query: "one"}) })
	awaitLoad(t, h, 1, 0)
	ctx, cancel := context.WithCancel(background)
	group.Go(func() {
		if _, err := h.Search(ctx, ada, memory.SearchRequest{Query: "two", Limit: 10}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	awaitLoad(t, h, 1, 1)
	cancel()
	awaitLoad(t, h, 1, 0)
	close(gate.release)
	group.Wait()
}
