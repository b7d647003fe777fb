// Package e5 runs E5-small-v2, an English text encoder of 33 million
// parameters, inside the process: WordPiece, twelve layers of BERT, mean
// pooling, unit length. Its weights are part of the program;
// docs/models/e5-small-v2.md tells where they come from.
package e5

import (
	"context"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"mneme/embed"
	"mneme/embed/e5/weightfile"
)

// The model was trained with these in front of questions and of stored texts.
const (
	queryPrefix   = "query: "
	passagePrefix = "passage: "
)

// unitTokens is how many tokens of passages run through the encoder at a
// time, where single texts are not longer.
const unitTokens = 256

// Options change how an Encoder runs; the zero value is right for servers.
type Options struct {
	// Weights is a weights file to use in place of the one in the program. It
	// must not change while the Encoder is in use.
	Weights []byte
	// Workers is the number of passages' units encoded at a time, 0 meaning
	// GOMAXPROCS.
	Workers int
	// Portable keeps to plain Go even where the processor could do better.
	Portable bool
}

// Encoder is E5-small-v2. It is safe for concurrent use.
type Encoder struct {
	tokenizer   *tokenizer
	model       *model
	kernels     *kernels
	fingerprint string
	workers     chan struct{} // holds one for each unit in work
	turns       chan struct{} // holds one for each query in work
	free        sync.Pool     // of *scratch
	gate        gate
}

var _ embed.Embedder = (*Encoder)(nil)

// New verifies and loads the weights, which takes about a tenth of a second
// and 28 MB.
func New(o Options) (*Encoder, error) {
	file := o.Weights
	if file == nil {
		file = embeddedBytes()
	}
	w, err := weightfile.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("e5: %w", err)
	}
	t, err := newTokenizer(w.Vocabulary)
	if err != nil {
		return nil, fmt.Errorf("e5: %w", err)
	}
	m, err := newModel(w)
	if err != nil {
		return nil, fmt.Errorf("e5: %w", err)
	}
	e := &Encoder{
		tokenizer:   t,
		model:       m,
		kernels:     &portable,
		fingerprint: "e5-small-v2/int8g32/mean/query:passage:/v1/" + hex.EncodeToString(w.Sum[:6]),
	}
	if !o.Portable {
		e.kernels = native()
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	e.workers = make(chan struct{}, workers)
	e.turns = make(chan struct{}, runtime.GOMAXPROCS(0))
	return e, nil
}

// Fingerprint names model, precision, pooling, prefixes and weights.
func (e *Encoder) Fingerprint() string { return e.fingerprint }

// Dim is 384.
func (e *Encoder) Dim() int { return width }

// Kernels names the set of inner loops in use: "avx2", "neon" or "portable".
func (e *Encoder) Kernels() string { return e.kernels.name }

// Query embeds one question. Passages in work stand aside until it is done;
// it waits only for other questions, where there are more than processors.
func (e *Encoder) Query(ctx context.Context, text string) ([]float32, error) {
	e.gate.enter()
	defer e.gate.leave()
	select {
	case e.turns <- struct{}{}:
		defer func() { <-e.turns }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ids := e.tokenizer.encode(queryPrefix, text)
	s := e.scratch(len(ids))
	defer e.free.Put(s)
	var out [1][]float32
	if err := e.model.forward(e.kernels, s, [][]int32{ids}, out[:], ctx.Err); err != nil {
		return nil, err
	}
	return out[0], nil
}

// scratch gives memory for so many tokens: what an earlier run left, if it is
// large enough. A token takes 18 kB.
func (e *Encoder) scratch(rows int) *scratch {
	if s, _ := e.free.Get().(*scratch); s != nil && s.rows >= rows {
		return s
	}
	return newScratch(roundUp(rows, 64))
}

// QueryTokens gives the token ids that Query would run through the model.
func (e *Encoder) QueryTokens(text string) []int32 {
	return e.tokenizer.encode(queryPrefix, text)
}
