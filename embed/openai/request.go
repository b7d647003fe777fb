package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"syscall"
	"time"

	goopenai "github.com/sashabaranov/go-openai"
)

// Failures of a request.
var (
	// ErrUnavailable means that the server was away, too slow or overloaded
	// (429, 5xx), through all attempts. Later it may work.
	ErrUnavailable = errors.New("embedding server is unavailable")
	// ErrRefused means that the server refuses the request (4xx but 429, or a
	// redirect): a wrong key, model, address, or more text than it takes.
	// Asking again changes nothing.
	ErrRefused = errors.New("embedding server refuses the request")
	// ErrAnswer means that what the server answered are not the vectors that
	// were asked for.
	ErrAnswer = errors.New("embedding server's answer cannot be used")
)

// failure is a failed attempt.
type failure struct {
	err   error         // ours from end to end: it wraps nothing of the server's
	again bool          // another attempt may succeed
	after time.Duration // the server's Retry-After
}

// gaveUp is the error of a caller whose context ended.
func gaveUp(err error) error { return fmt.Errorf("embedding: %w", err) }

// ask makes one request and judges its answer.
func (e *Embedder) ask(ctx context.Context, inputs []string) ([][]float32, *failure) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	request := goopenai.EmbeddingRequestStrings{
		Input: inputs,
		Model: goopenai.EmbeddingModel(e.model),
	}
	if e.sendDim {
		request.Dimensions = e.dim
	}
	response, err := e.client.CreateEmbeddings(ctx, request)
	if err != nil {
		return nil, e.judge(ctx, err, response.Header())
	}
	vectors, err := e.vectors(response.Data, len(inputs))
	if err != nil {
		return nil, &failure{err: err}
	}
	return vectors, nil
}

// judge turns an error of the library into one of ours. The library's may hold
// the address and what the server said: nothing of it is passed on but the
// status.
func (e *Embedder) judge(ctx context.Context, err error, header http.Header) *failure {
	if status := statusOf(err); status != 0 {
		switch {
		case status == http.StatusTooManyRequests || status >= 500:
			return &failure{
				err:   fmt.Errorf("%w: status %d", ErrUnavailable, status),
				again: true,
				after: retryAfter(header, e.clock.now()),
			}
		default:
			return &failure{err: fmt.Errorf("%w: status %d", ErrRefused, status)}
		}
	}
	var network net.Error
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var redirect redirectError
	switch {
	case ctx.Err() != nil:
		return &failure{err: fmt.Errorf("%w: no answer within %v", ErrUnavailable, e.timeout), again: true}
	case errors.As(err, &redirect):
		return &failure{err: fmt.Errorf("%w: status %d, a redirect; set the address it leads to", ErrRefused, int(redirect))}
	case errors.Is(err, errTooLong):
		return &failure{err: fmt.Errorf("%w: longer than its vectors can be", ErrAnswer)}
	case errors.As(err, &certificate):
		return &failure{err: fmt.Errorf("%w: its TLS certificate is not trusted", ErrUnavailable)}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &failure{err: fmt.Errorf("%w: connection refused", ErrUnavailable), again: true}
	case errors.As(err, &dns):
		return &failure{err: fmt.Errorf("%w: its host is not known", ErrUnavailable), again: true}
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &failure{err: fmt.Errorf("%w: the connection broke", ErrUnavailable), again: true}
	default:
		return &failure{err: fmt.Errorf("%w: not the JSON of embeddings", ErrAnswer)}
	}
}

// statusOf is the HTTP status that the library's error carries, or 0.
func statusOf(err error) int {
	var api *goopenai.APIError
	var request *goopenai.RequestError
	switch {
	case errors.As(err, &api):
		return api.HTTPStatusCode
	case errors.As(err, &request):
		return request.HTTPStatusCode
	default:
		return 0
	}
}

// vectors puts an answer in the order of what was asked, each vector checked
// and of unit length.
func (e *Embedder) vectors(data []goopenai.Embedding, asked int) ([][]float32, error) {
	if len(data) != asked {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", ErrAnswer, len(data), asked)
	}
	vectors := make([][]float32, asked)
	for _, item := range data {
		switch {
		case item.Index < 0 || item.Index >= asked:
			return nil, fmt.Errorf("%w: index %d of %d texts", ErrAnswer, item.Index, asked)
		case vectors[item.Index] != nil:
			// As many vectors as texts, so another one is missing.
			return nil, fmt.Errorf("%w: index %d comes twice", ErrAnswer, item.Index)
		case e.dim != 0 && len(item.Embedding) != e.dim:
			return nil, fmt.Errorf("%w: vectors of %d numbers, configured are %d", ErrAnswer, len(item.Embedding), e.dim)
		}
		if err := normalise(item.Embedding); err != nil {
			return nil, err
		}
		vectors[item.Index] = item.Embedding
	}
	return vectors, nil
}

// normalise scales v to unit length in place.
func normalise(v []float32) error {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	length := math.Sqrt(squares)
	// Below this, float32 has too few digits left to give a direction.
	if !(length > 1e-30) || math.IsInf(length, 0) {
		return fmt.Errorf("%w: a vector without direction (zero or not a number)", ErrAnswer)
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}
