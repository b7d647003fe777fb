package memory

import "context"

// progressKey is the context key of a report.
type progressKey struct{}

// WithProgress returns a context under which the opening of a database reports what it
// does or waits for, such as "analyzing its texts again, 200 of 450 entries"; "" if that
// has ended. report must return at once and be safe for concurrent use.
func WithProgress(ctx context.Context, report func(step string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ReportProgress reports a step to whoever asked for it by WithProgress.
func ReportProgress(ctx context.Context, step string) {
	if report, ok := ctx.Value(progressKey{}).(func(string)); ok {
		report(step)
	}
}
