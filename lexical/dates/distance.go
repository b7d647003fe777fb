package dates

import "strings"

// distance reads a date given by its distance before or after another: the week before 3
// August, two days after 9 July.
func (p *parser) distance(i int) (span Span, end int) {
	n, j, in := p.amount(i, anyLanguage)
	if in == 0 {
		n, j, in = 0, i, anyLanguage
		if s, _, shared := p.shifted(i, in); shared != 0 && s == last { // last weekend before 10 April
			j, in = i+1, shared
		}
	}
	if weekday, shared := p.weekday(j, in); shared != 0 && n == 0 { // the Sunday before 25 October
		return p.weekdayDistance(j+1, weekday, shared)
	}
	for _, unit := range p.unitsAt(j) {
		shared := unit.in & in
		for _, s := range p.sensesAt(j + 1) {
			if s.kind != kindBefore && s.kind != kindAfter || s.in&shared == 0 || p.isFor(j+1) {
				continue
			}
			d, ok := p.dateAt(p.skip(j+2, s.in&shared), true)
			if !ok || d.swappable || d.weekday > 0 || d.season > 0 || !p.validDay(d) {
				continue
			}
			if span, ok = p.offsetSpan(p.readings(d)[0], n, int(unit.value), s.kind == kindBefore); ok {
				return span, d.end
			}
		}
	}
	return span, 0
}

// weekdayDistance reads the rest of "Friday before 3 July": the word at the token i and the
// date. It returns that Friday.
func (p *parser) weekdayDistance(i, weekday int, in languages) (span Span, end int) {
	for _, s := range p.sensesAt(i) {
		if s.kind != kindBefore && s.kind != kindAfter || s.in&in == 0 || p.isFor(i) {
			continue
		}
		d, ok := p.dateAt(p.skip(i+1, s.in&in), true)
		if !ok || d.day == 0 || d.swappable || !p.validDay(d) {
			continue
		}
		span = p.readings(d)[0]
		days := (weekday - int(span.From.Weekday()) + 7) % 7
		switch {
		case s.kind == kindBefore:
			days -= 7
		case days == 0:
			days = 7
		}
		span.From, span.Until = span.From.AddDate(0, 0, days), span.From.AddDate(0, 0, days+1)
		return span, d.end
	}
	return span, 0
}

// isFor reports whether the token i is "for" rather than "før", which folds to the same
// letters.
func (p *parser) isFor(i int) bool {
	return i < len(p.tokens) && strings.EqualFold(p.text[p.tokens[i].start:p.tokens[i].end], "for")
}

// offsetSpan returns the span that is n units before or after another; if n is 0, the unit next
// to it, as in "the week before 3 August".
func (p *parser) offsetSpan(of Span, n, unit int, before bool) (Span, bool) {
	sign, from := 1, of.Until
	if before {
		sign, from = -1, of.From
	}
	around := func(days int) {
		middle := of.From.AddDate(0, 0, days*n*sign)
		of.From, of.Until = middle.AddDate(0, 0, -days/2), middle.AddDate(0, 0, days/2+1)
	}
	next := func(years, months, days int) {
		if of.From, of.Until = from, from.AddDate(years, months, days); before {
			of.From, of.Until = from.AddDate(-years, -months, -days), from
		}
	}
	switch {
	case n > 99:
		return of, false
	case unit == unitDay && n > 0:
		around(1)
	case unit == unitDay:
		next(0, 0, 1)
	case unit == unitWeek && n > 0:
		around(7)
	case unit == unitWeek:
		next(0, 0, 7)
	case unit == unitMonth && n > 0:
		around(30)
	case unit == unitMonth:
		next(0, 1, 0)
	case unit == unitYear && n == 0:
		next(1, 0, 0)
	case unit == unitWeekend && n == 0:
		saturday := (int(from.Weekday()) + 1) % 7 // days since a Saturday
		if before {
			from = from.AddDate(0, 0, -saturday)
			if saturday < 2 {
				from = from.AddDate(0, 0, -7)
			}
		} else {
			from = from.AddDate(0, 0, (7-saturday)%7)
		}
		of.From, of.Until = from, from.AddDate(0, 0, 2)
	default:
		return of, false
	}
	of.Precision = Range
	return of, true
}
