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

// matchDates returns the times that the wordings name, with the entries of those times that
// are in the scope and pass the filter. If a question asks for nothing else, these entries
// answer it. It returns nil if no wording names a time.
func (s *Searcher) matchDates(ctx context.Context, tx memory.ReadTx, q *searchQuery) (dated []named, err error) {
	if !slices.ContainsFunc(q.wordings, func(w wording) bool { return len(w.named.spans) > 0 }) {
		return nil, nil
	}
	ctx, end := s.startStep(ctx, "dates", &tookOf(ctx).Dates)
	defer end(&err)
	dated = make([]named, len(q.wordings))
	for i := range q.wordings {
		w := &q.wordings[i]
		if !w.named.onlyTimes || q.page != nil {
			if dated[i], err = q.matchTimes(ctx, tx, w, w.named.spans); err != nil {
				return nil, err
			}
			continue
		}
		dated[i] = w.named
		for _, year := range byYear(w.named.spans) { // use the latest year that has entries
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

// matchTimes returns the times that a wording names, restricted to some spans, with the
// entries of these spans.
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
	n.entries, err = q.ofTimes(ctx, tx, spans, n.onlyTimes)
	for id := range n.inText {
		if n.entries != nil && !slices.Contains(n.entries, id) && len(n.entries) < vector.MaxOnly {
			n.entries = append(n.entries, id)
		}
	}
	slices.SortFunc(n.entries, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return n, err
}

// onDays returns at most vector.MaxOnly entries whose text names one of some days, which are
// given by their terms (dayTerm). Unless only is nil, it returns only entries of only.
func (q *searchQuery) onDays(ctx context.Context, tx memory.ReadTx, days []string, only []uuid.UUID) (ids []uuid.UUID, err error) {
	if len(days) == 0 {
		return nil, nil
	}
	terms := make([]lexical.QueryTerm, len(days))
	for i, day := range days {
		terms[i] = lexical.QueryTerm{Text: day, Weight: 1}
	}
	found, _, err := tx.Lexical(ctx, q.scope, memory.LexicalQuery{Terms: terms, Limit: vector.MaxOnly, Only: only, Now: q.at})
	if err != nil {
		return nil, err
	}
	for _, hit := range found {
		ids = append(ids, hit.Entry)
	}
	return q.passing(ctx, tx, q.scope, ids)
}

// textBytes bounds the bytes of values that are read to find days in texts.
const textBytes = 32 << 20

// naming returns the entries whose text matches. It skips a store in which matching would read
// too much, so that this store does not decide what is found in the others.
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

// matching returns the entries of a scope that pass the request's filter and another one, at
// most vector.MaxOnly. Unless only is nil, it returns only entries of only.
func (q *searchQuery) matching(ctx context.Context, tx memory.ReadTx, scope acl.Scope, filter memory.Filter, only []uuid.UUID) (ids []uuid.UUID, more bool, err error) {
	if ids, more, err = filter.Searchable().Matching(ctx, tx, scope, only, vector.MaxOnly); err != nil {
		return ids, more, err
	}
	ids, err = q.passing(ctx, tx, scope, ids)
	return ids, more, err
}

// passing returns those of entries of a scope that pass the request's filter.
func (q *searchQuery) passing(ctx context.Context, tx memory.ReadTx, scope acl.Scope, ids []uuid.UUID) ([]uuid.UUID, error) {
	if len(ids) == 0 || q.only != nil || q.request.Filter.Empty() {
		return ids, nil
	}
	ids, _, err := q.request.Filter.Searchable().Matching(ctx, tx, scope, ids, vector.MaxOnly)
	return ids, err
}

// ofTimes returns the entries of some spans. If there are more than vector.MaxOnly, it returns
// nil, or if earliest is true, the entries of the earliest part of the spans.
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

// firstHalf returns the first half of the days of some spans; nil if they cannot be halved.
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
	// maxDays is the length in days of the longest span whose days a search looks for in texts:
	// a season. It finds entries of a longer span only by occurred_at and by the words of the
	// question.
	maxDays = 93
	// A text that names a day without a year does not match if it also names that day in a year
	// that is at most otherYears before or after one that may be meant. If it names the day that
	// is meant, onDays finds it; otherwise it is about another year.
	otherYears = 5
	// dayTerm is the layout of the single term for a day, however the text writes the day.
	dayTerm = "20060102"
)

// textsOf returns what to look for in texts to find the times that a question names by spans:
// days are the terms of days with their year (lexical.AnalysisVersion 6), ascending and each
// once; matches find a day without a year, such as "3 December", as the question writes it.
func textsOf(question string, spans []namedSpan) (days []string, matches []*lexical.Match) {
	withYear := make(map[[2]int][]string) // the terms of a day with its years, by its place in the question
	var places [][2]int
	for _, s := range spans {
		of := timesOf(s.Span).days
		days = append(days, daysIn(of)...)
		if s.Precision != dates.Day || of.Until.Sub(of.From) > 24*time.Hour || s.Relative {
			continue
		}
		place := [2]int{s.Start, s.End}
		if withYear[place] == nil {
			places = append(places, place)
		}
		for n := -otherYears; n <= otherYears; n++ {
			withYear[place] = append(withYear[place], of.From.AddDate(n, 0, 0).Format(dayTerm))
		}
	}
	for _, place := range places {
		matches = appendMatch(matches, withoutYear(question[place[0]:place[1]]), distinct(withYear[place]))
	}
	return distinct(days[:min(len(days), maxDays)]), matches
}

// distinct sorts items and returns each once.
func distinct(items []string) []string {
	slices.Sort(items)
	return slices.Compact(items)
}

// appendMatch appends a match for texts that have one of the items in any and do not have
// those in none. It appends nothing if any is empty.
func appendMatch(matches []*lexical.Match, any, none []string) []*lexical.Match {
	if len(any) == 0 {
		return matches
	}
	match, err := memory.NewMatch(nil, any, none)
	if err != nil {
		return matches // no text matches its words
	}
	return append(matches, match)
}

// daysIn returns the terms of the days of a span; none if it is longer than maxDays.
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

// ofSpans returns the condition that occurred_at is in one of the spans, or is the month or year
// in which one of them begins.
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
