package memory

import (
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// ConditionLimits bound what one call reads of values to judge its filter: to compare members
// of values, or to find phrases in them.
type ConditionLimits struct {
	Bytes int64         // 512 MB
	Time  time.Duration // 5 s
}

// Part returns the limits for one of n equal parts.
func (l ConditionLimits) Part(n int) ConditionLimits {
	return ConditionLimits{Bytes: l.Bytes / int64(n), Time: l.Time / time.Duration(n)}
}

// reading counts the bytes of values that a call has read to judge its filter, and the time.
type reading struct {
	limits ConditionLimits
	bytes  int64
	time   time.Duration // of completed Matching calls
	began  time.Time     // when the current Matching call began
}

// Counted returns the filter with a new count of the values that it reads, limited by limits.
func (f Filter) Counted(limits ConditionLimits) Filter {
	f.reading = &reading{limits: limits}
	return f
}

// Matching is CandidateReader.Matching for the filter. Its duration counts towards
// ConditionLimits.Time.
func (f Filter) Matching(ctx context.Context, tx CandidateReader, scope acl.Scope, ids []uuid.UUID, limit int) ([]uuid.UUID, bool, error) {
	defer f.startReading()()
	return tx.Matching(ctx, scope, f, ids, limit)
}

// startReading counts the time until stop is called.
func (f Filter) startReading() (stop func()) {
	r := f.reading
	if r == nil {
		return func() {}
	}
	r.began = time.Now()
	return func() { r.time += time.Since(r.began) }
}

// readsValues reports whether the filter judges values.
func (f Filter) readsValues() bool { return f.Match != nil || f.Where != nil && f.Where.ReadsValue() }

// Read counts a value that Matching has read to judge an entry. If a limit is reached, it
// returns a RuleError that names the limit, and Matching must return this error.
func (f Filter) Read(value []byte) error {
	r := f.reading
	if r == nil {
		return nil
	}
	if r.bytes += int64(len(value)); r.bytes > r.limits.Bytes {
		return rule(f.reads(), "would read more than %d bytes of values (limits.condition_bytes): narrow it by namespace, type, tags or key", r.limits.Bytes)
	}
	if r.time+time.Since(r.began) > r.limits.Time {
		return rule(f.reads(), "needs more than %s of reading values: narrow it by namespace, type, tags or key", r.limits.Time)
	}
	return nil
}

// reads returns the name of the option because of which the filter reads values.
func (f Filter) reads() string {
	if f.Where != nil && f.Where.ReadsValue() {
		return OptionWhere
	}
	return OptionMatch
}
