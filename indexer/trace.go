package indexer

import (
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// endSpan ends the span of a step, and marks it as failed if *err is not nil. It does not
// record the error's text, which may quote the embedder's input.
func endSpan(span trace.Span, err *error) {
	if *err != nil {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
