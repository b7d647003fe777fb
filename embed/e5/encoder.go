// Package e5 runs the text encoder E5-small-v2 in the process, without cgo and
// without other files: the weights are embedded in the program.
//
// The model is an English encoder of 33 million parameters: WordPiece, twelve
// layers of BERT, mean pooling. It returns 384-dimensional unit vectors, so the
// cosine of two texts is the dot product of their vectors. Vectors have the same
// bits on every processor.
//
// # Use
//
// New loads the model. An Encoder embeds queries with Query and stored texts
// with Passages, since the model marks them with different prefixes. A text
// beyond the window of 512 tokens is split into chunks with Split first.
//
// The origin of the weights is described in docs/models/e5-small-v2.md, the
// design in docs/decisions/0001-encoder-and-weights.md.
package e5

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"mneme/embed"
	"mneme/embed/e5/weightfile"
)

// The prefixes of queries and stored texts that the model was trained with.
const (
	queryPrefix   = "query: "
	passagePrefix = "passage: "
)

// batchTokens is the number of tokens in a batch of passages. A longer text is a
// batch by itself.
const batchTokens = 256

// Options configure an Encoder. The zero value suits servers.
type Options struct {
	// Weights is a weights file that replaces the embedded one. It must not
	// change while the Encoder is in use.
	Weights []byte
	// Workers is the number of batches of passages that are encoded
	// concurrently, on as many processors as there are; 0 means GOMAXPROCS.
	Workers int
	// Portable disables the kernels in assembly.
	Portable bool
	// Codes adds the codes of tokens to passages and queries: see package
	// maxsim. WithCodes adds them later.
	Codes bool
	// Projection is a projection file that replaces the embedded one, which
	// belongs to the embedded weights.
	Projection []byte
	// Lazy leaves loading the embedded weights to Load or the first use, and does
	// not verify their checksum: they are part of the program. Weights that come
	// as a file are loaded by New all the same.
	Lazy bool
}

// Encoder is E5-small-v2. It is safe for concurrent use.
type Encoder struct {
	*engine
	projector   *projector // nil: no codes
	fingerprint string
	earlier     string // the fingerprint with activations of 16 bits, without codes
}

// engine is what encoders with and without codes share.
type engine struct {
	loading sync.Once
	load    func() // sets network; nil: it is set

	network
	kernels    *kernels
	projection []byte        // the file; nil if there is none
	workers    chan struct{} // semaphore of the batches in progress
	free       sync.Pool     // of *scratch
	gate       gate
}

// network is what is loaded from the weights.
type network struct {
	tokenizer                  tokenizer
	model                      *model
	queryPrefix, passagePrefix int // lengths in tokens
}

var _ embed.Embedder = (*Encoder)(nil)

// New verifies and loads the weights. It takes about a tenth of a second and
// 28 MB of memory.
func New(o Options) (*Encoder, error) {
	file, projection := o.Weights, o.Projection
	if file == nil {
		file = embeddedBytes()
		if projection == nil {
			projection = embeddedProjection
		}
	}
	e := &Encoder{engine: &engine{kernels: &portable, projection: projection}}
	var sum [32]byte
	var name string
	var err error
	if o.Lazy && o.Weights == nil {
		name, e.load = wordPieceModel, e.loadEmbedded
		sum, err = weightfile.Sum(file)
	} else {
		sum, name, err = e.loadFile(file)
	}
	if err != nil {
		return nil, fmt.Errorf("e5: %w", err)
	}
	weights := hex.EncodeToString(sum[:6])
	e.fingerprint = name + "/w8a8g32/mean/query:passage:/v2/" + weights
	e.earlier = name + "/int8g32/mean/query:passage:/v1/" + weights
	if !o.Portable {
		e.kernels = native()
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	e.workers = make(chan struct{}, workers)
	e.gate.slots = runtime.GOMAXPROCS(0)
	if o.Codes {
		return e.WithCodes()
	}
	return e, nil
}

// Load loads the weights if that was left to the first use. Calls that need them
// wait for it.
func (e *engine) Load() {
	if e.load != nil {
		e.loading.Do(e.load)
	}
}

// loadFile loads a weights file after verifying it, and returns its checksum and
// the name of its kind of model.
func (e *engine) loadFile(file []byte) (sum [32]byte, name string, err error) {
	w, err := weightfile.Parse(file)
	if err != nil {
		return sum, "", err
	}
	t, name, err := newTokenizer(w)
	if err != nil {
		return sum, "", err
	}
	e.network, err = newNetwork(w, t)
	return w.Sum, name, err
}

// loadEmbedded loads the embedded weights, and releases those of their pages that
// were copied.
func (e *engine) loadEmbedded() {
	file := embeddedBytes()
	w, err := weightfile.ParseUnverified(file)
	if err == nil {
		e.network, err = newNetwork(w, builtInTokenizer())
	}
	if err != nil {
		panic(fmt.Errorf("e5: the embedded weights: %w", err))
	}
	release(file)
}

func newNetwork(w *weightfile.Weights, t tokenizer) (network, error) {
	m, err := newModel(w)
	if err != nil {
		return network{}, err
	}
	return network{
		tokenizer: t, model: m,
		queryPrefix: len(t.encode(queryPrefix, "")) - 2, passagePrefix: len(t.encode(passagePrefix, "")) - 2,
	}, nil
}

// Fingerprint identifies the model, precision, pooling, prefixes and weights,
// and with codes their version and the projection.
func (e *Encoder) Fingerprint() string { return e.fingerprint }

// Predecessors returns the fingerprints of the same weights with the activations of
// 16 bits of earlier releases, without and with codes. Vectors made by them have a
// cosine of at least .9995 with those of the same texts today, so questions may be
// compared with them until they are made again. Their codes belong to the embedded
// weights alone: other weights had none.
func (e *Encoder) Predecessors() []string {
	names := []string{e.earlier}
	if bytes.Equal(e.projection, embeddedProjection) {
		names = append(names, e.earlier+"+"+codesVersion+"/"+earlierProjection)
	}
	return names
}

// Cosines returns the medians of E5-small-v2, measured over the sets of
// docs/decisions/0031-relevance.md. Other weights of the family, trained in the
// same way, are taken to have similar ones.
func (e *Encoder) Cosines() (unrelated, related float64) { return 0.78, 0.85 }

// Dim is the length of the vectors, 384.
func (e *Encoder) Dim() int { return width }

// Kernels returns the name of the kernels in use: "avx512vnni", "avx2", "dotprod",
// "neon" or "portable".
func (e *Encoder) Kernels() string { return e.kernels.name }

// Query embeds one query. Passages in progress pause for it, but keep a quarter
// of the processors' time: see gate. Beyond that it waits only for other queries, if
// there are more of them than processors; short ones pass long ones. Text beyond the
// window is cut off. The only error is the context's.
func (e *Encoder) Query(ctx context.Context, text string) (embed.Query, error) {
	e.Load()
	ids, spans := e.tokenizer.encodeSpans(queryPrefix, text)
	run, err := e.gate.enter(ctx, &e.gate.queries, len(ids))
	if err != nil {
		return embed.Query{}, err
	}
	s := e.scratch(len(ids))
	defer e.free.Put(s)
	var out [1][]float32
	if err := e.model.forward(e.kernels, s, [][]int32{ids}, out[:], func() error { return e.gate.pause(ctx, run) }); err != nil {
		return embed.Query{}, err // of the pause, which has left the gate
	}
	if e.projector != nil {
		e.projector.project(e.kernels, s, len(ids))
	}
	query := embed.Query{Vector: out[0], Tokens: e.queryTokens(s, ids, spans)}
	e.gate.leave(run)
	return query, nil
}

// scratch returns the memory for a number of tokens, reusing that of an earlier
// run if it is large enough. A token takes 18 kB.
func (e *Encoder) scratch(rows int) *scratch {
	if s, _ := e.free.Get().(*scratch); s != nil && s.rows >= rows {
		return s
	}
	return newScratch(roundUp(rows, 64))
}

// QueryTokens returns the token IDs that Query runs through the model.
func (e *Encoder) QueryTokens(text string) []int32 {
	e.Load()
	return e.tokenizer.encode(queryPrefix, text)
}
