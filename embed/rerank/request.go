package rerank

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"mneme/internal/system"
)

// Errors of a request.
var (
	// ErrUnavailable means that the service was unreachable, too slow or overloaded
	// (429, 5xx).
	ErrUnavailable = errors.New("reranking service is unavailable")
	// ErrRefused means that the service rejects the request (a redirect, or 4xx
	// other than 429): a wrong key, model, address or shape.
	ErrRefused = errors.New("reranking service refuses the request")
	// ErrAnswer means that the service did not answer with a score for each text.
	ErrAnswer = errors.New("reranking service's answer cannot be used")
)

// maxAnswer bounds an answer, in bytes. A result takes less than 100; the bound leaves room for
// services that also return the texts.
const maxAnswer = 4 << 20

// ask sends one request and returns its scores in the order of texts.
func (c *Client) ask(ctx context.Context, query string, texts []string) ([]float64, error) {
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	case <-ctx.Done():
		return nil, canceled(ctx)
	}
	body, err := json.Marshal(c.form.request(c.config, query, texts))
	if err != nil {
		return nil, fmt.Errorf("%w: the request cannot be written", ErrRefused)
	}
	answer, err := c.post(ctx, body)
	if err != nil {
		return nil, classify(ctx, err)
	}
	items, err := c.form.results(answer)
	if err != nil {
		return nil, fmt.Errorf("%w: not the JSON of shape %s", ErrAnswer, c.config.Shape)
	}
	return inOrder(items, len(texts))
}

// statusError is the status of a response other than success.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("status %d", int(s)) }

// post sends a request and returns the body of the answer. If the service closed an idle
// connection that post reuses, http.Transport sends the request again, once: requests have no
// side effects. There is no other retry: the caller can answer without the service.
func (c *Client) post(ctx context.Context, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = c.header.Clone()
	request.Header["Idempotency-Key"] = nil // lets http.Transport retry, but is not sent
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() {
		drain(response.Body)
		_ = response.Body.Close()
	}()
	if response.StatusCode >= 300 {
		return nil, statusError(response.StatusCode)
	}
	return io.ReadAll(http.MaxBytesReader(nil, response.Body, maxAnswer))
}

// drain reads a short remainder of body, so that the connection can be reused. The bodies of
// error answers are not read otherwise: they may quote the request.
func drain(body io.Reader) {
	_, _ = io.CopyN(io.Discard, body, 16<<10)
}

// canceled wraps the error of the caller's context.
func canceled(ctx context.Context) error { return fmt.Errorf("reranking: %w", ctx.Err()) }

// classify converts an error of a request to an error of this package. It does not wrap the
// original error, which may include the address.
func classify(ctx context.Context, err error) error {
	var status statusError
	var network net.Error
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var tooLong *http.MaxBytesError
	switch {
	case ctx.Err() != nil:
		return canceled(ctx)
	case errors.As(err, &status):
		return status.classify()
	case errors.As(err, &tooLong):
		return fmt.Errorf("%w: longer than %d bytes", ErrAnswer, maxAnswer)
	case errors.As(err, &certificate):
		return fmt.Errorf("%w: its TLS certificate is not trusted", ErrUnavailable)
	case system.IsConnectionRefused(err):
		return fmt.Errorf("%w: connection refused", ErrUnavailable)
	case errors.As(err, &dns):
		return fmt.Errorf("%w: host not found", ErrUnavailable)
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%w: connection lost", ErrUnavailable)
	}
	return fmt.Errorf("%w: not an answer of HTTP", ErrAnswer)
}

func (s statusError) classify() error {
	switch {
	case s == http.StatusTooManyRequests || s >= 500:
		return fmt.Errorf("%w: status %d", ErrUnavailable, int(s))
	case s < 400:
		return fmt.Errorf("%w: status %d, a redirect; set the address it leads to", ErrRefused, int(s))
	}
	return fmt.Errorf("%w: status %d", ErrRefused, int(s))
}
