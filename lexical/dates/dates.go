// Package dates reads the days, months, years and ranges that a question names, as people
// write them in the languages whose words are stemmed and in digits, and by the time of the
// request where they are relative: "9. Juli 2026", "between May and July", "hace tres días".
//
// # How
//
// A text without a digit and without a word of the calendar is left after one pass. Others
// become tokens whose words have senses, each of a set of languages; a small grammar, one
// for all languages, joins those that have a language in common. A word that is more than a
// date ("may", "hier") is one only beside a number, after a word such as "in", or in a text
// that may be in its language. What a date does not surely name is not read.
package dates

import (
	"time"

	"mneme/lexical/language"
)

// maxSpans is how many spans of a text are read, both readings of an ambiguous date counted.
const maxSpans = 4

// The ends of spans that are open: "before 2023", "after July".
var (
	Earliest = time.Time{}
	Latest   = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
)

// Precision is the unit of the calendar that a span was given in.
type Precision uint8

// The precisions. A Range is of several units: "3 to 9 July", "the last two weeks".
const (
	Day Precision = iota
	Week
	Month
	Quarter
	Season
	Year
	Range
)

func (p Precision) String() string {
	return [...]string{"day", "week", "month", "quarter", "season", "year", "range"}[p]
}

// Span is a span of time that a text names.
type Span struct {
	// From and Until are its ends, [From, Until), at midnights of the location of the
	// request's time.
	From, Until time.Time
	// Start and End are the bytes of the text that say so, [Start, End).
	Start, End int
	Precision  Precision
	// Relative reports whether it depends on the day of the request: "last Tuesday".
	Relative bool
	// AnyYear reports whether no year was named, as in "9 July". From is then the latest
	// that is not in the future; the same days of other years may be meant.
	AnyYear bool
	// Ambiguous reports whether the date has two readings, as 7/9/2026 and "winter 2025"
	// have. Both are spans, with the same Start and End.
	Ambiguous bool
}

// Read returns the spans that a text names, in the order of the text, at most four. now is
// the time of the request in the location of who asks, which decides the order of 7/9/2026
// where the language does not. languages are those that the text may be in, by their codes
// of ISO 639-1; if there are none, they are guessed.
func Read(text string, languages []string, now time.Time) []Span {
	if !hasAnchor(text) {
		return nil
	}
	sure := false
	if len(languages) == 0 {
		if guess := language.Of(text); guess.Language != "" {
			languages, sure = []string{guess.Language}, guess.Sure
		}
	}
	hint := hintOf(languages)
	p := parser{text: text, now: startOfDay(now), order: orderIn(languages, now.Location()), hint: hint, sure: sure}
	p.tokenize(hint)
	return p.spans()
}

// startOfDay returns the midnight that a day begins with.
func startOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}
