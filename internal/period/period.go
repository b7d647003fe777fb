// Package period reads dates and times as people write them. Each is a period: a year, a
// month, a day, or a time, which lasts a microsecond.
package period

import (
	"regexp"
	"time"
)

// Precision is the precision of a date or time.
type Precision int8

// The precisions. Storages store their numbers, so these must not change.
const (
	Time Precision = iota // to the microsecond
	Day
	Month
	Year
)

// Of returns the period of a time.
func Of(t time.Time) Period { return Period{wall: t} }

// layouts are the layouts of dates.
var layouts = [...]string{Day: time.DateOnly, Month: "2006-01", Year: "2006"}

// Layout returns the layout of a date for package time; RFC 3339 for Time.
func (p Precision) Layout() string {
	if p == Time {
		return time.RFC3339Nano
	}
	return layouts[p]
}

// Period is a year, month, day or time. Its year is 0000 to 9999 in the zone in which it was
// given.
type Period struct {
	Precision Precision
	Local     bool // no zone was given
	wall      time.Time
}

// clock matches RFC 3339 times, whose zone and seconds may be missing. time.Parse accepts
// more, such as an hour of one digit.
var clock = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$`)

// Parse parses a year (2026), a month (2026-06), a day (2026-06-30), a time in RFC
// 3339, or one without zone (2026-06-30T12:00), each with or without seconds.
func Parse(text string) (p Period, ok bool) {
	for precision := Day; precision <= Year; precision++ {
		if t, err := time.Parse(layouts[precision], text); err == nil {
			return Period{Precision: precision, Local: true, wall: t}, true
		}
	}
	if !clock.MatchString(text) {
		return Period{}, false
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, text); err == nil {
			return Period{wall: t}, true
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return Period{Local: true, wall: t}, true
		}
	}
	return Period{}, false
}

// Span is a span of time in UTC, to the microsecond: [From, Until).
type Span struct{ From, Until time.Time }

// At returns the span of an instant: its microsecond.
func At(t time.Time) Span {
	t = t.UTC().Truncate(time.Microsecond)
	return Span{t, t.Add(time.Microsecond)}
}

// Last returns the last microsecond of the span.
func (s Span) Last() time.Time { return s.Until.Add(-time.Microsecond) }

// Compare returns -1 for an instant before the span, 0 for one within, and 1 for one
// after it.
func (s Span) Compare(t time.Time) int {
	switch {
	case t.Before(s.From):
		return -1
	case t.Before(s.Until):
		return 0
	default:
		return 1
	}
}

// Equal reports whether the spans are the same.
func (s Span) Equal(other Span) bool {
	return s.From.Equal(other.From) && s.Until.Equal(other.Until)
}

// In returns the span of a period, in zone if the period is local.
func (p Period) In(zone *time.Location) Span {
	t := p.wall
	if !p.Local {
		return At(t)
	}
	at := func(years, months, days int) time.Time {
		return time.Date(t.Year()+years, t.Month()+time.Month(months), t.Day()+days,
			t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), zone).UTC()
	}
	switch p.Precision {
	case Year:
		return Span{at(0, 0, 0), at(1, 0, 0)}
	case Month:
		return Span{at(0, 0, 0), at(0, 1, 0)}
	case Day:
		return Span{at(0, 0, 0), at(0, 0, 1)}
	default:
		return At(at(0, 0, 0))
	}
}
