// Package openai embeds text with any server of the OpenAI embeddings API
// (POST …/v1/embeddings): text-embeddings-inference, vLLM, Ollama, OpenAI.
//
// New returns an embed.Embedder for one model of one server.
// github.com/sashabaranov/go-openai makes the requests; this package adds batches,
// concurrency limits, retries, validation of answers, and splitting of long texts.
//
// Errors never include texts, the API key or text from the server. They name the rule that
// failed, with the HTTP status and the numbers concerned.
package openai

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"

	goopenai "github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"

	"mneme/embed"
)

// Embedder returns vectors of one model from one server.
type Embedder struct {
	embed.Splitter                // splits passages
	question       embed.Splitter // its Input is the text of a query to send

	config    Config // without the key, with its defaults
	client    *goopenai.Client
	transport *http.Transport

	fingerprint       string
	dim               int           // the length of vectors; 0 in Probe: any
	queries, passages chan struct{} // semaphores of the requests in flight
	refused           refusals

	clock  clock
	random func() float64 // in [0, 1)
}

var _ embed.Embedder = (*Embedder)(nil)

// New returns an Embedder, or an error that wraps ErrConfig and names every error in
// config. It does not call the server, which may be down at the time.
func New(config Config) (*Embedder, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = config.QueryLimit + config.PassageLimit
	client := goopenai.DefaultConfig(config.APIKey)
	client.BaseURL = config.BaseURL
	client.HTTPClient = newHTTPClient(transport, config.BatchSize*config.Dim)
	config.APIKey = "" // so that printing an Embedder does not show it; the client has it
	return &Embedder{
		Splitter:    config.passage(),
		question:    config.question(),
		config:      config,
		client:      goopenai.NewClientWithConfig(client),
		transport:   transport,
		fingerprint: config.fingerprint(),
		dim:         config.Dim,
		queries:     make(chan struct{}, config.QueryLimit),
		passages:    make(chan struct{}, config.PassageLimit),
		clock:       realClock{},
		random:      rand.Float64,
	}, nil
}

// Probe returns the length of the model's vectors, as the server reports it. Use it once, to
// find the value for Dim: if Dim always followed the server, a change of the model would go
// unnoticed. Probe ignores config.Dim and config.SendDim.
func Probe(ctx context.Context, config Config) (int, error) {
	config.Dim, config.SendDim = maxDim, false
	e, err := New(config)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	e.dim = 0
	query, err := e.Query(ctx, "length")
	return len(query.Vector), err
}

// Close closes idle connections. It does not interrupt calls in progress.
func (e *Embedder) Close() { e.transport.CloseIdleConnections() }

// Fingerprint identifies the model by name, revision, dimension and prefixes. It does not
// include the server's address, so a model may move; a model that changes under the same
// name needs another Config.Revision. It does not include the window either, which affects
// the texts that are embedded, not their vectors.
func (e *Embedder) Fingerprint() string { return e.fingerprint }

func (c Config) fingerprint() string {
	hash := sha256.New()
	for _, part := range []string{c.Model, c.Revision, c.QueryPrefix, c.PassagePrefix} {
		_ = binary.Write(hash, binary.BigEndian, uint32(len(part))) // a hash never fails
		hash.Write([]byte(part))
	}
	return fmt.Sprintf("openai/%s/%d/%x", c.Model, c.Dim, hash.Sum(nil)[:8])
}

// Cosines returns CosineUnrelated and CosineRelated of the Config.
func (e *Embedder) Cosines() (unrelated, related float64) {
	return e.config.CosineUnrelated, e.config.CosineRelated
}

// Dim is the length of every vector.
func (e *Embedder) Dim() int { return e.dim }

// Query embeds one query. Queries and passages have separate limits, so neither waits for
// the other here; the server schedules them by its own rules. Text beyond the window is
// cut off. Query fails with the context's error, ErrUnavailable, ErrRefused or ErrAnswer.
func (e *Embedder) Query(ctx context.Context, text string) (embed.Query, error) {
	vectors, err := e.limited(ctx, e.queries, e.retry, []string{input(e.question, text)})
	if err != nil {
		return embed.Query{}, err
	}
	return embed.Query{Vector: vectors[0]}, nil
}

// Passages embeds stored texts, in requests of at most BatchSize texts, or less if the
// server accepts less, with at most PassageLimit requests in flight. Text beyond the
// window is cut off. The first batch that fails cancels the others. Passages fails with
// the context's error, ErrUnavailable, ErrRefused or ErrAnswer, and also embed.ErrText if
// one of the texts is the cause.
func (e *Embedder) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	inputs := make([]string, len(texts))
	for i, text := range texts {
		inputs[i] = input(e.Splitter, text)
	}
	passages := make([]embed.Passage, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(e.passages))
	for from := 0; from < len(inputs); from += e.config.BatchSize {
		to := min(from+e.config.BatchSize, len(inputs))
		group.Go(func() error {
			batch, err := e.limited(ctx, e.passages, e.inParts, inputs[from:to])
			for i, vector := range batch {
				passages[from+i].Vector = vector
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return passages, nil
}

// input returns the text to send to the server.
func input(splitter embed.Splitter, text string) string {
	if input := splitter.Input(text); input != "" {
		return input
	}
	return " " // OpenAI's API rejects a whole batch for one empty string
}

// limited embeds one batch by calling request while it holds the semaphore. It holds it during
// all attempts, so that retries do not add to the load on the server.
func (e *Embedder) limited(ctx context.Context, semaphore chan struct{}, request func(context.Context, []string) ([][]float32, error), inputs []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, canceled(err)
	}
	select {
	case semaphore <- struct{}{}:
		defer func() { <-semaphore }()
		return request(ctx, inputs)
	case <-ctx.Done():
		return nil, canceled(ctx.Err())
	}
}
