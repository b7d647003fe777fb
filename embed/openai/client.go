package openai

import (
	"fmt"
	"io"
	"net/http"
)

// statusError is a response with a status other than success.
type statusError struct {
	code       int
	retryAfter string // the Retry-After header
}

func (s *statusError) Error() string { return fmt.Sprintf("status %d", s.code) }

// httpClient sends the requests of go-openai. It differs from http.Client in three ways. It
// does not follow redirects, which could send memory text to a host that is not configured. It
// drops the bodies of errors, which may quote that text. And it limits the size of an answer.
type httpClient struct {
	http      http.Client
	maxAnswer int64 // bytes
}

// newHTTPClient returns a client for answers with at most the given number of float values.
func newHTTPClient(transport http.RoundTripper, numbers int) *httpClient {
	return &httpClient{
		http: http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		// A float64 in JSON, with comma and white space, takes at most 32 bytes. The rest
		// is for the JSON around the vectors.
		maxAnswer: 32*int64(numbers) + 1<<20,
	}
}

// Do sends a request. It returns a statusError for any status but success.
func (c *httpClient) Do(request *http.Request) (*http.Response, error) {
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		drain(response.Body)
		return nil, &statusError{response.StatusCode, response.Header.Get("Retry-After")}
	}
	response.Body = drainedBody{http.MaxBytesReader(nil, response.Body, c.maxAnswer)}
	return response, nil
}

// drainedBody is a body that Close reads to its end, since go-openai stops reading at the end
// of the JSON.
type drainedBody struct{ io.ReadCloser }

func (b drainedBody) Close() error {
	drain(b.ReadCloser)
	return nil
}

// drain reads a short remainder of body, so that the connection can be reused, and closes
// it.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 16<<10)
	_ = body.Close()
}
