package server

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// paced bounds how long a client may stall. A deadline for the whole request
// would cut off a long import or export that makes progress, so each read of
// the body and each write of the answer has a deadline of its own.
func paced(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, *http.Request) {
	control := http.NewResponseController(w)
	if r.Body != nil && r.Body != http.NoBody {
		r = r.WithContext(r.Context()) // a copy: the request is not ours to change
		r.Body = &pacedBody{ReadCloser: r.Body, control: control}
	}
	return &pacedWriter{ResponseWriter: w, control: control}, r
}

type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read gives the client stallTimeout for the next bytes. At the end the
// deadline goes: net/http goes on reading, to notice a client that hangs up,
// and would take its passing for that.
func (b *pacedBody) Read(p []byte) (int, error) {
	setDeadline(b.control.SetReadDeadline, time.Now().Add(stallTimeout))
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		setDeadline(b.control.SetReadDeadline, time.Time{})
	}
	return n, err
}

type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w *pacedWriter) Write(p []byte) (int, error) {
	setDeadline(w.control.SetWriteDeadline, time.Now().Add(stallTimeout))
	return w.ResponseWriter.Write(p)
}

func (w *pacedWriter) WriteHeader(status int) {
	setDeadline(w.control.SetWriteDeadline, time.Now().Add(stallTimeout))
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// setDeadline leaves alone connections without deadlines (those of tests).
// Any other failure means that the connection is gone, which the read or
// write itself will tell.
func setDeadline(set func(time.Time) error, at time.Time) {
	if err := set(at); errors.Is(err, http.ErrNotSupported) {
		return
	}
}
