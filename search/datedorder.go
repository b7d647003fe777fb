package search

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/memory"
)

// An entry whose time is at most a week after the time that a question names probably describes
// that time ("last Friday"); one that is at most two weeks after it possibly does:
// docs/decisions/0088-questions-for-times.md.
const (
	soonAfter = 7 * 24 * time.Hour
	nearTime  = 14 * 24 * time.Hour
)

// when returns how well the time of an entry fits the times that the wording names: see
// fusion.Parts. nil: the wording names no time, or the entry's time is not known.
func (w *resolved) when(e *memory.Entry) *float64 {
	if len(w.named.spans) == 0 || e.OccurredAt.IsZero() && !w.named.inText[e.ID] {
		return nil
	}
	if w.named.inText[e.ID] {
		return new(1.0)
	}
	best := -1.0
	for _, s := range w.named.spans {
		at := whenOf(e.OccurredAt, timesOf(s.Span))
		if at > 0 {
			at *= s.sure
		}
		best = max(best, at)
	}
	return &best
}

// whenOf returns 1 for a moment within the times, 0.5 for one that overlaps them or is soon
// after them, -1 for one that is later than nearTime after them, and 0 for all others.
func whenOf(m memory.Moment, of times) float64 {
	span := of.instants
	if m.Dated() {
		span = of.days
	}
	from, until := m.Time, m.Until()
	switch {
	case !from.Before(span.From) && !until.After(span.Until):
		return 1
	case from.Before(span.Until) && until.After(span.From):
		return 0.5
	case !from.Before(span.Until) && from.Before(span.Until.Add(soonAfter)):
		return 0.5
	case from.After(span.Until.Add(nearTime)):
		return -1
	}
	return 0
}

// addDated sets the parts of the candidates' relevance that depend on time.
func (w *resolved) addDated(candidates []*candidate, found []assessment) {
	for i, c := range candidates {
		if !c.access.times {
			continue
		}
		found[i].When, found[i].AllOfThen = w.when(c.entry), w.named.onlyTimes
	}
}

// datedLists returns the lists of the dates leg: for each wording, the entries of the times
// that it names, taken alternately from the lexical and the vector list of these entries.
func (q *searchQuery) datedLists(byWords, byMeaning [][]legHit) []legList {
	lists := make([]legList, len(q.wordings))
	if q.page == nil && q.asksForDates() {
		for i, w := range q.wordings {
			for _, id := range w.named.entries {
				lists[i].hits = append(lists[i].hits, legHit{Entry: id})
			}
		}
		return lists
	}
	if byWords == nil && byMeaning == nil {
		return nil
	}
	for w := range q.wordings {
		var turns [2][]legHit
		if byWords != nil {
			turns[0] = byWords[w]
		}
		if byMeaning != nil {
			turns[1] = byMeaning[w]
		}
		listed := make(map[uuid.UUID]bool)
		for i := range max(len(turns[0]), len(turns[1])) {
			for _, hits := range turns {
				if i < len(hits) && !listed[hits[i].Entry] {
					listed[hits[i].Entry] = true
					hit := hits[i]
					hit.Score = 1 / float64(1+len(lists[w].hits))
					lists[w].hits = append(lists[w].hits, hit)
				}
			}
		}
	}
	return lists
}

// byTime returns the lists of the dates leg. If the question only asks what happened at some
// time, they are in chronological order.
func (q *searchQuery) byTime(lists []legList, visible map[uuid.UUID]*candidate) []legList {
	if !q.asksForDates() {
		return lists
	}
	lists = slices.Clone(lists)
	for l := range lists {
		hits := slices.DeleteFunc(slices.Clone(lists[l].hits), func(hit legHit) bool { return visible[hit.Entry] == nil })
		slices.SortFunc(hits, func(a, b legHit) int { return compareTime(visible[a.Entry].entry, visible[b.Entry].entry) })
		for i := range hits {
			hits[i].Score = 1 / float64(1+i)
		}
		lists[l].hits = hits
	}
	return lists
}

// compareTime orders entries by the time of what they describe, ties in compareOrder.
func compareTime(a, b *memory.Entry) int {
	return cmp.Or(happened(a).Compare(happened(b)), compareOrder(a, b))
}
