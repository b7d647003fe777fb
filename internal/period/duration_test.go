package period

import (
	"testing"
	"time"
)

func TestDurationsHaveDaysAndWeeks(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond,
		"30d": 30 * day, "1d12h": 36 * time.Hour, "2w": 14 * day, "1w1d1s": 8*day + time.Second, "1.5d": 36 * time.Hour,
		".5d": 12 * time.Hour, "-1d": -day, "+1d": day, "106751d": 106751 * day, "5us": 5 * time.Microsecond, "5µs": 5 * time.Microsecond,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "7", "d", "1", "1 d", "1D", "1y", "1mo", "one day", "1d-1h", "--1d", "P1D", "106752d", "200000d", "106751d106751d", "9e9d"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	for _, text := range []string{"1d12h", "-2w", ".5h", "99999999999999999999d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseDuration(text)
		if plain, usual := time.ParseDuration(text); usual == nil && err == nil && plain != got {
			t.Errorf("%s: %v, where package time has %v", text, got, plain)
		}
	})
}
