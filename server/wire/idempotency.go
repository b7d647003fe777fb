package wire

import (
	"fmt"
	"net/http"
	"strings"

	"mneme/server/problem"
)

const idempotencyKey = "Idempotency-Key"

// maxIdempotencyKey is the maximum length of a key, in bytes.
const maxIdempotencyKey = 255

// IdempotencyKey returns the Idempotency-Key of a request, unchecked; nil if it has
// none. It refuses a repeated header.
func IdempotencyKey(h http.Header) (*string, error) {
	switch given := h.Values(idempotencyKey); len(given) {
	case 0:
		return nil, nil
	case 1:
		return &given[0], nil
	}
	return nil, problem.In(problem.Malformed, idempotencyKey, "must be given once")
}

// CheckIdempotencyKey checks an Idempotency-Key.
func CheckIdempotencyKey(key string) error {
	if len(key) < 1 || len(key) > maxIdempotencyKey || strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' }) {
		return problem.In(problem.Malformed, idempotencyKey, fmt.Sprintf("must have 1 to %d visible ASCII characters", maxIdempotencyKey))
	}
	return nil
}
