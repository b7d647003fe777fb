package wire

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"mneme/server/limit"
	"mneme/server/problem"
)

// Media types of bodies.
const (
	ContentJSON  = "application/json"
	ContentLines = "application/x-ndjson"
)

// ErrBodyTooLarge reports a body above the limit.
var ErrBodyTooLarge = errors.New("the body is too large")

// ReadBody reads a body of at most maxBytes. For a larger body, it returns a problem
// that wraps ErrBodyTooLarge. If the client disconnected, the error is the context's;
// if it stalled, limit.ErrStalled; if the body cannot be decoded, the decoder's problem;
// if the caller's bodies in memory exceed their limit, a problem of status 429.
func ReadBody(r *http.Request, maxBytes int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(limit.Hold(r.Body), maxBytes+1))
	var undecoded *problem.Problem
	switch {
	case errors.Is(err, limit.ErrStalled), errors.As(err, &undecoded):
		return nil, err
	case errors.Is(err, limit.ErrHeld):
		return nil, &problem.Problem{Kind: problem.RateLimited, Detail: err.Error(), Limit: "bodies", RetryAfter: time.Second}
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	case err != nil:
		return nil, problem.New(problem.Malformed, "the body is incomplete")
	case int64(len(text)) > maxBytes:
		return nil, problem.New(problem.TooLarge, ErrBodyTooLarge.Error()).Because(ErrBodyTooLarge)
	}
	return text, nil
}

// CheckMediaType refuses a body of any type but the accepted ones. The error names
// the first of these. A body without Content-Type is accepted. If strict is set, an
// empty or repeated header, or a parameter other than the charset UTF-8, is refused.
func CheckMediaType(r *http.Request, strict bool, accepted ...string) error {
	given := r.Header.Values("Content-Type")
	if len(given) == 0 || given[0] == "" && !strict {
		return nil
	}
	media, parameters, err := mime.ParseMediaType(given[0])
	charset, named := parameters["charset"]
	ok := err == nil && slices.Contains(accepted, media) && (!named || charset == "" || strings.EqualFold(charset, "utf-8"))
	if strict {
		ok = ok && len(given) == 1 && (len(parameters) == 0 || named && len(parameters) == 1 && charset != "")
	}
	if !ok {
		return problem.New(problem.UnsupportedMediaType, "Content-Type must be "+accepted[0])
	}
	return nil
}
