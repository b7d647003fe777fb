// Package e5 runs the text encoders E5-small-v2 and multilingual-e5-small in the process,
// without cgo and without other files: the weights are embedded in the program.
//
// The first is an English encoder of 33 million parameters: WordPiece, twelve layers of
// BERT, mean pooling. The second, for about a hundred languages, has 118 million: twelve
// layers, and 250,002 pieces of a unigram tokenizer. Both return 384-dimensional unit
// vectors, so the cosine of two texts is the dot product of their vectors. Vectors have
// the same bits on every processor. Vectors of different models are not comparable.
//
// # Use
//
// New loads the model. An Encoder embeds queries with Query and stored texts
// with Passages, since the model marks them with different prefixes. A text
// beyond the window of 512 tokens is split into chunks with Split first.
//
// The origin of the weights is described in docs/models, the design in
// docs/decisions/0001-encoder-and-weights.md and 0069-multilingual-model.md.
package e5

import (
	"bytes"
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

// batchTokens is the number of tokens up to which passages share a batch. A text with more
// tokens is a batch of its own.
const batchTokens = 256

// Options configure an Encoder. The zero value is the right one for servers.
type Options struct {
	// Multilingual selects the embedded weights of multilingual-e5-small instead of those
	// of E5-small-v2.
	Multilingual bool
	// Weights is a weights file that replaces the embedded ones. It must not
	// change while the Encoder is in use.
	Weights []byte
	// Workers is the number of batches of passages that are encoded concurrently, at most
	// one per processor; 0 means GOMAXPROCS.
	Workers int
	// Portable disables the kernels in assembly.
	Portable bool
	// Codes makes the encoder add the codes of tokens to passages and queries: see package
	// maxsim. WithCodes does so for an existing encoder.
	Codes bool
	// Projection is a projection file to use instead of the one that belongs to the embedded
	// weights or is in the Weights file.
	Projection []byte
	// Lazy defers loading the embedded weights until Load is called or they are first used;
	// until then only their header is read. Their checksum is not verified then, since they are
	// part of the program. It has no effect on a Weights file.
	Lazy bool
}

// Encoder runs one of the models. It is safe for concurrent use.
type Encoder struct {
	*engine
	projector   *projector // nil: no codes
	fingerprint string
}

// engine is shared by encoders with and without codes.
type engine struct {
	loading sync.Once
	load    func() // sets network; nil: network is set

	network
	identity
	mapped     mapped
	kernels    *kernels
	projection []byte        // the file; nil if there is none
	workers    chan struct{} // semaphore of batches in progress
	free       sync.Pool     // of *scratch
	gate       gate
}

// network holds the loaded weights.
type network struct {
	tokenizer                  tokenizer
	model                      *model
	queryPrefix, passagePrefix int // lengths in tokens
}

var (
	_ embed.Embedder = (*Encoder)(nil)
	_ embed.Yielder  = (*Encoder)(nil)
)

// New verifies and loads the weights. For the English model this takes about a tenth of a
// second and 28 MB of memory, for the multilingual one .4 s unless Lazy is set.
func New(o Options) (*Encoder, error) {
	e := &Encoder{engine: &engine{kernels: &portable, projection: o.Projection}}
	if !o.Portable {
		e.kernels = fastest()
	}
	var id identity
	var err error
	if o.Weights != nil {
		id, err = e.loadFile(o.Weights)
	} else {
		model := &english
		if o.Multilingual {
			model = &multilingual
		}
		id, err = e.open(model, o.Lazy)
	}
	if err != nil {
		return nil, fmt.Errorf("e5: %w", err)
	}
	e.identity = id
	e.fingerprint = id.fingerprint()
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

// Load loads the weights if Lazy deferred that. If several calls need them, all wait for one
// load.
func (e *engine) Load() {
	if e.load != nil {
		e.loading.Do(e.load)
	}
}

// identity holds the parts of a weights file's fingerprint.
type identity struct {
	kind string // wordPieceModel or unigramModel
	bits int
	sum  [32]byte
}

func (id *identity) fingerprint() string {
	return fmt.Sprintf("%s/w%da8g32/mean/query:passage:/v2/%x", id.kind, id.bits, id.sum[:6])
}

// earlier returns the fingerprint that the weights had with 16-bit activations, or "" if they
// never ran with these.
func (id *identity) earlier() string {
	if id.bits != 8 {
		return ""
	}
	return fmt.Sprintf("%s/int8g32/mean/query:passage:/v1/%x", id.kind, id.sum[:6])
}

// loadFile verifies and loads a weights file.
func (e *engine) loadFile(file []byte) (identity, error) {
	w, err := weightfile.Parse(file)
	if err != nil {
		return identity{}, err
	}
	t, kind, err := newTokenizer(w)
	if err != nil {
		return identity{}, err
	}
	if e.projection == nil && len(w.Projection) > 0 {
		e.projection = w.Projection
	}
	e.network, err = newNetwork(w, t, e.kernels)
	return identity{kind, w.Bits, w.Sum}, err
}

// open prepares a built-in model. If lazy is set, it leaves loading to Load.
func (e *engine) open(model *builtIn, lazy bool) (identity, error) {
	if e.projection == nil {
		e.projection = model.projection
	}
	if !lazy {
		return e.loadFile(model.file())
	}
	e.load = func() { e.loadBuiltIn(model) }
	id := identity{kind: model.kind}
	var err error
	id.sum, id.bits, err = weightfile.Header(model.file())
	return id, err
}

// loadBuiltIn loads a built-in model. It then releases the pages of the file whose contents
// were copied.
func (e *engine) loadBuiltIn(model *builtIn) {
	file := model.file()
	w, err := weightfile.ParseUnverified(file)
	if err == nil {
		var t tokenizer
		if model.kind == wordPieceModel {
			t = builtInTokenizer()
		} else {
			t, _, err = newTokenizer(w)
		}
		if err == nil {
			e.network, err = newNetwork(w, t, e.kernels)
		}
	}
	if err != nil {
		panic(fmt.Errorf("e5: the weights in the program: %w", err))
	}
	release(file)
	e.mapped.file = file
}

func newNetwork(w *weightfile.Weights, t tokenizer, k *kernels) (network, error) {
	m, err := newModel(w, k.flip)
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

// Predecessors returns the fingerprints of the same weights in earlier releases, which had
// 16-bit activations, without codes and with codes. Their vectors have a cosine of at least
// .9995 with today's vectors of the same texts, so searches may use them until they are
// recomputed. Only the embedded weights have predecessors with codes.
func (e *Encoder) Predecessors() []string {
	earlier := e.identity.earlier()
	if earlier == "" {
		return nil
	}
	names := []string{earlier}
	if bytes.Equal(e.projection, english.projection) {
		names = append(names, earlier+"+"+codesVersion+"/"+earlierProjection)
	}
	return names
}

// Cosines returns the medians for the kind of model, English or multilingual, measured over the
// sets of docs/decisions/0031-relevance.md and 0069-multilingual-model.md. Other weights of the
// same kind are assumed to be trained in the same way and to have similar medians.
func (e *Encoder) Cosines() (unrelated, related float64) {
	if e.English() {
		return 0.78, 0.85
	}
	return 0.80, 0.865 // docs/decisions/0083-one-scale.md
}

// English reports whether the model's tokenizer is WordPiece, as in English models.
func (e *Encoder) English() bool { return e.kind == wordPieceModel }

// Dim is the length of the vectors, 384.
func (e *Encoder) Dim() int { return width }

// Kernels returns the name of the kernels in use: "avx512vnni", "avx2", "dotprod",
// "neon" or "portable".
func (e *Encoder) Kernels() string { return e.kernels.name }

// Hold implements embed.Yielder. Passages wait for two seconds, and then get a quarter of the
// processors' time: see gate.
func (e *Encoder) Hold() { e.gate.hold() }

// Release implements embed.Yielder.
func (e *Encoder) Release() { e.gate.release() }

// Await implements embed.Yielder.
func (e *Encoder) Await() { e.gate.awaitPassages() }

// Arrived implements embed.Yielder.
func (e *Encoder) Arrived() { e.gate.arrived() }

// scratch returns memory for a run with a number of tokens. It reuses the memory of an earlier
// run if that is large enough. A token takes 14 kB.
func (e *Encoder) scratch(rows int) *scratch {
	if s, _ := e.free.Get().(*scratch); s != nil && s.rows >= rows {
		return s
	}
	return newScratch(roundUp(rows, 64))
}

// QueryTokens returns the token IDs that Query passes to the model.
func (e *Encoder) QueryTokens(text string) []int32 {
	e.Load()
	return e.tokenizer.encode(queryPrefix, text)
}
