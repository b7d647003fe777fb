package limit

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Stall bounds how long a client may keep the server waiting for the bytes of a
// request's body, and for room to write the answer. One deadline for the whole
// request would cut off a long import or export that makes progress; one
// deadline per read would let a byte every few seconds hold a connection
// forever. So a transfer has two limits: Timeout for the next bytes, and for
// the sum of its waits Timeout plus the time that its bytes take at
// BytesPerSecond.
type Stall struct {
	Timeout        time.Duration
	BytesPerSecond int
}

// ErrStalled reports that a client did not send a request or read an answer in
// time.
var ErrStalled = errors.New("the request did not arrive in time")

// drainTimeout is how long the server continues to read after it has answered
// a request whose body it did not read. A client that sends its whole request
// before it reads would otherwise lose the answer to a connection reset.
// net/http waits as long before it closes a connection, for the same reason.
const drainTimeout = 500 * time.Millisecond

// piece bounds the bytes of an answer that one deadline covers.
const piece = 32 << 10

// transfer is the progress of reading a body or writing an answer.
type transfer struct {
	stall  Stall
	stream bool // HTTP/2 stream
	moved  int64
	waited time.Duration // for the client
}

// allowance is how long the client may take for the next bytes.
func (t *transfer) allowance() time.Duration {
	earned := time.Duration(float64(t.moved) / float64(t.stall.BytesPerSecond) * float64(time.Second))
	return max(0, min(t.stall.Timeout, t.stall.Timeout+earned-t.waited))
}

// move runs one read or write on the client's connection under its deadline. On HTTP/2 it
// removes the deadline afterwards: one that expired before the next call would end the stream.
// On HTTP/1 an expired deadline does no harm between two calls.
func (t *transfer) move(setDeadline func(time.Time) error, run func() (int, error)) (int, error) {
	start := time.Now()
	// This fails for connections without deadlines, in tests and within the
	// process, and for closed connections, on which run fails.
	_ = setDeadline(start.Add(t.allowance()))
	n, err := run()
	if t.stream && err == nil {
		_ = setDeadline(time.Time{})
	}
	t.moved += int64(n)
	t.waited += time.Since(start)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ErrStalled
	}
	return n, err
}

// Exchange is one request and its answer, under a Stall.
type Exchange struct {
	connection *connection // nil: it is not known
	control    *http.ResponseController
	body       *body
	writer     *writer
}

// Wrap returns an Exchange, and the writer and the request for its handler. The
// answer closes the connection if the body of the request was not read to EOF: the
// server would have to read the rest first, from a client that may never send it. On
// HTTP/2 only the stream ends. A 401 also closes the connection: only clients with a
// token keep connections open.
func (s Stall) Wrap(w http.ResponseWriter, r *http.Request) (*Exchange, http.ResponseWriter, *http.Request) {
	x := &Exchange{connection: connectionOf(r), control: http.NewResponseController(w)}
	t := transfer{stall: s, stream: r.ProtoMajor > 1}
	if t.stream { // net/http's deadlines would end it while the handler works
		_ = x.control.SetReadDeadline(time.Time{})
		_ = x.control.SetWriteDeadline(time.Time{})
	}
	x.writer = &writer{ResponseWriter: w, exchange: x, transfer: t}
	if r.Body != nil && r.Body != http.NoBody {
		x.body = &body{ReadCloser: r.Body, exchange: x, transfer: t}
		r = r.WithContext(r.Context()) // copy it: the caller keeps its request
		r.Body = x.body
	}
	return x, x.writer, r
}

// End sets the deadlines for what net/http does after the handler has returned:
// writing buffered bytes and reading the rest of a body.
func (x *Exchange) End() {
	now := time.Now()
	_ = x.control.SetWriteDeadline(now.Add(x.writer.transfer.allowance()))
	if x.unread() {
		_ = x.control.SetReadDeadline(now.Add(drainTimeout))
	}
}

// unread reports whether the body of the request was not read to its end.
func (x *Exchange) unread() bool { return x.body != nil && !x.body.ended }

// body is the body of a request.
type body struct {
	io.ReadCloser
	exchange *Exchange
	transfer transfer
	ended    bool
	stalled  bool
}

// Read reads the next bytes. It clears the deadline at EOF: net/http keeps
// reading to detect disconnects, and an expired deadline would look like one.
func (b *body) Read(p []byte) (int, error) {
	if b.stalled {
		return 0, ErrStalled
	}
	n, err := b.transfer.move(b.exchange.control.SetReadDeadline, func() (int, error) { return b.ReadCloser.Read(p) })
	switch {
	case errors.Is(err, io.EOF):
		b.ended = true
		_ = b.exchange.control.SetReadDeadline(time.Time{})
	case errors.Is(err, ErrStalled):
		b.stalled = true
	}
	return n, err
}

// writer writes an answer.
type writer struct {
	http.ResponseWriter
	exchange *Exchange
	transfer transfer
	begun    bool
}

func (w *writer) begin(status int) {
	if w.begun || status < http.StatusOK { // 1xx comes before the header of the answer
		return
	}
	w.begun = true
	if w.exchange.unread() && !w.transfer.stream || status == http.StatusUnauthorized {
		w.Header().Set("Connection", "close")
	}
}

// WriteHeader writes the header of the answer.
func (w *writer) WriteHeader(status int) {
	w.begin(status)
	_, _ = w.transfer.move(w.exchange.control.SetWriteDeadline, func() (int, error) {
		w.ResponseWriter.WriteHeader(status)
		return 0, nil
	})
}

// Write writes p in chunks, each with its own deadline.
func (w *writer) Write(p []byte) (written int, err error) {
	w.begin(http.StatusOK)
	for {
		part := p[written:min(len(p), written+piece)]
		n, err := w.transfer.move(w.exchange.control.SetWriteDeadline, func() (int, error) {
			return w.exchange.connection.coalesce(len(part), func() (int, error) { return w.ResponseWriter.Write(part) })
		})
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// FlushError implements what http.ResponseController needs.
func (w *writer) FlushError() error {
	w.begin(http.StatusOK)
	_, err := w.transfer.move(w.exchange.control.SetWriteDeadline, func() (int, error) { return 0, w.exchange.control.Flush() })
	return err
}

// Flush implements http.Flusher.
func (w *writer) Flush() { _ = w.FlushError() }

// Unwrap implements what http.ResponseController needs.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
