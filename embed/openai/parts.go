package openai

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mneme/embed"
)

// Services bound the texts of a request, or their length, and say so in ways of their own. A
// request that is refused while a short text is taken is made again in halves.

// textError is an error of a request that may be due to its texts.
type textError struct{ error }

func (e *textError) Unwrap() error { return e.error }

// inParts embeds one batch, in parts if the server does not take so much at once. The error is
// embed.ErrText if it does not take one of the texts alone.
func (e *Embedder) inParts(ctx context.Context, inputs []string) ([][]float32, error) {
	known := len(inputs) > 1 && e.refused.covers(inputs)
	if !known {
		vectors, err := e.retry(ctx, inputs)
		var text *textError
		if !errors.As(err, &text) {
			return vectors, err
		}
		if _, failed := e.attempt(ctx, []string{e.input(e.config.PassagePrefix, "text")}); failed != nil {
			return nil, err // the texts are not to blame
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

// refusals are the sizes of requests that the server refused, though it took their parts.
type refusals struct {
	mu   sync.Mutex
	list []requestSize
}

type requestSize struct{ texts, bytes int }

// maxRefusals is how many sizes are kept. A limit on texts needs one for each number of them.
const maxRefusals = 16

// holds reports whether a request of size s has at least as many texts and bytes as one of
// size t.
func (s requestSize) holds(t requestSize) bool { return s.texts >= t.texts && s.bytes >= t.bytes }

func sizeOf(inputs []string) requestSize {
	s := requestSize{texts: len(inputs)}
	for _, input := range inputs {
		s.bytes += len(input)
	}
	return s
}

// covers reports whether less than this was refused.
func (r *refusals) covers(inputs []string) bool {
	size := sizeOf(inputs)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.list, size.holds)
}

// add remembers a request that was refused.
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
