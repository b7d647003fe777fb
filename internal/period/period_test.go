package period

import (
	"strings"
	"testing"
	"time"
)

func TestPeriodsAreWholeOnBothSides(t *testing.T) {
	load := func(name string) *time.Location {
		zone, err := Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		return zone
	}
	for _, c := range []struct {
		text, zone, from, until string // until is exclusive
		precision               Precision
		local                   bool
	}{
		{"2026", "", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", Year, true},
		{"2026-12", "", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z", Month, true},
		{"2024-02", "", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z", Month, true},
		{"2024-02-29", "", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z", Day, true},
		{"2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", Day, true}, // the clocks change: 23 hours
		{"2026", "-03:30", "2026-01-01T03:30:00Z", "2027-01-01T03:30:00Z", Year, true},
		{"2026-06-30T12:00", "", "2026-06-30T12:00:00Z", "2026-06-30T12:00:00.000001Z", Time, true},
		{"2026-06-30T12:00", "Europe/Berlin", "2026-06-30T10:00:00Z", "2026-06-30T10:00:00.000001Z", Time, true},
		{"2026-06-30T12:00:01.5", "+14:00", "2026-06-29T22:00:01.5Z", "2026-06-29T22:00:01.500001Z", Time, true},
		{"2026-06-30T12:00Z", "+14:00", "2026-06-30T12:00:00Z", "2026-06-30T12:00:00.000001Z", Time, false},
		{"2026-06-30T12:00:00.0000019+02:00", "+14:00", "2026-06-30T10:00:00.000001Z", "2026-06-30T10:00:00.000002Z", Time, false},
		{"9999", "", "9999-01-01T00:00:00Z", "+10000", Year, true},
	} {
		p, ok := Parse(c.text)
		if !ok || p.Precision != c.precision || p.Local != c.local {
			t.Errorf("%s: %+v, %v", c.text, p, ok)
			continue
		}
		span := p.In(load(c.zone))
		if got := span.From.Format(time.RFC3339Nano); got != c.from {
			t.Errorf("%s %s: from %s, want %s", c.text, c.zone, got, c.from)
		}
		if got := span.Until.Format(time.RFC3339Nano); got != c.until && c.until[0] != '+' || span.Until.Year() > 10_000 {
			t.Errorf("%s %s: until %s, want %s", c.text, c.zone, got, c.until)
		}
		for at, want := range map[time.Time]int{
			span.From.Add(-time.Microsecond): -1, span.From: 0, span.Last(): 0, span.Until: 1,
		} {
			if got := span.Compare(at); got != want {
				t.Errorf("%s: %s compares as %d, want %d", c.text, at, got, want)
			}
		}
	}
}

func TestInvalidPeriods(t *testing.T) {
	for _, text := range []string{
		"", "26", "02026", "2026-6", "2026-13", "2026-00", "2026-02-30", "2026-06-30T", "2026-06-30T12", "2026-06-30T9:00", "2026-06-30 12:00",
		"2026-06-30T25:00", "2026-06-30T12:60", "2026-06-30T12:00:00,5Z", "2026-06-30T12:00:00+2:00", "-2026", " 2026", "2026-06-30T12:00\n", "2026-06-30\x00",
	} {
		if p, ok := Parse(text); ok {
			t.Errorf("%q: %+v", text, p)
		}
	}
}

func TestZonesAreNamesOrOffsets(t *testing.T) {
	for name, seconds := range map[string]int{
		"": 0, "UTC": 0, "+00:00": 0, "+02:00": 7200, "-03:30": -12600, "+23:59": 86340, "Asia/Kolkata": 19800,
	} {
		zone, err := Zone(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if _, got := time.Date(2026, 1, 1, 0, 0, 0, 0, zone).Zone(); got != seconds {
			t.Errorf("%q: %d, want %d", name, got, seconds)
		}
	}
	for _, name := range []string{
		"Local", "Mars/Olympus", "+2:00", "+0200", "02:00", " 02:00", "+24:00", "+02:60", "../../etc/passwd", "/etc/localtime", `..\x`, "Europe/Berlin\x00",
		strings.Repeat("a", 10_000),
	} {
		if zone, err := Zone(name); err != ErrZone { //nolint:errorlint // the error is never wrapped
			t.Errorf("%.20q: %v, %v", name, zone, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"2026", "2026-06", "2026-06-30", "2026-06-30T12:00", "2026-06-30T12:00:00.5+02:00", "0000-01-01T00:00:00+23:59", "9999-12-31"} {
		f.Add(seed, "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		zone, err := Zone(name)
		if err != nil {
			zone = time.UTC
		}
		p, ok := Parse(text)
		if !ok {
			return
		}
		span := p.In(zone)
		if span.Until.Before(span.From) { // a day that a zone skipped is empty
			t.Fatalf("%q in %q: %v", text, name, span)
		}
		if !p.Local && !span.Equal(p.In(time.UTC)) {
			t.Errorf("%q depends on the zone %q", text, name)
		}
		if p.Precision == Time {
			if length := span.Until.Sub(span.From); length != time.Microsecond {
				t.Errorf("%q in %q lasts %v", text, name, length)
			}
			return
		}
		if got := p.In(time.UTC).From.Format(p.Precision.Layout()); got != text {
			t.Errorf("%q is given back as %q", text, got)
		}
	})
}
