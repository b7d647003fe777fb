package memory

import (
	"regexp"
	"time"
)

// Moment is when something happened: a date or a time. The zero value is none.
type Moment struct {
	// Time is the instant that comparisons use, in UTC. That of a date is its
	// first instant.
	Time time.Time
	Date bool // no time of day is known
}

// rfc3339 matches what time.Parse takes more liberally, as an hour of one digit.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$`)

// ParseMoment parses a date or a time in RFC 3339; "" is no Moment. A time is
// kept in UTC, to the microsecond. The year is 1 to 9999, and a time is after the
// first instant of year 1, which stands for no time in many programs.
func ParseMoment(text string) (Moment, error) {
	if text == "" {
		return Moment{}, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil && t.Year() > 0 {
		return Moment{Time: t, Date: true}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil && rfc3339.MatchString(text) {
		if t = instantOf(t); !t.IsZero() && t.Year() >= 1 && t.Year() <= 9999 {
			return Moment{Time: t}, nil
		}
	}
	return Moment{}, rule("occurred_at", "must be a date such as 2023-05-08 or a time such as 2023-05-08T13:56:00Z, of the years 0001 to 9999 in UTC")
}

// IsZero reports whether m is no Moment.
func (m Moment) IsZero() bool { return m.Time.IsZero() && !m.Date }

// String returns the text that ParseMoment parses.
func (m Moment) String() string {
	switch {
	case m.IsZero():
		return ""
	case m.Date:
		return m.Time.Format(time.DateOnly)
	default:
		return m.Time.Format(time.RFC3339Nano)
	}
}

// day returns the date as an English text has it: "8 May 2023".
func (m Moment) day() string { return m.Time.Format("2 January 2006") }

// is reports whether text is m's, in whatever form.
func (m Moment) is(text string) bool {
	other, err := ParseMoment(text)
	return err == nil && other.Date == m.Date && other.Time.Equal(m.Time)
}

// MarshalText and UnmarshalText convert to and from String's text.
func (m Moment) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Moment) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMoment(string(text))
	return err
}
