package search

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/internal/period"
	"mneme/lexical"
	"mneme/lexical/dates"
)

// A question may name a time: "what did I do on 9 July?". Entries of that time are candidates
// of a third leg, and their time counts as evidence: docs/decisions/0088-questions-for-times.md.

// named holds the times that a wording names.
type named struct {
	read  []dates.Span // as the wording names them; none: it names no time
	spans []namedSpan  // the spans that read may mean: see meant
	// onlyTimes says that the wording asks only what happened at those times.
	onlyTimes bool
	// entries are the entries of the spans that pass the filter, if they are few enough to
	// hand to the legs. inText has those whose text names one of the spans.
	entries []uuid.UUID
	inText  map[uuid.UUID]bool
}

// datesIn returns the times that the wording names. now is in the zone of the request.
func (w *wording) datesIn(now time.Time) (n named) {
	var languages []string
	if w.language != "" {
		languages = []string{w.language}
	}
	n.read = dates.Read(w.text, languages, now)
	for _, s := range n.read {
		n.spans = append(n.spans, meant(s)...)
	}
	n.onlyTimes = len(n.read) > 0 && lexical.AsksWhatHappened(without(w.text, n.read))
	return n
}

// zone returns the zone of the request. It returns UTC for an unknown zone, which
// memory.Filter.Check rejects.
func (q *searchQuery) zone() *time.Location {
	zone, err := period.Zone(q.request.Filter.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// namedSpan is a span that may be meant. sure is its probability, 0–1.
type namedSpan struct {
	dates.Span
	sure float64
}

// A date without a year may be in any of the last maxYears years; earlier years are less
// likely. "In June" is the most recent June, or in an old store, the June of its last year.
const (
	maxYears   = 10
	formerYear = 0.75
)

// meant returns the spans that s may mean, the likeliest first.
func meant(s dates.Span) []namedSpan {
	spans := []namedSpan{{s, 1}}
	for n := 1; s.AnyYear && n < maxYears; n++ {
		former := s
		former.From, former.Until = s.From.AddDate(-n, 0, 0), s.Until.AddDate(-n, 0, 0)
		spans = append(spans, namedSpan{former, formerYear})
	}
	return spans
}

// without returns the text with each of the spans replaced by a space.
func without(text string, spans []dates.Span) string {
	var rest []byte
	end := 0
	for _, s := range spans {
		if s.Start < end {
			continue // another reading of the same words
		}
		rest = append(append(rest, text[end:s.Start]...), ' ')
		end = s.End
	}
	return string(append(rest, text[end:]...))
}

// asksForDates reports whether the search only asks what happened at some time.
func (q *searchQuery) asksForDates() bool {
	return !slices.ContainsFunc(q.wordings, func(w wording) bool { return !w.named.onlyTimes })
}

// byYear groups the spans whose words name no year by their year, the latest first. Each group
// also has all spans whose words name a year.
func byYear(spans []namedSpan) (years [][]namedSpan) {
	for n := range maxYears {
		var year []namedSpan
		any := false
		at := make(map[int]int) // number of earlier spans, by the offset of their words
		for _, s := range spans {
			if !s.AnyYear {
				year = append(year, s)
				continue
			}
			if at[s.Start]++; at[s.Start] == n+1 {
				year, any = append(year, s), true
			}
		}
		if n > 0 && !any {
			break
		}
		years = append(years, year)
	}
	return years
}

// times holds a span twice: as instants, to compare with a moment that has a time of day, and as
// its days in UTC, to compare with a moment that is only a day, month or year.
type times struct{ instants, days period.Span }

func timesOf(s dates.Span) times {
	return times{
		period.Span{From: s.From.UTC(), Until: s.Until.UTC()},
		period.Span{From: wallClock(s.From), Until: wallClock(s.Until)},
	}
}

// wallClock returns the instant at which a clock in UTC shows the same time as a local clock
// shows at t.
func wallClock(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}
