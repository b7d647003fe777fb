package server

import (
	"io"
	"net/http"
	"time"
)

// withStallDeadlines bounds how long a client may stall: each read of the body
// and each write of the response has a deadline of its own. A deadline for the
// whole request would cut off a long import or export that makes progress.
func withStallDeadlines(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	control := http.NewResponseController(w)
	if r.Body != nil && r.Body != http.NoBody {
		r = r.WithContext(r.Context()) // copy it: the caller keeps its request
		r.Body = &stallBody{ReadCloser: r.Body, control: control}
	}
	return &stallWriter{ResponseWriter: w, control: control}, r
}

type stallBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read gives the client stallTimeout for the next bytes. It clears the deadline
// at EOF: net/http keeps reading to detect disconnects, and an expired deadline
// would look like one.
func (b *stallBody) Read(p []byte) (int, error) {
	setDeadline(b.control.SetReadDeadline, time.Now().Add(stallTimeout))
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		setDeadline(b.control.SetReadDeadline, time.Time{})
	}
	return n, err
}

type stallWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *stallWriter) Write(p []byte) (int, error) {
	setDeadline(w.control.SetWriteDeadline, time.Now().Add(stallTimeout))
	return w.ResponseWriter.Write(p)
}

func (w *stallWriter) WriteHeader(status int) {
	setDeadline(w.control.SetWriteDeadline, time.Now().Add(stallTimeout))
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap implements what http.ResponseController needs.
func (w *stallWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// setDeadline sets a deadline and ignores failures: connections without
// deadlines (in tests and within the process), and closed ones, on which the
// read or write itself fails.
func setDeadline(set func(time.Time) error, at time.Time) { _ = set(at) }
