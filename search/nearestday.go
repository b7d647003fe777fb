package search

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"mneme/internal/period"
	"mneme/lexical/dates"
	"mneme/memory"
)

// nearestThen returns the entry that is nearest to the times for which a question asks, among
// those that pass the filter and the caller may read; nil if there is none. It doubles the
// number of days around those times until it finds one.
func (s *Searcher) nearestThen(ctx context.Context, in snapshot, q *searchQuery) (*memory.Entry, error) {
	spans := q.wordings[0].named.spans
	if len(spans) == 0 {
		return nil, nil
	}
	from, until := spans[0].From, spans[0].Until
	for days := 1; days <= maxNearest; days *= 2 {
		around := namedSpan{Span: dates.Span{From: dayBefore(from, days), Until: dayAfter(until, days)}}
		ids, _, err := q.matching(ctx, in.tx, q.scope, memory.Filter{Where: ofSpans([]namedSpan{around})}, q.only)
		if err != nil {
			return nil, err
		}
		visible := make(map[uuid.UUID]*candidate, len(ids))
		if err := s.addVisible(ctx, in, q.caller, q.request.Filter, ids, visible); err != nil {
			return nil, err
		}
		var nearest *memory.Entry
		for _, c := range visible {
			if c != nil && (nearest == nil || cmp.Or(cmp.Compare(distance(c.entry, from, until), distance(nearest, from, until)), compareOrder(c.entry, nearest)) < 0) {
				nearest = c.entry
			}
		}
		if nearest != nil {
			return nearest, nil
		}
	}
	return nil, nil
}

// maxNearest bounds the days between an entry and the times that a question names.
const maxNearest = 1 << 16

// distance returns the time between an entry and a span; 0 if they overlap.
func distance(e *memory.Entry, from, until time.Time) time.Duration {
	return max(0, from.Sub(e.OccurredAt.Until()), e.OccurredAt.Time.Sub(until))
}

// dayBefore and dayAfter return the time that many days earlier or later, clamped to the years
// of moments.
func dayBefore(t time.Time, days int) time.Time {
	if t.Year() <= maxNearest/365 {
		return dates.Earliest
	}
	return t.AddDate(0, 0, -days)
}

func dayAfter(t time.Time, days int) time.Time {
	if t.Year() >= 9999-maxNearest/365 {
		return dates.Latest
	}
	return t.AddDate(0, 0, days)
}

// dayOf returns the day of a moment in a zone. It returns a day, month or year as it is.
func dayOf(m memory.Moment, zone *time.Location) memory.Moment {
	if m.Dated() {
		return m
	}
	y, month, d := m.Time.In(zone).Date()
	return memory.Moment{Time: time.Date(y, month, d, 0, 0, 0, 0, time.UTC), Precision: period.Day}
}
