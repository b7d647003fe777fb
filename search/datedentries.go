package search

import (
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

// matchDates returns the times that the wordings name with their entries, within the scope,
// that pass the filter. A question for nothing else is answered by these. nil: no wording
// names one.
func (s *Searcher) matchDates(ctx context.Context, tx memory.ReadTx, q *searchQuery) (dated []named, err error) {
	if !slices.ContainsFunc(q.wordings, func(w wording) bool { return len(w.named.spans) > 0 }) {
		return nil, nil
	}
	ctx, end := s.startStep(ctx, "dates", &tookOf(ctx).Dates)
	defer end(&err)
	dated = make([]named, len(q.wordings))
	for i := range q.wordings {
		w := &q.wordings[i]
		if !w.named.alone || q.page != nil {
			if dated[i], err = q.matchTimes(ctx, tx, w, w.named.spans); err != nil {
				return nil, err
			}
			continue
		}
		dated[i] = w.named
		for _, year := range byYear(w.named.spans) { // the latest of which there are entries
			found, err := q.matchTimes(ctx, tx, w, year)
			if err != nil {
				return nil, err
			}
			if dated[i].entries, dated[i].inText = found.entries, found.inText; len(found.entries) > 0 {
				dated[i] = found
				break
			}
		}
	}
	return dated, nil
}

// matchTimes returns the times that a wording names, of which some spans alone count, with
// the entries of these.
func (q *searchQuery) matchTimes(ctx context.Context, tx memory.ReadTx, w *wording, spans []namedSpan) (n named, err error) {
	only := q.only
	if q.page != nil {
		only = q.page.IDs
	}
	n = w.named
	n.spans, n.entries, n.inText = spans, nil, make(map[uuid.UUID]bool)
	if len(spans) == 0 || q.nothing || only != nil && len(only) == 0 {
		return n, nil
	}
	days, dates := textsOf(w.text, spans)
	ids, err := q.onDays(ctx, tx, days, only)
	if err != nil {
		return n, err
	}
	for _, match := range dates {
		found, err := q.naming(ctx, tx, match, only)
		if err != nil {
			return n, err
		}
		ids = append(ids, found...)
	}
	for _, id := range ids {
		n.inText[id] = true
	}
	if q.page != nil {
		return n, nil
	}
	n.entries, err = q.ofTimes(ctx, tx, spans, n.alone)
	for id := range n.inText {
		if n.entries != nil && !slices.Contains(n.entries, id) && len(n.entries) < vector.MaxOnly {
			n.entries = append(n.entries, id)
		}
	}
	slices.SortFunc(n.entries, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return n, err
}

// onDays returns the entries whose text has one of some days, of only some unless only is nil,
// at most vector.MaxOnly. Postings alone say it: see dayTerm.
func (q *searchQuery) onDays(ctx context.Context, tx memory.ReadTx, days []string, only []uuid.UUID) (ids []uuid.UUID, err error) {
	if len(days) == 0 {
		return nil, nil
	}
	terms := make([]lexical.QueryTerm, len(days))
	for i, day := range days {
		terms[i] = lexical.QueryTerm{Text: day, Weight: 1}
	}
	found, _, err := tx.Lexical(ctx, q.scope, memory.LexicalQuery{Terms: terms, Limit: vector.MaxOnly, Only: only, Now: q.at})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	for _, hit := range found {
		ids = append(ids, hit.Entry)
	}
	if q.only == nil && !q.request.Filter.Empty() {
		ids, _, err = q.request.Filter.Searchable().Matching(ctx, tx, q.scope, ids, vector.MaxOnly)
	}
	return ids, err
}

// textBytes bounds what is read of values to find days in texts.
const textBytes = 32 << 20

// naming returns the entries whose text matches. A store in which that would cost too much is
// passed by: it must not decide what is found in the others.
func (q *searchQuery) naming(ctx context.Context, tx memory.ReadTx, match *lexical.Match, only []uuid.UUID) (all []uuid.UUID, err error) {
	scope := q.scope
	limits := memory.ConditionLimits{Bytes: min(textBytes, q.reading.Bytes), Time: q.reading.Time}
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

// ofTimes returns the entries of some spans; of more than vector.MaxOnly nil, or if earliest
// is true, those of the earliest part of the spans.
func (q *searchQuery) ofTimes(ctx context.Context, tx memory.ReadTx, spans []namedSpan, earliest bool) ([]uuid.UUID, error) {
	for {
		ids, more, err := q.matching(ctx, tx, q.scope, memory.Filter{Where: ofSpans(spans)}, q.only)
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
	// dayTerm is the one term that a text has of a day, however it is written.
	dayTerm = "20060102"
)

// textsOf returns what texts have that name a time of some spans of a question: a day with its
// year, however it is written (lexical.AnalysisVersion 6), ascending and each once, or what
// matches one without a year, as the question has it.
func textsOf(question string, spans []namedSpan) (days []string, matches []*lexical.Match) {
	for _, s := range spans {
		of := timesOf(s.Span).days
		days = append(days, daysIn(of)...)
		if s.Precision != dates.Day || of.Until.Sub(of.From) > 24*time.Hour || s.Relative {
			continue
		}
		var none []string
		for n := 1; n <= otherYears; n++ {
			none = append(none, of.From.AddDate(-n, 0, 0).Format(dayTerm), of.From.AddDate(n, 0, 0).Format(dayTerm))
		}
		matches = appendMatch(matches, withoutYear(question[s.Start:s.End]), none)
	}
	days = days[:min(len(days), maxDays)]
	slices.Sort(days)
	return slices.Compact(days), matches
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

// daysIn returns the terms of the days of a span; none for those of a long one.
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
