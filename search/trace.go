package search

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// startStep starts the span of one step of a search, a child of the span in
// ctx. end ends the span, marks it as failed if *err is not nil, and adds the
// step's time to took unless that is nil. Spans have counts, but never the text
// of errors or entries.
func (s *Searcher) startStep(ctx context.Context, name string, took *time.Duration) (_ context.Context, end func(err *error)) {
	ctx, span := s.tracer.Start(ctx, name)
	start := time.Now()
	return ctx, func(err *error) {
		if took != nil {
			*took += time.Since(start)
		}
		endSpan(span, *err)
	}
}

func endSpan(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// describe sets the attributes of a search's span. The answer shows the caller the
// same values.
func (a *Answer) describe(span trace.Span) {
	span.SetAttributes(
		attribute.Int("mneme.hits", len(a.Hits)),
		attribute.StringSlice("mneme.degraded", a.Degraded),
		attribute.Bool("mneme.incomplete", a.Incomplete),
	)
}
