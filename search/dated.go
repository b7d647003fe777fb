package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/internal/period"
	"mneme/lexical"
	"mneme/lexical/dates"
	"mneme/memory"
	"mneme/vector"
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

// readDates reads the times that the wordings name.
//
// SECURITY: at level search dates count as words alone: when an entry happened is not shown.
func (q *searchQuery) readDates() {
	if q.request.NoDates || !q.scope.Any(readable) {
		return
	}
	zone := q.zone()
	for _, w := range q.wordings {
		var languages []string
		if w.language != "" {
			languages = []string{w.language}
		}
		w.named.read = dates.Read(w.text, languages, q.at.In(zone))
		for _, s := range w.named.read {
			w.named.spans = append(w.named.spans, meant(s)...)
		}
		w.named.alone = len(w.named.read) > 0 && lexical.AsksWhatHappened(without(w.text, w.named.read))
	}
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
	return !slices.ContainsFunc(q.wordings, func(w *wording) bool { return !w.named.alone })
}

// matchDates finds the entries of the times that the wordings name, within the scope, that
// pass the filter. A question for nothing else is answered by these.
func (s *Searcher) matchDates(ctx context.Context, tx memory.ReadTx, q *searchQuery) (err error) {
	if !slices.ContainsFunc(q.wordings, func(w *wording) bool { return len(w.named.spans) > 0 }) {
		return nil
	}
	ctx, end := s.startStep(ctx, "dates", &q.took.Dates)
	defer end(&err)
	for _, w := range q.wordings {
		if !w.named.alone || q.page != nil {
			if err := q.matchTimes(ctx, tx, w, w.named.spans); err != nil {
				return err
			}
			continue
		}
		for _, year := range byYear(w.named.spans) { // the latest of which there are entries
			if err := q.matchTimes(ctx, tx, w, year); err != nil {
				return err
			}
			if len(w.named.entries) > 0 {
				w.named.spans = year
				break
			}
		}
	}
	return nil
}

// matchTimes sets the entries of some spans that a wording names.
func (q *searchQuery) matchTimes(ctx context.Context, tx memory.ReadTx, w *wording, spans []namedSpan) (err error) {
	only := q.only
	if q.page != nil {
		only = q.page.IDs
	}
	w.named.entries, w.named.inText = nil, make(map[uuid.UUID]bool)
	if len(spans) == 0 || q.nothing || only != nil && len(only) == 0 {
		return nil
	}
	for _, match := range textsOf(w.text, spans) {
		ids, err := q.naming(ctx, tx, match, only)
		if err != nil {
			return err
		}
		for _, id := range ids {
			w.named.inText[id] = true
		}
	}
	if q.page != nil {
		return nil
	}
	w.named.entries, err = q.ofTimes(ctx, tx, spans, w.named.alone)
	for id := range w.named.inText {
		if w.named.entries != nil && !slices.Contains(w.named.entries, id) && len(w.named.entries) < vector.MaxOnly {
			w.named.entries = append(w.named.entries, id)
		}
	}
	slices.SortFunc(w.named.entries, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return err
}

// textBytes bounds what is read of values to find days in texts.
const textBytes = 32 << 20

// naming returns the entries whose text matches. A store in which that would cost too much is
// passed by: it must not decide what is found in the others.
func (q *searchQuery) naming(ctx context.Context, tx memory.ReadTx, match *lexical.Match, only []uuid.UUID) (all []uuid.UUID, err error) {
	scope := q.scope.Without(searchOnly)
	limits := memory.ReadingLimits{Bytes: min(textBytes, q.reading.Bytes), Time: q.reading.Time}
	all, _, err = q.matching(ctx, tx, scope, memory.Filter{Match: match}.Counted(limits), only)
	var broken *memory.RuleError
	if !errors.As(err, &broken) {
		return all, err
	}
	all = nil
	for _, a := range scope.Stores() {
		ids, _, err := q.matching(ctx, tx, ofStore(scope, a.Store), memory.Filter{Match: match}.Counted(limits.Part(scope.Len())), only)
		if err != nil && !errors.As(err, &broken) {
			return nil, err
		}
		if all = append(all, ids...); len(all) > vector.MaxOnly {
			return all[:vector.MaxOnly], nil
		}
	}
	return all, nil
}

// matching returns the entries of a scope that pass the request's filter and another one,
// of only some unless only is nil, at most vector.MaxOnly.
func (q *searchQuery) matching(ctx context.Context, tx memory.ReadTx, scope acl.Scope, filter memory.Filter, only []uuid.UUID) (ids []uuid.UUID, more bool, err error) {
	ids, more, err = filter.Searchable().Matching(ctx, tx, scope, only, vector.MaxOnly)
	if err != nil || len(ids) == 0 || q.only != nil || q.request.Filter.Empty() {
		return ids, more, err
	}
	ids, _, err = q.request.Filter.Searchable().Matching(ctx, tx, scope, ids, vector.MaxOnly)
	return ids, more, err
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

// ofTimes returns the entries of some spans; of more than vector.MaxOnly nil, or if earliest
// is true, those of the earliest part of the spans.
func (q *searchQuery) ofTimes(ctx context.Context, tx memory.ReadTx, spans []namedSpan, earliest bool) ([]uuid.UUID, error) {
	for {
		ids, more, err := q.matching(ctx, tx, q.scope.Without(searchOnly), memory.Filter{Where: ofSpans(spans)}, q.only)
		if err != nil || !more {
			return append([]uuid.UUID{}, ids...), err
		}
		if !earliest {
			return nil, nil
		}
		if spans = firstHalf(spans); spans == nil {
			return ids, nil
		}
	}
}

// firstHalf returns the first half of the days of some spans; nil if there are no more to
// leave out.
func firstHalf(spans []namedSpan) []namedSpan {
	first := slices.MinFunc(spans, func(a, b namedSpan) int { return a.From.Compare(b.From) })
	if len(spans) > 1 {
		return []namedSpan{first}
	}
	half := int(first.Until.Sub(first.From).Hours() / 48)
	if half == 0 {
		return nil
	}
	first.Until = first.From.AddDate(0, 0, half)
	return []namedSpan{first}
}

const (
	// maxDays is how many days are looked for in texts: those of a season. A longer span is
	// looked for by occurred_at and its words alone.
	maxDays = 93
	// otherYears is how many years before and after a day that a text names without one rule
	// that out, if the text names it with them.
	otherYears = 5
	// dayTerm is the one word that a text has of a day, however it is written: an index alone
	// finds it, where "2026-07-09" is a phrase of which the values are read, too.
	dayTerm = "20060102"
)

// textsOf returns what texts match that name a time of some spans of a question: a day with
// its year, however it is written (lexical.AnalysisVersion 6), and one without a year as the
// question has it.
func textsOf(question string, spans []namedSpan) (matches []*lexical.Match) {
	var any []string
	for _, s := range spans {
		of := timesOf(s.Span).days
		any = append(any, daysIn(of)...)
		if s.Precision != dates.Day || of.Until.Sub(of.From) > 24*time.Hour || s.Relative {
			continue
		}
		var none []string
		for n := 1; n <= otherYears; n++ {
			none = append(none, of.From.AddDate(-n, 0, 0).Format(dayTerm), of.From.AddDate(n, 0, 0).Format(dayTerm))
		}
		matches = appendMatch(matches, withoutYear(question[s.Start:s.End]), none)
	}
	for items := range slices.Chunk(any[:min(len(any), maxDays)], lexical.MaxMatchItems) {
		matches = appendMatch(matches, items, nil)
	}
	return matches
}

// appendMatch appends the match of texts that have any of some items, if there are any, and
// none of others.
func appendMatch(matches []*lexical.Match, any, none []string) []*lexical.Match {
	if len(any) == 0 {
		return matches
	}
	match, err := memory.NewMatch(nil, any, none)
	if err != nil {
		return matches // it has words that nothing matches
	}
	return append(matches, match)
}

// daysIn returns items of a match for the days of a span; none for those of a long one.
func daysIn(s period.Span) (items []string) {
	if s.Until.Sub(s.From) > maxDays*24*time.Hour {
		return nil
	}
	for d := s.From; d.Before(s.Until); d = d.AddDate(0, 0, 1) {
		items = append(items, d.Format(dayTerm))
	}
	return items
}

// withoutYear returns the words of a date without its year, in both orders: "3 December",
// "December 3".
func withoutYear(date string) []string {
	words := strings.FieldsFunc(date, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) == 4 && w[0] <= '9' })
	if len(words) < 2 || !strings.ContainsFunc(date, unicode.IsLetter) {
		return nil
	}
	phrase := strings.Join(words, " ")
	slices.Reverse(words)
	return []string{phrase, strings.Join(words, " ")}
}

// ofSpans is the condition that an entry is of one of some spans, or of a month or a year
// that one of them lies in.
func ofSpans(spans []namedSpan) *condition.Condition {
	operands := make([]condition.Operand, 0, 3*len(spans))
	for _, s := range spans {
		of := timesOf(s.Span)
		operands = append(operands, condition.Between(of.instants, of.days))
		y, m, _ := of.days.From.Date()
		for _, start := range []time.Time{time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)} {
			if start.Before(of.days.From) {
				operands = append(operands, condition.Between(period.Span{}, period.At(start)))
			}
		}
	}
	return condition.Compare(condition.OccurredAt, condition.In, operands...)
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

// What was said within a week after a time may well tell of it ("last Friday"), and what is
// two weeks from it may: docs/decisions/0088-questions-for-times.md.
const (
	soonAfter = 7 * 24 * time.Hour
	nearTime  = 14 * 24 * time.Hour
)

// when says of which time an entry is, for the times that the wording names: see
// fusion.Parts. nil: it is not known.
func (w *wording) when(e *memory.Entry) *float64 {
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

// whenOf returns 1 for a moment within the times, 0.5 for one that they lie in or that is soon
// after them, 0 for one near them, and -1 for all others.
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

// addDated sets what the parts of the relevance of candidates say of time.
func (w *wording) addDated(candidates []*candidate, found []assessment) {
	for i, c := range candidates {
		if searchOnly(*c.access) {
			continue
		}
		found[i].When, found[i].AllOfThen = w.when(c.entry), w.named.alone
	}
}

// datedLists returns the lists of the leg of the times that the wordings name: of each its
// entries, as the lists of words and of meaning within them have them by turns.
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

// sortByTime puts the hits of the leg of a question that asks for nothing but what was at
// some time in the order of time.
func (q *searchQuery) sortByTime(lists []legList, visible map[uuid.UUID]*candidate) {
	if !q.asksForDates() {
		return
	}
	for l, list := range lists {
		hits := slices.DeleteFunc(list.hits, func(hit legHit) bool { return visible[hit.Entry] == nil })
		slices.SortFunc(hits, func(a, b legHit) int { return compareTime(visible[a.Entry].entry, visible[b.Entry].entry) })
		for i := range hits {
			hits[i].Score = 1 / float64(1+i)
		}
		lists[l].hits = hits
	}
}

// compareTime orders entries by when what they describe happened, ties in compareOrder.
func compareTime(a, b *memory.Entry) int {
	return cmp.Or(happened(a).Compare(happened(b)), compareOrder(a, b))
}

// nearestThen returns the entry nearest to the times that a question asks for alone, of those
// that pass the filter and the caller may read; nil if there is none. It looks at twice as
// many days each time until there are some.
func (s *Searcher) nearestThen(ctx context.Context, tx memory.ReadTx, scope acl.Scope, q *searchQuery) (*memory.Entry, error) {
	spans := q.wordings[0].named.spans
	if len(spans) == 0 {
		return nil, nil
	}
	from, until := spans[0].From, spans[0].Until
	for days := 1; days <= maxNearest; days *= 2 {
		around := namedSpan{Span: dates.Span{From: dayBefore(from, days), Until: dayAfter(until, days)}}
		ids, _, err := q.matching(ctx, tx, q.scope.Without(searchOnly), memory.Filter{Where: ofSpans([]namedSpan{around})}, q.only)
		if err != nil {
			return nil, err
		}
		visible := make(map[uuid.UUID]*candidate, len(ids))
		if err := s.addVisible(ctx, tx, scope, q, ids, visible); err != nil {
			return nil, err
		}
		var nearest *memory.Entry
		for _, c := range visible {
			if c != nil && (nearest == nil || cmp.Or(cmp.Compare(apart(c.entry, from, until), apart(nearest, from, until)), compareOrder(c.entry, nearest)) < 0) {
				nearest = c.entry
			}
		}
		if nearest != nil {
			return nearest, nil
		}
	}
	return nil, nil
}

// maxNearest is how many days from the times that a question names an entry is looked for.
const maxNearest = 1 << 16

// apart returns how long an entry is before or after a span.
func apart(e *memory.Entry, from, until time.Time) time.Duration {
	return max(0, from.Sub(e.OccurredAt.Until()), e.OccurredAt.Time.Sub(until))
}

// dayBefore and dayAfter return the time so many days earlier or later, within the years of
// moments.
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

// dayOf returns the day of a moment in a zone; a year or month as it is.
func dayOf(m memory.Moment, zone *time.Location) memory.Moment {
	if m.Dated() {
		return m
	}
	y, month, d := m.Time.In(zone).Date()
	return memory.Moment{Time: time.Date(y, month, d, 0, 0, 0, 0, time.UTC), Precision: period.Day}
}
