package dates_test

import (
	"strings"
	"testing"

	"mneme/lexical/dates"
)

// BenchmarkRead measures the cost of a question by the dates in it.
func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{
		"neither a digit nor a word of the calendar": "where did I park the car before the concert?",
		"a number":    "how many of the 16 cores does the server use?",
		"an anchor":   "how many days a week does Marta work from home?",
		"a date":      "what did we decide on 9 July 2026 about the garden gate?",
		"a range":     "what happened between May and July 2026?",
		"100 kB text": strings.Repeat("where did I park the car before the concert in town? ", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dates.Read(text, nil, now)
			}
		})
	}
}

// BenchmarkDays measures the cost that Days adds to the analysis of a text.
func BenchmarkDays(b *testing.B) {
	for name, text := range map[string]string{
		"without years": strings.Repeat("where did I park the 3 cars before the concert in town? ", 20),
		"a day":         "On 9 July 2026 the boiler was replaced.",
		"years only":    strings.Repeat("1999 2000 2001 ", 1000),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				dates.Days(text)
			}
		})
	}
}
