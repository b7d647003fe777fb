package openai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// errTooLong means an answer beyond what its vectors can take.
var errTooLong = errors.New("answer is too long")

// redirectError is the status of an answer that leads elsewhere.
type redirectError int

func (r redirectError) Error() string { return fmt.Sprintf("redirect, status %d", int(r)) }

// wire stands between the library and the network. It follows no redirect,
// which could take memory text to a host that nobody configured, keeps what a
// server says about its errors from everyone, and bounds what is read.
type wire struct {
	client    *http.Client
	maxAnswer int64 // bytes
}

// newWire makes a wire for answers of so many numbers at most.
func newWire(connections http.RoundTripper, numbers int) *wire {
	return &wire{
		client: &http.Client{
			Transport: connections,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
		// 32 bytes take any float64 in JSON with its comma and white space;
		// the rest is for what stands around the vectors.
		maxAnswer: 32*int64(numbers) + 1<<20,
	}
}

// Do sends one request.
func (w *wire) Do(request *http.Request) (*http.Response, error) {
	response, err := w.client.Do(request)
	if err != nil {
		return nil, err
	}
	switch {
	case response.StatusCode >= 400:
		discard(response.Body)
		response.Body = http.NoBody
	case response.StatusCode >= 300:
		discard(response.Body)
		return nil, redirectError(response.StatusCode)
	default:
		response.Body = &boundedBody{body: response.Body, left: w.maxAnswer}
	}
	return response, nil
}

// discard reads a short body to its end, so that the connection can be used
// again, and closes it.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 16<<10)
	_ = body.Close()
}

// boundedBody fails, unlike io.LimitReader, where it ends a body early.
type boundedBody struct {
	body io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	p = p[:min(int64(len(p)), b.left)]
	n, err := b.body.Read(p)
	b.left -= int64(n)
	return n, err
}

// Close leaves nothing unread of an answer whose JSON has ended.
func (b *boundedBody) Close() error {
	discard(b.body)
	return nil
}
