package indexer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/embed"
	"mneme/memory"
	"mneme/test/backendtest"
	"mneme/test/wait"
)

// heldEmbedder lets a test observe and delay calls of Passages: it sends each call to the test,
// and blocks it until the test releases it. Split cuts a text into chunks of 100 words.
type heldEmbedder struct {
	embed.Embedder
	calls chan heldCall
}

type heldCall struct {
	texts   []string
	release chan struct{}
}

func (h *heldEmbedder) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	call := heldCall{texts, make(chan struct{})}
	for _, wait := range []func() error{
		func() error { return sendOrDone(ctx, h.calls, call) },
		func() error {
			select {
			case <-call.release:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	} {
		if err := wait(); err != nil {
			return nil, err
		}
	}
	passages := make([]embed.Passage, len(texts))
	for i := range passages {
		passages[i].Vector = make([]float32, h.Dim())
		passages[i].Vector[0] = 1
	}
	return passages, nil
}

func sendOrDone[T any](ctx context.Context, ch chan<- T, value T) error {
	select {
	case ch <- value:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *heldEmbedder) Split(_, text string) (chunks []string) {
	for words := range slices.Chunk(strings.Fields(text), 100) {
		chunks = append(chunks, strings.Join(words, " "))
	}
	return chunks
}

// next returns the next call.
func (h *heldEmbedder) next(t *testing.T) heldCall {
	t.Helper()
	return wait.For(t, "a worker embeds something", h.calls)
}

// releaseAll releases all calls from now until the test ends.
func (h *heldEmbedder) releaseAll(t *testing.T) {
	go func() {
		for {
			select {
			case call := <-h.calls:
				close(call.release)
			case <-t.Context().Done():
				return
			}
		}
	}()
}

// of reports whether one of the call's texts begins with a word.
func (c heldCall) of(word string) bool {
	return slices.ContainsFunc(c.texts, func(text string) bool { return strings.HasPrefix(text, word) })
}

const (
	longText = 7000 // words: about 16 chunks
	workers  = 3
)

// openHeld opens a service with a heldEmbedder. put writes a value of a number of words into an
// agent's store.
func openHeld(t *testing.T, b backendtest.Backend) (h *harness, e *heldEmbedder, put func(agent, key string, words int)) {
	t.Helper()
	network, _ := remote(t)
	e = &heldEmbedder{Embedder: network, calls: make(chan heldCall)}
	h = openOver(t, b.Open(t), memory.Options{}, e)
	put = func(name, key string, words int) {
		t.Helper()
		h.put(agent(name, acl.Public), name, key, name+strings.Repeat(" word", words-1))
	}
	return h, e, put
}

// One agent queues many long entries before another agent queues a single line. The line must
// be among the texts of the workers' first calls, however much the first agent queued.
func TestShortEntryOfAnotherStoreIsInTheFirstBatches(t *testing.T) {
	for name, words := range map[string]int{"long entries": 2 * longText, "lines": 3} {
		t.Run(name, func(t *testing.T) {
			onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
				h, e, put := openHeld(t, b)
				for i := range 100 {
					put("hog", fmt.Sprint(i), words)
				}
				put("other", "line", 5)
				defer h.running()()
				found, chunks := false, 0
				for range workers {
					call := e.next(t)
					found = found || call.of("other")
					chunks += len(call.texts)
				}
				if !found {
					t.Errorf("the line was not embedded with the first %d chunks", chunks)
				}
			})
		})
	}
}

// A line is queued while all workers are busy with another agent's long entries. It must be
// embedded as soon as a worker that takes short entries is free.
func TestShortEntryWaitsForOneShortBatch(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, e, put := openHeld(t, b)
		for i := range 20 {
			put("hog", fmt.Sprint("long/", i), longText)
		}
		for i := range 300 {
			put("hog", fmt.Sprint("line/", i), 3)
		}
		defer h.running()()
		// A worker takes short rows if other workers have leased all long ones.
		var short []heldCall
		for range workers {
			if call := e.next(t); len(call.texts[0]) < 100 {
				short = append(short, call)
			}
		}
		if len(short) == 0 {
			t.Fatal("all workers hold long entries")
		}
		put("other", "line", 5)
		var next []heldCall
		for _, call := range short {
			close(call.release)
			next = append(next, e.next(t))
		}
		if !slices.ContainsFunc(next, func(c heldCall) bool { return c.of("other") }) {
			t.Error("after the short batches came only the hog's chunks")
		}
	})
}

// If only long entries are queued, all workers but one take them. The last worker stays free,
// in case a short entry is queued.
func TestLongEntriesLeaveAWorkerFree(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h, e, put := openHeld(t, b)
		for i := range 20 {
			put("hog", fmt.Sprint(i), longText)
		}
		defer h.running()()
		for range workers - 1 {
			if call := e.next(t); !call.of("hog") {
				t.Error("a call without the hog's entry")
			}
		}
		put("other", "line", 5)
		if call := e.next(t); !call.of("other") || call.of("hog") {
			t.Errorf("the last worker took %d chunks", len(call.texts))
		}
	})
}

// onEachStorage runs a test on each storage, in parallel.
func onEachStorage(t *testing.T, test func(t *testing.T, b backendtest.Backend)) {
	t.Helper()
	backendtest.Each(t, backendtest.Storages(), test)
}
