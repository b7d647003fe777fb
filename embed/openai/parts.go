package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mneme/embed"
)

// Services limit the number or the total length of the texts in a request, and report an
// exceeded limit in different ways. So if a service rejects a request but accepts a short text
// alone, the request is sent again in halves.

// textError is the error of a request that may be due to its texts.
type textError struct{ error }

func (e *textError) Unwrap() error { return e.error }

// inParts embeds one batch, in parts if the server rejects it as a whole. The error is
// embed.ErrText if the server rejects one text alone.
func (e *Embedder) inParts(ctx context.Context, inputs []string) ([][]float32, error) {
	known := len(inputs) > 1 && e.refused.covers(inputs)
	if !known {
		vectors, err := e.retry(ctx, inputs)
		var text *textError
		if !errors.As(err, &text) {
			return vectors, err
		}
		if _, failed := e.attempt(ctx, []string{input(e.Splitter, "text")}); failed != nil {
			return nil, err // the texts are not the cause
		}
		if len(inputs) == 1 {
			return nil, fmt.Errorf("%w: %w", embed.ErrText, err)
		}
	}
	half := len(inputs) / 2
	first, err := e.inParts(ctx, inputs[:half])
	if err != nil {
		return nil, err
	}
	second, err := e.inParts(ctx, inputs[half:])
	if err != nil {
		return nil, err
	}
	if !known {
		e.refused.add(inputs)
	}
	return append(first, second...), nil
}

// refusals are the sizes of requests that the server rejected although it accepted the same
// texts in parts.
type refusals struct {
	mu   sync.Mutex
	list []requestSize
}

type requestSize struct{ texts, bytes int }

// maxRefusals is the number of sizes that are remembered. A limit on the number of texts needs
// one size; a limit on their length may need one for each number of texts.
const maxRefusals = 16

// holds reports whether a request of size s has at least as many texts and bytes as a
// request of size t.
func (s requestSize) holds(t requestSize) bool { return s.texts >= t.texts && s.bytes >= t.bytes }

func sizeOf(inputs []string) requestSize {
	s := requestSize{texts: len(inputs)}
	for _, input := range inputs {
		s.bytes += len(input)
	}
	return s
}

// covers reports whether the server once rejected a request that was not larger than inputs.
func (r *refusals) covers(inputs []string) bool {
	size := sizeOf(inputs)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.list, size.holds)
}

// add records that the server rejected a request with inputs.
func (r *refusals) add(inputs []string) {
	size := sizeOf(inputs)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(old requestSize) bool { return old.holds(size) })
	if len(r.list) == maxRefusals {
		r.list = r.list[1:]
	}
	r.list = append(r.list, size)
}
