package limit

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTheBodiesOfACallerThatAreHeldAreBounded(t *testing.T) {
	b := NewBodies(0)
	b.most = 100_000
	read := func(caller string, size int, want error) (done func()) {
		t.Helper()
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat(" ", size)))
		r, done = b.Of(r, caller)
		if _, err := io.Copy(io.Discard, Hold(r.Body)); !errors.Is(err, want) {
			t.Errorf("%d bytes of %s: %v, want %v", size, caller, err, want)
		}
		return done
	}
	const large = freeHeld + 40_000
	one, two := read("ada", large, nil), read("ada", large, nil)
	refused := read("ada", large, ErrHeld)
	small, other := read("ada", freeHeld, nil), read("bob", large, nil)
	refused()
	one()
	three := read("ada", large, nil)
	for _, done := range []func(){two, small, other, three} {
		done()
	}
	if len(b.held) > 0 {
		t.Errorf("%v is held", b.held)
	}
	if b := NewBodies(100_000_000); b.most != 600_000_000 {
		t.Errorf("at most %d bytes where one body may have 100 MB", b.most)
	}
	// A streamed body is not held.
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat(" ", 1_000_000)))
	r, done := b.Of(r, "ada")
	defer done()
	if n, err := io.Copy(io.Discard, r.Body); n != 1_000_000 || err != nil {
		t.Errorf("%d bytes of a stream: %v", n, err)
	}
}
