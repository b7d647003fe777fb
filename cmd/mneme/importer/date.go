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

// ErrDate is what is wrong with a date that cannot be left out.
var ErrDate = errors.New("is not a date or time that is understood")

// Date is a date or time of a file. The zero value is none. JSON has it as a text that
// period.Read reads, or as a number that period.Unix takes; 0 and null are none.
type Date struct {
	Undated string // what there is in its place, if that is no date or time
	period  period.Period
	given   bool
}

// ParseDate parses a date or time; "" is none. What is no date is its Undated.
func ParseDate(text string) Date {
	text = strings.TrimSpace(text)
	p, ok := period.Read(text)
	return dateOf(text, p, ok)
}

// dateOf returns the date of a period, which text has if it is ok.
func dateOf(text string, p period.Period, ok bool) Date {
	if text == "" || ok && p.Precision == period.Time && p.In(time.UTC).From.IsZero() { // as many programs write none
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

// IsZero reports whether there is neither a date nor anything in its place.
func (d Date) IsZero() bool { return d == Date{} }

// Or returns d, or other if d is no date. It keeps what is undated in d.
func (d Date) Or(other Date) Date {
	if d.given {
		return d
	}
	if d.Undated != "" {
		other.Undated = d.Undated
	}
	return other
}

// Moment returns the date, of a local time in a zone. It is zero if there is none.
func (d Date) Moment(zone *time.Location) memory.Moment {
	if !d.given {
		return memory.Moment{}
	}
	m, ok := memory.MomentOf(d.period, zone)
	if !ok { // the zone is beyond the years that there are
		m, _ = memory.MomentOf(d.period, time.UTC)
	}
	return m
}

// End returns when the date is over, in UTC: the start of the day after it. Of a time, of a
// local one in a zone, it is the time itself. It is zero if there is none.
func (d Date) End(zone *time.Location) time.Time {
	m := d.Moment(zone)
	if !m.Dated() {
		return m.Time
	}
	span := d.period.In(time.UTC)
	if span.Until.Year() > 9999 { // JSON has no such time
		return span.Last()
	}
	return span.Until
}

// Day returns the date without its time, or what there is in its place.
func (d Date) Day() string {
	if !d.given {
		return d.Undated
	}
	text := d.Moment(time.UTC).String()
	return text[:min(len(text), len(time.DateOnly))]
}

// Date sets when what the entry describes happened: Occurred, of a local time in a zone.
// What is no date is kept in the description, and noted.
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

// Undated is the note of a date that is not understood.
const Undated = "its date is not understood: the description has it"

// maxUndated bounds what a description keeps of a date that is not understood, in
// characters.
const maxUndated = 100

// WithDate returns a description with a date that is not understood: "Trip (date: last
// spring)".
func WithDate(description, date string) string {
	kept := "date: " + cut(markdown.OneLine(date), maxUndated)
	if description = markdown.OneLine(description); description == "" {
		return kept
	}
	kept = " (" + kept + ")"
	return cut(description, memory.MaxDescription-utf8.RuneCountInString(kept)) + kept
}

// cut returns a text of at most so many characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}

// isNull reports whether a JSON value is null or absent.
func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }
