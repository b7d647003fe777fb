// Package dates reads the days, months, years and ranges that a question names: in words
// of the stemmed languages, in digits, and relative to the time of the request: "9. Juli
// 2026", "between May and July", "hace tres días".
//
// # How
//
// One pass rules out a text without a digit or a calendar word. Other texts become tokens;
// each word has senses, and each sense belongs to a set of languages. One small grammar
// for all languages joins tokens that share a language. A word with other meanings ("may",
// "hier") is a date only next to a number, after a word such as "in", or in a text that
// may be in its language. Read ignores what is not surely a date.
package dates

import (
	"time"

	"mneme/lexical/language"
)

// maxSpans is the maximum number of spans that are read of a text. Both readings of an
// ambiguous date count.
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
	// From and Until are its ends, [From, Until): midnights in the location of the
	// request's time.
	From, Until time.Time
	// Start and End are the bytes of the text that name the span, [Start, End).
	Start, End int
	Precision  Precision
	// Relative reports whether it depends on the day of the request: "last Tuesday".
	Relative bool
	// AnyYear reports whether no year was named, as in "9 July". From is then in the
	// latest year for which it is not in the future; the same days of other years may be
	// meant.
	AnyYear bool
	// Ambiguous reports whether the date has two readings, as 7/9/2026 and "winter 2025"
	// do. Each reading is a span, with the same Start and End.
	Ambiguous bool
}

// Read returns the spans that a text names, in the order of the text, at most four. now is
// the time of the request in the caller's location, which decides the order of 7/9/2026
// where the language does not. languages are the ISO 639-1 codes of the possible languages
// of the text; if there are none, Read guesses them.
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

// startOfDay returns the midnight at which a day begins.
func startOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}
