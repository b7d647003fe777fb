package server

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// startSpan starts the span of a request, within the trace named by its
// traceparent header (W3C Trace Context). end takes the name of the route,
// which is known after the request was handled. As in logs and metrics, names
// and values come from small sets: a span never contains a path, a query
// string or a header.
func (s *Server) startSpan(c echo.Context) (end func(route string, status int)) {
	r := c.Request()
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := s.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	c.SetRequest(r.WithContext(ctx))
	instance, _ := c.Get(instanceKey).(string)
	method := knownMethod(methodOf(r))
	return func(route string, status int) {
		span.SetName(method + " " + route)
		span.SetAttributes(
			attribute.String("http.request.method", method),
			attribute.String("http.route", route),
			attribute.String("mneme.request_id", instance),
			attribute.Int("http.response.status_code", status),
		)
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
