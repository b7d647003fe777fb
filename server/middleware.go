package server

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/server/problem"
)

// instanceKey is the echo.Context key for the request ID.
const instanceKey = "mneme.instance"

// callKey is the echo.Context key for the name of a call.
const callKey = "mneme.call"

// Name sets the name under which logs and metrics count the request, where
// several calls share a route template. name must be a constant, never request
// data.
func Name(c echo.Context, name string) { c.Set(callKey, name) }

// observe is the outermost middleware. It assigns the request's ID, turns errors and
// panics into problems, and writes logs and metrics. Logs and metrics hold the request's
// ID and the route template, never the path or any other request data.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		start := time.Now()
		id, instance := requestID(c.Request().Header)
		c.Set(instanceKey, instance)
		maps.Copy(c.Response().Header(), secureHeaders)
		c.Response().Header().Set(requestIDHeader, id)

		header := c.Response().Header()
		c.Response().Before(func() { joinVary(header) })
		end := s.startSpan(c)
		aborted := s.run(next, c)

		took := time.Since(start)
		route, method, status := s.route(c), knownMethod(methodOf(c.Request())), c.Response().Status
		s.metrics.request(route, method, status, took)
		end(route, status)
		s.logRequest(c, start.Add(took), levelOf(route, status),
			slog.String("request_id", instance), slog.String("method", method), slog.String("route", route),
			slog.Int("status", status), slog.Float64("duration_ms", float64(took.Microseconds())/1000))
		if aborted {
			panic(http.ErrAbortHandler) // net/http closes the connection and logs nothing
		}
		return nil
	}
}

// logRequest logs a request. It calls the handler directly because Logger.LogAttrs would also
// look up the line of the call, which takes time and is not logged.
func (s *Server) logRequest(c echo.Context, at time.Time, level slog.Level, attributes ...slog.Attr) {
	ctx, handler := c.Request().Context(), s.log.Handler()
	if !handler.Enabled(ctx, level) {
		return
	}
	record := slog.NewRecord(at, level, "request", 0)
	record.AddAttrs(attributes...)
	_ = handler.Handle(ctx, record) // as Logger does
}

// run calls the handler and writes its error or panic as a problem. aborted
// reports that the response had already begun: the connection must be closed,
// or the client would take the partial response for a complete one.
func (s *Server) run(next echo.HandlerFunc, c echo.Context) (aborted bool) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause != http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http does
			// The value may hold request data; its type and the stack do not.
			s.log.ErrorContext(c.Request().Context(), "a handler panicked", "request_id", c.Get(instanceKey),
				"route", s.route(c), "type", fmt.Sprintf("%T", cause), "stack", string(debug.Stack()))
			if !c.Response().Committed {
				s.writeProblem(problem.New(problem.Internal, ""), c)
				return
			}
		}
		aborted = true
	}()
	if err := next(c); err != nil {
		if c.Response().Committed {
			// A client that stops reading is not a failure of the server.
			if c.Request().Context().Err() == nil {
				s.logInternal(c, err)
			}
			return true
		}
		s.writeProblem(err, c)
	}
	return false
}

// writeProblem writes an error as a problem.
func (s *Server) writeProblem(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	p := asProblem(err, c)
	if p.Status >= http.StatusInternalServerError {
		s.logInternal(c, err)
	}
	for _, path := range s.textErrors {
		p.AsText = p.AsText || strings.HasPrefix(c.Request().URL.Path, path)
	}
	instance, _ := c.Get(instanceKey).(string)
	if err := p.Write(c.Response(), instance); err != nil {
		s.log.DebugContext(c.Request().Context(), "a problem could not be sent", "request_id", instance)
	}
}

// asProblem is like problem.From, but also knows Echo's own errors.
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
			c.Response().Header().Set(echo.HeaderAllow, withHead(allow))
		}
		return problem.New(problem.MethodNotAllowed, "")
	case http.StatusBadRequest: // a malformed parameter; Echo's message would quote it
		return problem.New(problem.Malformed, "a parameter cannot be read")
	default:
		return problem.New(problem.Internal, "").Because(err)
	}
}

// logInternal logs the types of an error's chain, but not its text, which may
// quote data sent to a storage or an embedder.
func (s *Server) logInternal(c echo.Context, err error) {
	var kinds []string
	for e := err; e != nil; e = errors.Unwrap(e) {
		kinds = append(kinds, fmt.Sprintf("%T", e))
	}
	s.log.ErrorContext(c.Request().Context(), "a request failed", "request_id", c.Get(instanceKey),
		"route", s.route(c), "error_type", strings.Join(kinds, " > "))
}

// secureHeaders are the headers of an API: responses are private to the caller, not
// cached and not rendered. All responses share the value slices, whose capacity is
// their length, so that append copies them.
var secureHeaders = http.Header{
	"Cache-Control":           {"no-store"},
	"X-Content-Type-Options":  {"nosniff"},
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	"Referrer-Policy":         {"no-referrer"},
}

// joinVary merges all Vary fields into one that contains each name once.
func joinVary(h http.Header) {
	lines := h["Vary"]
	if len(lines) < 2 {
		return
	}
	var names []string
	for name := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.ContainsFunc(names, func(one string) bool { return strings.EqualFold(one, name) }) {
			names = append(names, name)
		}
	}
	h["Vary"] = []string{strings.Join(names, ", ")}
}

// route returns the name that Name set, or else the route template.
func (s *Server) route(c echo.Context) string {
	if name, ok := c.Get(callKey).(string); ok {
		return name
	}
	if s.routes[c.Path()] {
		return strings.ReplaceAll(c.Path(), `\:`, ":") // the router escapes a colon that begins no parameter
	}
	return "unmatched"
}

// knownMethod returns a standard method, or "other" for a made-up one, which
// must not reach logs and metrics.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodHead, http.MethodPatch, http.MethodOptions:
		return method
	}
	return "other"
}

// levelOf is the log level of a request: Error for 5xx, Debug for successful
// health checks, which come every few seconds, and otherwise Info.
func levelOf(route string, status int) slog.Level {
	switch {
	case status >= http.StatusInternalServerError:
		return slog.LevelError
	case slices.Contains(healthRoutes, route):
		return slog.LevelDebug
	}
	return slog.LevelInfo
}
