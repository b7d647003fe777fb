package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mneme/server/problem"
)

// instanceKey is where the request's id stands in an echo.Context.
const instanceKey = "mneme.instance"

// callKey is where the name of a call stands in an echo.Context.
const callKey = "mneme.call"

// Name names the call for log and metrics, where the route's template does not
// tell it from others. name is one of few constants, and nothing that was sent.
func Name(c echo.Context, name string) { c.Set(callKey, name) }

// observe is around everything: it names the request, turns errors and panics
// into problems, and writes log and metrics, which know the route's template
// but neither the path nor anything else of the request.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		start := time.Now()
		instance := "urn:uuid:" + newRequestID()
		c.Set(instanceKey, instance)
		secureHeaders(c.Response().Header())
		c.Response().Header().Set("X-Request-Id", strings.TrimPrefix(instance, "urn:uuid:"))

		end := s.startSpan(c)
		aborted := s.run(next, c)

		took := time.Since(start)
		route, method, status := s.route(c), knownMethod(c.Request().Method), c.Response().Status
		s.metrics.request(route, method, status, took)
		end(route, status)
		s.log.LogAttrs(c.Request().Context(), levelOf(route, status), "request",
			slog.String("request_id", instance), slog.String("method", method), slog.String("route", route),
			slog.Int("status", status), slog.Float64("duration_ms", float64(took.Microseconds())/1000))
		if aborted {
			panic(http.ErrAbortHandler) // net/http cuts the connection, and is silent
		}
		return nil
	}
}

// run calls the handler and answers its error or panic. It returns true where
// the answer had begun and must break off, so that its end is not taken for
// that of a whole one.
func (s *Server) run(next echo.HandlerFunc, c echo.Context) (aborted bool) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause != http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http does
			// The value may hold anything; its type and the stack hold no
			// request data.
			s.log.ErrorContext(c.Request().Context(), "a handler panicked", "request_id", c.Get(instanceKey),
				"route", s.route(c), "type", fmt.Sprintf("%T", cause), "stack", string(debug.Stack()))
			if !c.Response().Committed {
				s.answerError(problem.New(problem.Internal, ""), c)
				return
			}
		}
		aborted = true
	}()
	if err := next(c); err != nil {
		if c.Response().Committed {
			s.logInternal(c, err)
			return true
		}
		s.answerError(err, c)
	}
	return false
}

// answerError writes an error as a problem.
func (s *Server) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	p := asProblem(err, c)
	if p.Status >= http.StatusInternalServerError {
		s.logInternal(c, err)
	}
	instance, _ := c.Get(instanceKey).(string)
	if err := p.Write(c.Response(), instance); err != nil {
		s.log.DebugContext(c.Request().Context(), "a problem could not be sent", "request_id", instance)
	}
}

// asProblem is problem.From for Echo's own errors too.
func asProblem(err error, c echo.Context) *problem.Problem {
	var h *echo.HTTPError
	if !errors.As(err, &h) {
		return problem.From(err)
	}
	switch h.Code {
	case http.StatusNotFound:
		return problem.New(problem.NoSuchCall, "")
	case http.StatusMethodNotAllowed:
		if allow, ok := c.Get(echo.ContextKeyHeaderAllow).(string); ok {
			c.Response().Header().Set(echo.HeaderAllow, allow)
		}
		return problem.New(problem.MethodNotAllowed, "")
	case http.StatusBadRequest: // a parameter that cannot be read; the message would quote it
		return problem.New(problem.Malformed, "a parameter cannot be read")
	default:
		return problem.New(problem.Internal, "").Because(err)
	}
}

// logInternal logs what kind of error it was. Its text may quote what a
// storage or an embedder was sent, so the types alone are logged.
func (s *Server) logInternal(c echo.Context, err error) {
	var kinds []string
	for e := err; e != nil; e = errors.Unwrap(e) {
		kinds = append(kinds, fmt.Sprintf("%T", e))
	}
	s.log.ErrorContext(c.Request().Context(), "a request failed", "request_id", c.Get(instanceKey),
		"route", s.route(c), "error_type", strings.Join(kinds, " > "))
}

func newRequestID() string {
	id, err := uuid.NewV7()
	if err != nil { // the system's randomness failed: a name for the log is no reason to fail
		return uuid.Nil.String()
	}
	return id.String()
}

// secureHeaders are those of an API whose answers are for its caller alone,
// and nothing to render or keep.
func secureHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
}

// route is the template of the request's route, or the call's name.
func (s *Server) route(c echo.Context) string {
	if name, ok := c.Get(callKey).(string); ok {
		return name
	}
	if s.routes[c.Path()] {
		return c.Path()
	}
	return "unmatched"
}

// knownMethod keeps what a client invents out of log and metrics.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodHead, http.MethodPatch, http.MethodOptions:
		return method
	}
	return "other"
}

// levelOf keeps what machines ask every few seconds out of the log while all
// is well.
func levelOf(route string, status int) slog.Level {
	switch {
	case status >= http.StatusInternalServerError:
		return slog.LevelError
	case slices.Contains(healthRoutes, route):
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
