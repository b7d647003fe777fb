// Package openai embeds by any server that speaks the OpenAI embeddings API
// (POST …/v1/embeddings): text-embeddings-inference, vLLM, Ollama, OpenAI.
//
// No text, key or answer of the server ever stands in one of its errors: they
// say which rule failed, with the HTTP status and the numbers concerned.
package openai

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	goopenai "github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"

	"mneme/embed"
)

// Embedder asks one server for the vectors of one model.
type Embedder struct {
	client      *goopenai.Client
	connections *http.Transport

	model         string
	fingerprint   string
	dim           int // 0 while probing: any length
	sendDim       bool
	queryPrefix   string
	passagePrefix string
	window        int // in cost units, see cost

	batchSize           int
	queries, passages   chan struct{} // a place for each request under way
	timeout             time.Duration
	attempts            int
	backoff, maxBackoff time.Duration

	clock  clock
	random func() float64 // in [0, 1)
}

var _ embed.Embedder = (*Embedder)(nil)

// New makes an Embedder, or says with ErrConfig what is wrong with config. It
// does not call the server: one that is away now may be there later.
func New(config Config) (*Embedder, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	connections := http.DefaultTransport.(*http.Transport).Clone()
	connections.MaxIdleConnsPerHost = config.QueryLimit + config.PassageLimit
	client := goopenai.DefaultConfig(config.APIKey)
	client.BaseURL = config.BaseURL
	client.HTTPClient = newWire(connections, config.BatchSize*config.Dim)
	return &Embedder{
		client:        goopenai.NewClientWithConfig(client),
		connections:   connections,
		model:         config.Model,
		fingerprint:   config.fingerprint(),
		dim:           config.Dim,
		sendDim:       config.SendDim,
		queryPrefix:   config.QueryPrefix,
		passagePrefix: config.PassagePrefix,
		window:        window(config.MaxTokens),
		batchSize:     config.BatchSize,
		queries:       make(chan struct{}, config.QueryLimit),
		passages:      make(chan struct{}, config.PassageLimit),
		timeout:       config.Timeout,
		attempts:      config.Attempts,
		backoff:       config.Backoff,
		maxBackoff:    config.MaxBackoff,
		clock:         realClock{},
		random:        rand.Float64,
	}, nil
}

// Probe asks the server how long the model's vectors are. It is for setting
// Dim once, by hand or at a first start: a Dim that followed the server would
// let a changed model pass unseen. config.Dim and config.SendDim are ignored.
func Probe(ctx context.Context, config Config) (int, error) {
	config.Dim, config.SendDim = maxDim, false
	e, err := New(config)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	e.dim = 0
	vector, err := e.Query(ctx, "length")
	return len(vector), err
}

// Close closes idle connections. Calls under way go on.
func (e *Embedder) Close() { e.connections.CloseIdleConnections() }

// Fingerprint names model, revision, dimension and prefixes. The server's
// address is no part of it, so a model may move; a server that changes its
// model under the same name must be told by Config.Revision. Nor is the
// window: it decides which texts are embedded, not their vectors.
func (e *Embedder) Fingerprint() string { return e.fingerprint }

func (c Config) fingerprint() string {
	hash := sha256.New()
	for _, part := range []string{c.Model, c.Revision, c.QueryPrefix, c.PassagePrefix} {
		_ = binary.Write(hash, binary.BigEndian, uint32(len(part))) // a hash takes every write
		hash.Write([]byte(part))
	}
	return fmt.Sprintf("openai/%s/%d/%x", c.Model, c.Dim, hash.Sum(nil)[:8])
}

// Dim is the length of every vector.
func (e *Embedder) Dim() int { return e.dim }

// Query embeds one question. It has places of its own on the way to the
// server, so it never waits behind passages. What goes beyond the window is
// cut off. Errors: the context's, ErrUnavailable, ErrRefused, ErrAnswer.
func (e *Embedder) Query(ctx context.Context, text string) ([]float32, error) {
	vectors, err := e.inTurn(ctx, e.queries, []string{e.input(e.queryPrefix, text)})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// Passages embeds stored texts, in requests of at most BatchSize texts, of
// which PassageLimit are under way at a time. What goes beyond the window is
// cut off. One failed request fails the call and ends the others. Errors: the
// context's, ErrUnavailable, ErrRefused, ErrAnswer.
func (e *Embedder) Passages(ctx context.Context, texts []string) ([][]float32, error) {
	inputs := make([]string, len(texts))
	for i, text := range texts {
		inputs[i] = e.input(e.passagePrefix, text)
	}
	vectors := make([][]float32, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(e.passages))
	for from := 0; from < len(inputs); from += e.batchSize {
		to := min(from+e.batchSize, len(inputs))
		group.Go(func() error {
			batch, err := e.inTurn(ctx, e.passages, inputs[from:to])
			copy(vectors[from:to], batch)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return vectors, nil
}

// input is what the server is sent for a text.
func (e *Embedder) input(prefix, text string) string {
	input := prefix + text[:fit(text, e.window-cost(prefix))]
	if input == "" {
		return " " // OpenAI's API refuses an empty string, and its whole batch
	}
	return input
}

// inTurn waits for a place among the requests under way, and keeps it through
// all attempts: a server that is overloaded is not asked more because of it.
func (e *Embedder) inTurn(ctx context.Context, places chan struct{}, inputs []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, gaveUp(err)
	}
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
		return e.embed(ctx, inputs)
	case <-ctx.Done():
		return nil, gaveUp(ctx.Err())
	}
}
