package limit

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

const (
	// minHeld is the smallest limit on the held body bytes of one caller. Decoded, they
	// take several times as much memory.
	minHeld = 64 << 20
	// heldBodies is the number of bodies of maximum length that a caller may always hold in
	// memory at once.
	heldBodies = 6
	// freeHeld is the uncounted part of each body, in bytes. Most bodies are
	// shorter.
	freeHeld = 16 << 10
)

// ErrHeld reports that a caller's held bodies exceed the limit; a HeldError wraps it.
var ErrHeld = errors.New("the bodies of this agent's requests in progress are too large together")

// HeldError is ErrHeld with the limit.
type HeldError struct{ Most int } // bytes

func (e *HeldError) Error() string { return fmt.Sprintf("%v: at most %d bytes", ErrHeld, e.Most) }

// Unwrap returns ErrHeld.
func (e *HeldError) Unwrap() error { return ErrHeld }

// Bodies bounds the body bytes held for each caller: while the bodies arrive, which may
// take hours, and until their requests are answered. It is safe for concurrent use.
type Bodies struct {
	most int

	mu   sync.Mutex
	held map[string]int // bytes by caller
}

// NewBodies returns an empty Bodies. largest is the maximum length of one body,
// in bytes.
func NewBodies(largest int64) *Bodies {
	return &Bodies{most: max(minHeld, heldBodies*int(largest)), held: make(map[string]int)}
}

// Of returns a copy of the request. When its body is read through Hold, the bytes count towards
// the caller's limit, until done is called at the end of the request.
func (b *Bodies) Of(r *http.Request, caller string) (counted *http.Request, done func()) {
	if r.Body == nil || r.Body == http.NoBody {
		return r, func() {}
	}
	body := &callerBody{ReadCloser: r.Body, bodies: b, caller: caller}
	counted = r.WithContext(r.Context()) // the caller keeps its request
	counted.Body = body
	return counted, func() { b.remove(caller, body.counted) }
}

// add counts bytes of a caller, and reports whether the caller may hold them.
func (b *Bodies) add(caller string, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[caller]+n > b.most {
		return false
	}
	b.held[caller] += n
	return true
}

func (b *Bodies) remove(caller string, n int) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[caller] -= n; b.held[caller] == 0 {
		delete(b.held, caller)
	}
}

// callerBody is the body of a request of a caller.
type callerBody struct {
	io.ReadCloser
	bodies *Bodies
	caller string

	read, counted int // bytes that were read through Hold, and those of them that were counted
}

// Hold returns a reader for code that retains all of a request's body. Reading fails with
// ErrHeld if the body and the caller's other held bodies exceed the limit. A body that is
// not from Bodies.Of is not counted.
func Hold(body io.Reader) io.Reader {
	if of, ok := body.(*callerBody); ok {
		return heldBody{of}
	}
	return body
}

// heldBody is a body whose bytes are counted.
type heldBody struct{ *callerBody }

// Read reads the next bytes and counts them.
func (h heldBody) Read(p []byte) (int, error) {
	n, err := h.callerBody.Read(p)
	h.read += n
	if more := h.read - freeHeld - h.counted; more > 0 {
		if !h.bodies.add(h.caller, more) {
			return 0, &HeldError{h.bodies.most}
		}
		h.counted += more
	}
	return n, err
}
