package server

import (
	"net/http"

	"github.com/google/uuid"
)

// requestIDHeader identifies a request, in requests and responses.
const requestIDHeader = "X-Request-Id"

// maxRequestID bounds the ID that a client gives its request, in bytes.
const maxRequestID = 64

// requestID returns the ID that a client gave its request, if it consists of 1 to 64
// letters, digits, dots, hyphens and underscores, and otherwise a new one. instance
// is the ID as a URI, by which problems and logs identify the request.
func requestID(h http.Header) (id, instance string) {
	if given := h[requestIDHeader]; len(given) == 1 && isRequestID(given[0]) {
		id = given[0]
	} else {
		id = newRequestID()
	}
	if len(id) == len(uuid.Nil.String()) && uuid.Validate(id) == nil {
		return id, "urn:uuid:" + id
	}
	return id, "urn:mneme:request:" + id
}

// isRequestID reports whether a log and a header can hold an ID unchanged.
func isRequestID(id string) bool {
	if len(id) == 0 || len(id) > maxRequestID {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

func newRequestID() string {
	id, err := uuid.NewV7()
	if err != nil { // no randomness: a request must not fail without an ID
		return uuid.Nil.String()
	}
	return id.String()
}
