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

// takeWorker waits for a free worker, and returns false if the context ends first. Calls take
// turns: a channel serves its senders in order, and each call waits for only one worker at a
// time.
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

// batch is the input of one run: the token IDs of several texts, and the index of each among
// the texts of the call.
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

// runBatch waits for a slot and runs the model over passages. Then, while it still has the
// slot, it calls after with the vectors of all tokens in s.x.
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
		runtime.Gosched() // let a query start that is ready to run but has no processor
		return e.gate.pause(ctx, run)
	})
	if err != nil {
		return err // from pause, which has given the slot back
	}
	e.mapped.used()
	after(s)
	e.gate.leave(run)
	return nil
}
