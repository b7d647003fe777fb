package memory

import "context"

// progressKey is the context key of a report function.
type progressKey struct{}

// WithProgress returns a context with which opening a database reports its current step, such
// as "analyzing its texts again, 200 of 450 entries", and "" once that step has ended. report
// must return at once and be safe for concurrent use.
func WithProgress(ctx context.Context, report func(step string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ReportProgress reports a step to the function given to WithProgress.
func ReportProgress(ctx context.Context, step string) {
	if report, ok := ctx.Value(progressKey{}).(func(string)); ok {
		report(step)
	}
}
