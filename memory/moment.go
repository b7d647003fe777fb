package memory

import (
	"time"

	"mneme/internal/period"
)

// Moment is when something happened: a year, a month, a day or a time. The zero value is none.
type Moment struct {
	// Time is the instant for comparisons, in UTC. For a year, month or day it is the first
	// instant.
	Time      time.Time
	Precision period.Precision
}

// ParseMoment parses a Moment. A time without a zone is in UTC.
func ParseMoment(text string) (Moment, error) { return ParseMomentIn(text, time.UTC) }

// ParseMomentIn parses a year, month, day or time, as period.Parse does; "" gives the zero
// Moment. A time without a zone is in zone. A time is stored in UTC, to the microsecond. The
// year must be 1 to 9999. The first instant of year 1 is refused as a time, since it means "no
// time" in many programs. The error is a RuleError.
func ParseMomentIn(text string, zone *time.Location) (Moment, error) {
	if text == "" {
		return Moment{}, nil
	}
	if p, ok := period.Parse(text); ok {
		if m, ok := MomentOf(p, zone); ok {
			return m, nil
		}
	}
	return Moment{}, rule("occurred_at", "must be a date such as 2023-05-08, 2023-05 or 2023, or a time such as 2023-05-08T13:56:00Z, of the years 0001 to 9999 in UTC")
}

// ReadMoment parses a date or time in one of the usual forms, as period.Read does. Imports use
// it. A time without a zone is in zone.
func ReadMoment(text string, zone *time.Location) (m Moment, ok bool) {
	p, ok := period.Read(text)
	if !ok {
		return Moment{}, false
	}
	return MomentOf(p, zone)
}

// MomentOf returns the Moment of a period. A period without a zone is taken in zone. ok is
// false if no Moment can represent it.
func MomentOf(p period.Period, zone *time.Location) (m Moment, ok bool) {
	if p.Precision != period.Time {
		zone = time.UTC // a date is the same everywhere
	}
	m = Moment{Time: p.In(zone).From, Precision: p.Precision}
	return m, !m.IsZero() && m.Time.Year() >= 1 && m.Time.Year() <= 9999
}

// IsZero reports whether m is the zero value, which means no Moment.
func (m Moment) IsZero() bool { return m.Time.IsZero() && m.Precision == period.Time }

// Until returns the end of m, exclusive, in UTC: the first instant of the next year, month or
// day, or the microsecond after a time.
func (m Moment) Until() time.Time {
	switch m.Precision {
	case period.Year:
		return m.Time.AddDate(1, 0, 0)
	case period.Month:
		return m.Time.AddDate(0, 1, 0)
	case period.Day:
		return m.Time.AddDate(0, 0, 1)
	default:
		return m.Time.Add(time.Microsecond)
	}
}

// Dated reports whether m is a year, month or day, without a time of day.
func (m Moment) Dated() bool { return m.Precision != period.Time }

// String returns the text that ParseMoment parses.
func (m Moment) String() string {
	if m.IsZero() {
		return ""
	}
	return m.Time.Format(m.Precision.Layout())
}

// date returns the date as written in English: "8 May 2023", "May 2023" or "2023".
func (m Moment) date() string {
	switch m.Precision {
	case period.Year:
		return m.Time.Format("2006")
	case period.Month:
		return m.Time.Format("January 2006")
	default:
		return m.Time.Format("2 January 2006")
	}
}

// Equal reports whether m and other are the same.
func (m Moment) Equal(other Moment) bool {
	return m.Precision == other.Precision && m.Time.Equal(other.Time)
}

// MarshalText and UnmarshalText convert to and from String's text.
func (m Moment) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Moment) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMoment(string(text))
	return err
}
