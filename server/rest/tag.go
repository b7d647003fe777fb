package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
)

// maxTagged is the length of the longest answer that is buffered to compute its entity
// tag, in bytes. A longer one has none.
const maxTagged = 64 << 10

// bodies recycles the buffers for answers.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// nextCursor matches the end of an answer that has a cursor. Cursors are encrypted, so their
// bytes differ each time.
var nextCursor = regexp.MustCompile(`"next_cursor":"[\w-]*"}\n$`)

// withTag adds a weak entity tag to the answers of a reading call, computed from their
// bytes without the cursor. It answers 304 if the request has the tag: the call has read
// all data, but no body is sent. Answers that already have a tag are left unchanged.
func withTag(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		held, err := heldTags(c.Request())
		if err != nil {
			return err
		}
		response := c.Response()
		room, _ := bodies.Get().(*[]byte)
		w := &tagWriter{ResponseWriter: response.Writer, body: (*room)[:0]}
		defer func() { *room = w.body; bodies.Put(room) }()
		response.Writer = w
		err = next(c)
		response.Writer = w.ResponseWriter
		if err != nil || w.passing || w.status == 0 {
			return err
		}
		tag := tagOf(w.body)
		response.Header().Set("ETag", "W/"+quote(tag))
		if held(tag) {
			response.Status = http.StatusNotModified
			response.Header().Del("Content-Type")
			w.ResponseWriter.WriteHeader(http.StatusNotModified)
			return nil
		}
		w.ResponseWriter.WriteHeader(w.status)
		_, err = w.ResponseWriter.Write(w.body)
		return err
	}
}

// heldTags returns a function that reports whether the request's If-None-Match
// contains an entity tag.
func heldTags(r *http.Request) (func(tag string) bool, error) {
	given := r.Header.Values("If-None-Match")
	if len(given) == 0 {
		return func(string) bool { return false }, nil
	}
	tags, err := entityTags("If-None-Match", strings.Join(given, ", "), true)
	return func(tag string) bool { return slices.Contains(tags, "*") || slices.Contains(tags, tag) }, err
}

// tagOf returns the opaque part of a body's entity tag. It has 128 bits, so that
// nobody can write entries whose list collides with the tag of another list.
func tagOf(body []byte) string {
	if at := bytes.LastIndex(body, []byte(`"next_cursor":"`)); at >= 0 && nextCursor.Match(body[at:]) {
		body = body[:at]
	}
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// tagWriter buffers an answer of status 200 until it is complete or too long. With
// passing set it writes through.
type tagWriter struct {
	http.ResponseWriter
	status  int // 0: not written yet
	body    []byte
	passing bool
}

// WriteHeader defers the status.
func (w *tagWriter) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if status != http.StatusOK || w.Header().Get("ETag") != "" {
		w.pass()
	}
}

// Write buffers the bytes if there is room.
func (w *tagWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if !w.passing && len(w.body)+len(p) <= maxTagged {
		w.body = append(w.body, p...)
		return len(p), nil
	}
	if !w.passing {
		w.pass()
		if _, err := w.ResponseWriter.Write(w.body); err != nil {
			return 0, err
		}
	}
	return w.ResponseWriter.Write(p)
}

// pass writes the header, and writes through from then on.
func (w *tagWriter) pass() {
	w.passing = true
	w.ResponseWriter.WriteHeader(w.status)
}

// Unwrap implements what http.ResponseController needs.
func (w *tagWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
