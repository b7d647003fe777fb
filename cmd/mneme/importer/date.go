package importer

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"mneme/internal/period"
	"mneme/markdown"
	"mneme/memory"
)

// ErrDate reports a date that cannot be parsed, if it is required.
var ErrDate = errors.New("is not a date or time that is understood")

// Date is a date or time in a file. The zero value is none. In JSON it is a text that
// period.Read parses, or a number for period.Unix; 0 and null are none.
type Date struct {
	Undated string // the original text, if it cannot be parsed
	period  period.Period
	given   bool
}

// ParseDate parses a date or time; "" is none. It stores text that it cannot parse in
// Undated.
func ParseDate(text string) Date {
	text = strings.TrimSpace(text)
	p, ok := period.Read(text)
	return dateOf(text, p, ok)
}

// dateOf returns the date of a period parsed from text, if ok.
func dateOf(text string, p period.Period, ok bool) Date {
	if text == "" || ok && p.Precision == period.Time && p.In(time.UTC).From.IsZero() { // many programs write this for none
		return Date{}
	}
	if _, known := memory.MomentOf(p, time.UTC); !ok || !known {
		return Date{Undated: text}
	}
	return Date{period: p, given: true}
}

// UnmarshalJSON implements json.Unmarshaler. It returns no error.
func (d *Date) UnmarshalJSON(data []byte) error {
	var text *string
	var number float64
	isText := json.Unmarshal(data, &text) == nil
	switch {
	case isText && text == nil:
		*d = Date{}
	case isText:
		*d = ParseDate(*text)
	case json.Unmarshal(data, &number) == nil && number == 0:
		*d = Date{}
	case json.Unmarshal(data, &number) == nil:
		p, ok := period.Unix(number)
		*d = dateOf(string(data), p, ok)
	default:
		*d = Date{Undated: string(data)}
	}
	return nil
}

// IsZero reports whether d has neither a date nor Undated.
func (d Date) IsZero() bool { return d == Date{} }

// Or returns d, or other if d has no date. It retains d.Undated.
func (d Date) Or(other Date) Date {
	if d.given {
		return d
	}
	if d.Undated != "" {
		other.Undated = d.Undated
	}
	return other
}

// Moment returns the date, in zone if it is a local time. It is zero if d has no date.
func (d Date) Moment(zone *time.Location) memory.Moment {
	if !d.given {
		return memory.Moment{}
	}
	m, ok := memory.MomentOf(d.period, zone)
	if !ok { // the zone moves it beyond the supported years
		m, _ = memory.MomentOf(d.period, time.UTC)
	}
	return m
}

// End returns the end of the date in UTC: the start of the next day. A time is its own
// end, in zone if it is a local time. It is zero if d has no date.
func (d Date) End(zone *time.Location) time.Time {
	m := d.Moment(zone)
	if !m.Dated() {
		return m.Time
	}
	span := d.period.In(time.UTC)
	if span.Until.Year() > 9999 { // out of range in JSON
		return span.Last()
	}
	return span.Until
}

// Day returns the date without its time, or Undated.
func (d Date) Day() string {
	if !d.given {
		return d.Undated
	}
	text := d.Moment(time.UTC).String()
	return text[:min(len(text), len(time.DateOnly))]
}

// Date sets the time of the event that the entry describes to Occurred, in zone if that is
// a local time. It appends a date that cannot be parsed to the description, and adds a
// note.
func (l *Line) Date(zone *time.Location) {
	occurred := l.Occurred.Moment(zone).String()
	l.Put.OccurredAt = &occurred
	if l.Occurred.Undated == "" {
		return
	}
	before := ""
	if l.Put.Description != nil {
		before = *l.Put.Description
	}
	description := WithDate(before, l.Occurred.Undated)
	l.Put.Description = &description
	l.Notes = append(l.Notes, Undated)
}

// Undated is the note about a date that cannot be parsed.
const Undated = "its date is not understood: the description has it"

// maxUndated is the maximum length of an unparsable date in a description, in characters.
const maxUndated = 100

// WithDate returns a description with an unparsable date appended: "Trip (date: last
// spring)".
func WithDate(description, date string) string {
	kept := "date: " + cut(markdown.OneLine(date), maxUndated)
	if description = markdown.OneLine(description); description == "" {
		return kept
	}
	kept = " (" + kept + ")"
	return cut(description, memory.MaxDescription-utf8.RuneCountInString(kept)) + kept
}

// cut truncates a text to most characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}

// isNull reports whether a JSON value is null or absent.
func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }
