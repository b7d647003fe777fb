package e5

import (
	"context"
	"iter"
	"runtime"
	"sync"

	"mneme/embed"
)

// Passages embeds stored texts, in batches of about 256 tokens on all workers. Concurrent
// calls take turns, batch by batch, so that a call with few texts does not wait for one
// with many.
func (e *Encoder) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	e.Load()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]embed.Passage, len(texts))
	var wg sync.WaitGroup
	for b := range e.batches(texts) {
		if !e.takeWorker(ctx) {
			break
		}
		wg.Go(func() {
			defer func() { <-e.workers }()
			if err := e.run(ctx, b, out); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return out, nil
}

// takeWorker waits for a free worker. It reports false if the context ended first. A
// channel serves its senders in order, and each call waits for one worker at a time, so
// calls take turns.
func (e *Encoder) takeWorker(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case e.workers <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// batch is the input of one run: token IDs, and the index of each text.
type batch struct {
	ids    [][]int32
	index  []int
	tokens int
}

// batches tokenizes texts and yields them in batches.
func (e *Encoder) batches(texts []string) iter.Seq[batch] {
	return func(yield func(batch) bool) {
		var b batch
		for i, text := range texts {
			ids := e.tokenizer.encode(passagePrefix, text)
			if b.tokens > 0 && b.tokens+len(ids) > batchTokens {
				if !yield(b) {
					return
				}
				b = batch{}
			}
			b.ids, b.index, b.tokens = append(b.ids, ids), append(b.index, i), b.tokens+len(ids)
		}
		if b.tokens > 0 {
			yield(b)
		}
	}
}

// run encodes one batch and stores its passages in out.
func (e *Encoder) run(ctx context.Context, b batch, out []embed.Passage) error {
	vectors := make([][]float32, len(b.ids))
	codes := make([][]byte, len(b.ids))
	err := e.runBatch(ctx, b.ids, vectors, func(s *scratch) {
		if e.projector == nil {
			return
		}
		e.projector.project(e.kernels, s, b.tokens)
		first := 0
		for i, ids := range b.ids {
			codes[i] = e.encodeCodes(s, first, len(ids))
			first += len(ids)
		}
	})
	if err != nil {
		return err
	}
	for i, at := range b.index {
		out[at] = embed.Passage{Vector: vectors[i], Codes: codes[i]}
	}
	return nil
}

// runBatch runs the model over passages once it has a slot. It then calls after, still in
// the slot, with the vectors of all tokens in s.x.
func (e *Encoder) runBatch(ctx context.Context, texts [][]int32, out [][]float32, after func(s *scratch)) error {
	rows := 0
	for _, ids := range texts {
		rows += len(ids)
	}
	run, err := e.gate.enter(ctx, &e.gate.passages, rows)
	if err != nil {
		return err
	}
	s := e.scratch(rows)
	defer e.free.Put(s)
	err = e.model.forward(e.kernels, s, texts, out, func() error {
		runtime.Gosched() // a query may be runnable without a processor
		return e.gate.pause(ctx, run)
	})
	if err != nil {
		return err // of pause, which has left the gate
	}
	e.mapped.used()
	after(s)
	e.gate.leave(run)
	return nil
}
