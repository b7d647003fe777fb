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
	"slices"
	"time"

	"mneme/internal/system"

	goopenai "github.com/sashabaranov/go-openai"
)

// Errors of a request.
var (
	// ErrUnavailable means that the server was unreachable, too slow or
	// overloaded (429, 5xx) in every attempt. Trying later may succeed.
	ErrUnavailable = errors.New("embedding server is unavailable")
	// ErrRefused means that the server rejects the request (a redirect, or 4xx other than
	// 429): a wrong key, model or address, or more text than it accepts. Trying again does
	// not help.
	ErrRefused = errors.New("embedding server refuses the request")
	// ErrAnswer means that the server's answer does not contain the requested vectors.
	ErrAnswer = errors.New("embedding server's answer cannot be used")
)

// failure is a failed attempt.
type failure struct {
	err       error         // wraps no error of the server or the library
	retryable bool          // whether another attempt may succeed
	after     time.Duration // the server's Retry-After
}

// canceled wraps the error of the caller's context.
func canceled(err error) error { return fmt.Errorf("embedding: %w", err) }

// attempt makes one request and checks the answer.
func (e *Embedder) attempt(ctx context.Context, inputs []string) ([][]float32, *failure) {
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	request := goopenai.EmbeddingRequestStrings{
		Input: inputs,
		Model: goopenai.EmbeddingModel(e.config.Model),
	}
	if e.config.SendDim {
		request.Dimensions = e.dim
	}
	response, err := e.client.CreateEmbeddings(ctx, request)
	if err != nil {
		return nil, e.classify(ctx, err)
	}
	vectors, err := e.vectors(response.Data, len(inputs))
	if err != nil {
		return nil, &failure{err: err}
	}
	return vectors, nil
}

// classify converts an error of the request to an error of this package. It does not wrap the
// original error, which may include the address and text from the server.
func (e *Embedder) classify(ctx context.Context, err error) *failure {
	var status *statusError
	if errors.As(err, &status) {
		switch {
		case status.code == http.StatusTooManyRequests || status.code >= 500:
			err := fmt.Errorf("%w: status %d", ErrUnavailable, status.code)
			if status.code == http.StatusInternalServerError { // llama.cpp: the text is too long
				err = &textError{err}
			}
			return &failure{
				err:       err,
				retryable: true,
				after:     parseRetryAfter(status.retryAfter, e.clock.now()),
			}
		case status.code < 400:
			return &failure{err: fmt.Errorf("%w: status %d, a redirect; set the address it leads to", ErrRefused, status.code)}
		case status.code == http.StatusBadRequest, status.code == http.StatusRequestEntityTooLarge, status.code == http.StatusUnprocessableEntity:
			return &failure{err: &textError{fmt.Errorf("%w: status %d", ErrRefused, status.code)}}
		default:
			return &failure{err: fmt.Errorf("%w: status %d", ErrRefused, status.code)}
		}
	}
	unavailable := func(format string, args ...any) *failure {
		return &failure{err: fmt.Errorf("%w: "+format, append([]any{ErrUnavailable}, args...)...), retryable: true}
	}
	var network net.Error
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var tooLong *http.MaxBytesError
	switch {
	case ctx.Err() != nil:
		return unavailable("no answer within %v", e.config.Timeout)
	case errors.As(err, &tooLong):
		return &failure{err: fmt.Errorf("%w: longer than its vectors can be", ErrAnswer)}
	case errors.As(err, &certificate):
		return &failure{err: fmt.Errorf("%w: its TLS certificate is not trusted", ErrUnavailable)}
	case system.IsConnectionRefused(err):
		return unavailable("connection refused")
	case errors.As(err, &dns):
		return unavailable("host not found")
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return unavailable("connection lost")
	default:
		return &failure{err: fmt.Errorf("%w: not an embeddings response in JSON", ErrAnswer)}
	}
}

// vectors returns the vectors of an answer in the order of the request, checked and scaled to
// unit length. Some servers set every index to 0 or leave it out: their vectors are in the
// order of the request.
func (e *Embedder) vectors(data []goopenai.Embedding, requested int) ([][]float32, error) {
	if len(data) != requested {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", ErrAnswer, len(data), requested)
	}
	vectors := make([][]float32, requested)
	unnumbered := !slices.ContainsFunc(data, func(item goopenai.Embedding) bool { return item.Index != 0 })
	for i, item := range data {
		if unnumbered {
			item.Index = i
		}
		switch {
		case item.Index < 0 || item.Index >= requested:
			return nil, fmt.Errorf("%w: index %d of %d texts", ErrAnswer, item.Index, requested)
		case vectors[item.Index] != nil:
			// There are as many vectors as texts, so a duplicate means that another text has
			// none.
			return nil, fmt.Errorf("%w: duplicate index %d", ErrAnswer, item.Index)
		case e.dim != 0 && len(item.Embedding) != e.dim:
			return nil, fmt.Errorf("%w: vectors of length %d, want %d", ErrAnswer, len(item.Embedding), e.dim)
		}
		if err := normalize(item.Embedding); err != nil {
			return nil, &textError{err}
		}
		vectors[item.Index] = item.Embedding
	}
	return vectors, nil
}

// normalize scales v to unit length in place.
func normalize(v []float32) error {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	length := math.Sqrt(squares)
	// A shorter vector of float32 has subnormal elements, with too few digits for a direction.
	if !(length > 1e-30) || math.IsInf(length, 0) {
		return fmt.Errorf("%w: a vector without direction (zero or not a number)", ErrAnswer)
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return nil
}
