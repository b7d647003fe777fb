package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"

	"mneme/clients/go/api"
)

// Error reports a call that the server refused or could not serve. It includes the
// server's host, the status and the problem document, never the request.
type Error struct {
	// Problem is the server's RFC 9457 document. If the response has none, only
	// Status is set.
	api.Problem
	Host       string        // of the server
	RetryAfter time.Duration // how long to wait before a retry; 0 if the server did not say
}

func (e *Error) Error() string {
	text := fmt.Sprintf("server %s: status %d", e.Host, e.Status)
	if e.Title == "" {
		return text
	}
	text += ", " + e.Title
	if e.Detail != nil {
		text += ": " + *e.Detail
	}
	return text + " (request " + e.Instance + ")"
}

// Reason returns the problem's detail, or its title if it has none.
func (e *Error) Reason() string {
	switch {
	case e.Detail != nil:
		return *e.Detail
	case e.Title != "":
		return e.Title
	}
	return fmt.Sprintf("status %d", e.Status)
}

// StatusOf returns the status of an [*Error], or 0 if err is none.
func StatusOf(err error) int {
	var refused *Error
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// IsAbsent reports whether the service itself said that the requested resource does not
// exist. A 404 from another server, such as a proxy, does not count.
func IsAbsent(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Status == http.StatusNotFound && refused.Type == api.UrnMnemeProblemNotFound
}

// maxProblem is the maximum size of a problem document, in bytes.
const maxProblem = 1 << 16

// errorOf reads the problem document of a response.
func errorOf(response *http.Response, host string) *Error {
	e := &Error{Host: host}
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err == nil && kind == "application/problem+json" &&
		json.NewDecoder(io.LimitReader(response.Body, maxProblem)).Decode(&e.Problem) != nil {
		e.Problem = api.Problem{}
	}
	e.Status = response.StatusCode
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
