package indexer

import (
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// endSpan ends the span of a step, and marks it as failed if *err is not nil.
// Its text stays out: it may quote what an embedder was sent.
func endSpan(span trace.Span, err *error) {
	if *err != nil {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
