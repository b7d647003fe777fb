package period

import (
	"strings"
	"testing"
	"time"
)

func TestUsualFormsAreRead(t *testing.T) {
	for text, want := range map[string]string{ // local times have no zone
		"2026": "2026", "2026-06": "2026-06", " 2026-06-30 ": "2026-06-30", "2026-06-30T12:00:00Z": "2026-06-30T12:00:00Z",
		"2026/06/30": "2026-06-30", "2026/6/3": "2026-06-03", "30 June 2026": "2026-06-30", "30 Jun 2026": "2026-06-30", "June 30, 2026": "2026-06-30",
		"jun 30 2026": "2026-06-30", "JUNE 30, 2026": "2026-06-30", "Sept 3, 2026": "2026-09-03", "Tuesday, June 30, 2026": "2026-06-30", "Tue, 30 Jun 2026": "2026-06-30",
		"30th of June 2026": "2026-06-30", "June 1st, 2026": "2026-06-01", "30-Jun-2026": "2026-06-30",
		"June 2026": "2026-06", "Jun, 2026": "2026-06", "2026/06": "2026-06",
		"2026-06-30 12:00": "2026-06-30T12:00:00", "2026-06-30 12:00:01.5": "2026-06-30T12:00:01.5", "2026/06/30 12:00:00": "2026-06-30T12:00:00",
		"2026-06-30 12:00:00+02:00": "2026-06-30T10:00:00Z", "2026-06-30 12:00:00 +0200": "2026-06-30T10:00:00Z", "2026-06-30T12:00:00+0200": "2026-06-30T10:00:00Z",
		"2026-06-30 12:00:00 UTC": "2026-06-30T12:00:00Z", "2026-06-30 12:00:00Z": "2026-06-30T12:00:00Z",
		"Tue, 30 Jun 2026 12:00:00 GMT": "2026-06-30T12:00:00Z", "Tue, 30 Jun 2026 12:00:00 +0200": "2026-06-30T10:00:00Z",
		"Tue Jun 30 12:00:00 2026": "2026-06-30T12:00:00", "Tue Jun  3 12:00:00 UTC 2026": "2026-06-03T12:00:00Z",
		"Tue Jun 30 2026 12:00:00 GMT+0200 (Central European Summer Time)": "2026-06-30T10:00:00Z",
		"June 30, 2026 at 1:56 PM": "2026-06-30T13:56:00", "1:56 pm on 8 May, 2023": "2023-05-08T13:56:00", "30 June 2026, 9am": "2026-06-30T09:00:00",
		"1782820800": "2026-06-30T12:00:00Z", "1782820800000": "2026-06-30T12:00:00Z", "1782820800000000": "2026-06-30T12:00:00Z", "1782820800.5": "2026-06-30T12:00:00.5Z",
	} {
		p, ok := Read(text)
		got := "nothing"
		switch {
		case ok && p.Precision == Time && p.Local:
			got = p.In(time.UTC).From.Format("2006-01-02T15:04:05.999999")
		case ok:
			got = p.In(time.UTC).From.Format(p.Precision.Layout())
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestAmbiguousDatesAreNotRead(t *testing.T) {
	for _, text := range []string{
		"", "yesterday", "last spring", "03/04/2026", "3.4.2026", "30 Jun 26", "12:00", "20260630", "31 June 2026", "30 June", "June", "26",
		"2026-06-30 12:00:00 CET", "30 June 2026 25:00", "99999999999999999999", "1e300", strings.Repeat("2026 ", 1000), "2026-06-30\x00", "(((((", " on ",
	} {
		if p, ok := Read(text); ok {
			t.Errorf("%.40q: %+v", text, p)
		}
	}
}

func TestNumbersAreSecondsOrParts(t *testing.T) {
	for n, want := range map[float64]string{
		0: "1970-01-01T00:00:00Z", -1.5: "1969-12-31T23:59:58.5Z", 5: "1970-01-01T00:00:05Z", 2026: "2026-01-01T00:00:00Z",
		1782820800: "2026-06-30T12:00:00Z", 1782820800123: "2026-06-30T12:00:00.123Z", 1782820800123456: "2026-06-30T12:00:00.123456Z", -1782820800: "1913-07-04T12:00:00Z",
	} {
		p, ok := Unix(n)
		if got := p.In(time.UTC).From.Format(time.RFC3339Nano); !ok || got != want {
			t.Errorf("%v: %s, want %s", n, got, want)
		}
	}
	for _, n := range []float64{1e300, -1e300, 1e18} {
		if p, ok := Unix(n); ok {
			t.Errorf("%v: %v", n, p)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"June 30, 2026", "30th of June 2026", "Tue, 30 Jun 2026 12:00:00 GMT", "1:56 pm on 8 May, 2023", "1782820800", "Tue Jun 30 12:00:00 2026", "2026/06/30 12:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, ok := Read(text)
		if !ok {
			return
		}
		if span := p.In(time.UTC); !span.From.Before(span.Until) {
			t.Errorf("%q: %v", text, span)
		}
		if strict, ok := Parse(text); ok && strict != p {
			t.Errorf("%q: %v, and strictly %v", text, p, strict)
		}
	})
}
