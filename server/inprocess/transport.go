// Package inprocess sends HTTP requests to a handler in the same process, so that
// an HTTP client works without a listening server:
//
//	transport := inprocess.New(handler)
//	defer transport.Wait()
//	client := http.Client{Transport: transport}
//
// Bodies stream in both directions, as over a connection.
package inprocess

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"sync"
)

// Transport is an http.RoundTripper that calls a handler. It is safe for
// concurrent use.
type Transport struct {
	handler http.Handler
	running sync.WaitGroup
}

// New returns a Transport that calls h.
func New(h http.Handler) *Transport { return &Transport{handler: h} }

// Wait blocks until all calls of the handler have returned. Call it before closing
// resources that the handler uses.
func (t *Transport) Wait() { t.running.Wait() }

// RoundTrip calls the handler on a new goroutine and returns when the handler has
// written the header. If the handler panics, reading the response fails with
// io.ErrUnexpectedEOF, as it does over a connection.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	body, pipe := io.Pipe()
	w := &responseWriter{header: make(http.Header), pipe: pipe, started: make(chan struct{}), head: r.Method == http.MethodHead}
	in := incoming(ctx, r)
	// Canceling the request ends reads of the response at once, even if the
	// handler is blocked.
	context.AfterFunc(ctx, func() { pipe.CloseWithError(ctx.Err()) })
	returned := make(chan struct{})
	t.running.Go(func() {
		defer in.Body.Close()
		defer close(returned)
		err := io.ErrUnexpectedEOF
		defer func() {
			_ = recover() // logged by the handler, or http.ErrAbortHandler
			pipe.CloseWithError(err)
		}()
		t.handler.ServeHTTP(w, in)
		w.WriteHeader(http.StatusOK)
		err = ctx.Err() // an answer to a canceled request may have been cut short
	})
	select {
	case <-w.started:
	case <-returned:
		select {
		case <-w.started:
		default:
			cancel()
			return nil, io.ErrUnexpectedEOF
		}
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		cancel()
		return nil, err
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, ContentLength: -1, Request: r,
		Body: &responseBody{PipeReader: body, cancel: cancel},
	}, nil
}

// incoming returns the request as a server's handler sees it.
func incoming(ctx context.Context, r *http.Request) *http.Request {
	in := r.Clone(ctx)
	if in.Body == nil {
		in.Body = http.NoBody
	}
	in.RequestURI = r.URL.RequestURI()
	in.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	in.RemoteAddr = "inprocess"
	return in
}

// responseWriter passes the handler's writes to the reader of the response.
type responseWriter struct {
	header  http.Header // the handler's
	pipe    *io.PipeWriter
	once    sync.Once
	started chan struct{} // closed when status and sent are set
	status  int
	sent    http.Header
	head    bool // the answer has no body
}

func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader sends the header. Only the first call counts.
func (w *responseWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, maps.Clone(w.header)
		close(w.started)
	})
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.head {
		return len(p), nil
	}
	return w.pipe.Write(p)
}

// Flush sends the header. Writes need no flush: they return when they are read.
func (w *responseWriter) Flush() { w.WriteHeader(http.StatusOK) }

// responseBody is the body of a response.
type responseBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close cancels the request, in case the handler is still running. It cancels
// before it closes the pipe: a handler whose write fails must find the reason
// in its request's context.
func (b *responseBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
