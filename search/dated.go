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
// of a leg of their own, and being of it is evidence: docs/decisions/0088-questions-for-times.md.

// named is what a wording says of a time.
type named struct {
	read  []dates.Span // that it names; none: no time
	spans []namedSpan  // those that may be meant
	// alone says that it asks for nothing but what was then.
	alone bool
	// entries are those of the spans that pass the filter, if they are few enough to hand
	// to the legs, and inText those of them whose text names one of the spans.
	entries []uuid.UUID
	inText  map[uuid.UUID]bool
}

// datesIn returns the times that the wording names, at an instant in the zone of the request.
func (w *wording) datesIn(now time.Time) (n named) {
	var languages []string
	if w.language != "" {
		languages = []string{w.language}
	}
	n.read = dates.Read(w.text, languages, now)
	for _, s := range n.read {
		n.spans = append(n.spans, meant(s)...)
	}
	n.alone = len(n.read) > 0 && lexical.AsksWhatHappened(without(w.text, n.read))
	return n
}

// zone returns the zone of the request, or UTC if that is unknown, which Check refuses.
func (q *searchQuery) zone() *time.Location {
	zone, err := period.Zone(q.request.Filter.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// namedSpan is a span that may be meant, and how sure that is, 0–1.
type namedSpan struct {
	dates.Span
	sure float64
}

// Without a year the days of maxYears years may be meant, and those of former ones less
// surely: "in June" is the last one, or in a store of years ago that of the time.
const (
	maxYears   = 10
	formerYear = 0.75
)

// meant returns the spans that one may mean, the surest first.
func meant(s dates.Span) []namedSpan {
	spans := []namedSpan{{s, 1}}
	for n := 1; s.AnyYear && n < maxYears; n++ {
		former := s
		former.From, former.Until = s.From.AddDate(-n, 0, 0), s.Until.AddDate(-n, 0, 0)
		spans = append(spans, namedSpan{former, formerYear})
	}
	return spans
}

// without returns a text with a space in place of each of some spans of it.
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

// asksForDates reports whether the search asks for nothing but what was at some time.
func (q *searchQuery) asksForDates() bool {
	return !slices.ContainsFunc(q.wordings, func(w wording) bool { return !w.named.alone })
}

// byYear returns spans that name no year by year, the latest first; all others belong to each.
func byYear(spans []namedSpan) (years [][]namedSpan) {
	for n := range maxYears {
		var year []namedSpan
		any := false
		at := make(map[int]int) // spans before, by the place of what names them
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

// times are the instants and the days of a span: a day is the same in every zone.
type times struct{ instants, days period.Span }

func timesOf(s dates.Span) times {
	return times{
		period.Span{From: s.From.UTC(), Until: s.Until.UTC()},
		period.Span{From: wall(s.From), Until: wall(s.Until)},
	}
}

// wall returns the instant at which a clock in UTC shows what a local one does at t.
func wall(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}
