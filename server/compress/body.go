package compress

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"mneme/internal/fairqueue"
	"mneme/server/problem"
)

// Accepted are the codings of requests' bodies, as the field Accept-Encoding of an
// answer lists them (RFC 7694).
const Accepted = "gzip, zstd"

const (
	// maxWindow is the largest window of a zstd frame, in bytes (RFC 9659 §3).
	maxWindow = 8 << 20
	// maxRatio bounds the decompressed length of a body as a multiple of its
	// compressed length, beyond the first freeBytes. Bodies of calls reach their
	// own limits first; the ratio bounds streams. JSON lines compress to a fifth or
	// a tenth, one repeated line to less than a hundredth.
	maxRatio  = 200
	freeBytes = 16 << 20
	// limitName is the limit on concurrent compressed bodies, as problems name it.
	limitName = "compressed_bodies"
	// retryAfter is the Retry-After for callers above limitName.
	retryAfter = time.Second
)

// turns bounds the compressed bodies that are read concurrently. Each may need a
// window of maxWindow, and as much memory as its call's limit although few bytes were
// sent.
var turns = fairqueue.Limits{Running: 32, RunningEach: 4, Waiting: 1024, WaitingEach: 64}

// Unpacker decodes the bodies of requests. It is safe for concurrent use.
type Unpacker struct{ turns *fairqueue.Queue }

// NewUnpacker returns an Unpacker.
func NewUnpacker() *Unpacker { return &Unpacker{turns: fairqueue.New(turns)} }

// Unpack returns the request without Content-Encoding and with a body that is decoded
// as it is read. done releases the body's turn. Bodies take turns by caller until
// they are read to EOF. The error is from the request's context, or a problem: status
// 415 if the coding is unknown or there are several codings, 429 if the caller has
// too many open bodies.
//
// Reading the body fails with a problem if it cannot be decoded or decompresses to far
// more than its length. The limits on bodies apply to the decoded bytes.
func (u *Unpacker) Unpack(r *http.Request, caller string) (unpacked *http.Request, done func(), err error) {
	open, err := coding(r.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, nil, err
	}
	unpacked = r.WithContext(r.Context()) // the caller keeps its request
	unpacked.Header = r.Header.Clone()
	unpacked.Header.Del("Content-Encoding")
	if open == nil || r.Body == nil || r.Body == http.NoBody {
		return unpacked, func() {}, nil
	}
	leave, err := u.turns.Enter(r.Context(), caller, 1)
	if errors.Is(err, fairqueue.ErrFull) {
		return nil, nil, &problem.Problem{Kind: problem.RateLimited, Detail: "too many compressed bodies of this agent at a time", Limit: limitName, RetryAfter: retryAfter}
	}
	if err != nil {
		return nil, nil, err
	}
	decoder, free, err := open()
	if err != nil {
		leave()
		return nil, nil, err
	}
	done = sync.OnceFunc(func() { free(); leave() })
	unpacked.Header.Del("Content-Length")
	unpacked.ContentLength = -1
	unpacked.Body = &body{raw: &counted{ReadCloser: r.Body}, decoder: decoder, done: done}
	return unpacked, done, nil
}

// opener returns a decoder; free ends its use.
type opener func() (d decoder, free func(), err error)

// decoder decodes a stream.
type decoder interface {
	io.Reader
	Reset(packed io.Reader) error
}

// coding returns the opener for the request's coding; nil means identity.
func coding(fields []string) (opener, error) {
	var open opener
	for name := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		next := opener(nil)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "", "identity":
			continue
		case "gzip", "x-gzip": // RFC 9110 §8.4.1.3
			next = openGzip
		case "zstd":
			next = openZstd
		}
		if next == nil || open != nil {
			return nil, problem.New(problem.UnsupportedMediaType, "Content-Encoding must be one of "+Accepted)
		}
		open = next
	}
	return open, nil
}

var gzips = sync.Pool{New: func() any { return new(gzip.Reader) }}

func openGzip() (decoder, func(), error) {
	d, _ := gzips.Get().(*gzip.Reader)
	return d, func() { gzips.Put(d) }, nil
}

// openZstd returns a decoder without concurrency, and so without goroutines. It is not
// pooled: it would retain its window.
func openZstd() (decoder, func(), error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

// body is a body that is decoded while it is read.
type body struct {
	raw     *counted
	decoder decoder
	opened  bool
	read    int64
	err     error  // of all further reads
	done    func() // ends the use of decoder
}

// Read returns the next decoded bytes.
func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.decode(p)
	b.read += int64(n)
	switch {
	case err != nil:
		b.err = b.reason(err)
	case b.read > freeBytes && b.read/maxRatio > b.raw.read:
		n, b.err = 0, problem.New(problem.TooLarge, "the body unpacks to too many times its length")
	}
	if b.err != nil {
		b.done()
	}
	return n, b.err
}

// decode reads from the decoder. The first call opens the decoder, which reads
// the header of the body.
func (b *body) decode(p []byte) (int, error) {
	if !b.opened {
		b.opened = true
		if err := b.decoder.Reset(b.raw); err != nil {
			return 0, err
		}
	}
	return b.decoder.Read(p)
}

// reason turns a read error into the connection's error or a problem.
func (b *body) reason(err error) error {
	switch {
	case b.raw.err != nil && !errors.Is(b.raw.err, io.EOF):
		return b.raw.err
	case errors.Is(err, io.EOF):
		return io.EOF
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return problem.New(problem.TooLarge, "the window of a zstd frame must have 8 MB at most")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return problem.New(problem.Malformed, "the body is incomplete")
	}
	return problem.New(problem.Malformed, "the body cannot be unpacked by its Content-Encoding")
}

// Close closes the body of the connection.
func (b *body) Close() error { return b.raw.Close() }

// counted counts the compressed bytes of a body.
type counted struct {
	io.ReadCloser
	read int64
	err  error
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.read += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}
