package dates

import "time"

// amount reads a number of units at the token i, in digits or words: "two", "12". It returns the
// number, the token after it and its languages, which are 0 if there is no number.
func (p *parser) amount(i int, in languages) (n, end int, shared languages) {
	if i >= len(p.tokens) {
		return 0, i, 0
	}
	if t := p.tokens[i]; t.shape == number && !t.ordinal && t.digits <= 3 && t.value > 0 && p.clearBefore(i) {
		return t.value, i + 1, in
	}
	n, shared = p.find(i, kindNumber, in)
	if more, both := p.find(i+1, kindNumber, shared); both != 0 && more == few { // a few
		return some, i + 2, both
	}
	if n == few {
		n = some
	}
	return n, i + 1, shared
}

// some is the amount of words such as "a few", which name no number.
const some = 1 << 20

// ago reads how long ago: two weeks ago, vor zwei Wochen, két hete, неделю назад. If the clause
// ends after it, ago also reads how long it will be: in two weeks.
func (p *parser) ago(i int, _ bool) (d date, ok bool) {
	for _, s := range p.tokens[i].senses {
		if s.kind != kindAgoBefore && s.kind != kindInBefore {
			continue
		}
		n, j, in := p.amount(i+1, s.in)
		if in == 0 {
			continue
		}
		unit, in := p.find(j, kindUnit, in)
		if in == 0 {
			continue
		}
		if s.kind == kindAgoBefore {
			return p.distant(-n, unit, in, j+1)
		}
		if p.endsAt(j+1) && !p.is(j+1, kindAgoAfter, in) {
			return p.distant(n, unit, in, j+1)
		}
	}
	n, j, in := p.amount(i, anyLanguage)
	if in == 0 {
		n, j, in = 1, i, load().bits["ru"]
	} else if unit, in := p.find(j, kindAgoUnit, in); in != 0 && !p.is(j+1, kindAgoAfter, in) {
		return p.distant(-n, []int{unitDay, unitWeek, unitMonth, unitYear}[unit], in, j+1)
	}
	for _, s := range p.unitsAt(j) {
		shared := s.in & in
		if shared == 0 {
			continue
		}
		if p.is(j+1, kindAgoAfter, shared) {
			return p.distant(-n, int(s.value), shared, j+2)
		}
		if p.is(j+1, kindInAfter, shared) && p.tokens[j+1].shape == word {
			return p.distant(n, int(s.value), shared, j+2)
		}
	}
	return d, false
}

// unitsAt returns the units that the token i may be.
func (p *parser) unitsAt(i int) (units []sense) {
	if i >= len(p.tokens) {
		return nil
	}
	for _, s := range p.tokens[i].senses {
		if s.kind == kindUnit {
			units = append(units, s)
		}
	}
	return units
}

// distant returns the date that is n units from now: for days that very day, for weeks the seven
// days around it, for months and quarters the thirty days around it, for years the calendar
// year.
func (p *parser) distant(n, unit int, in languages, end int) (d date, ok bool) {
	d.in, d.end = in, end
	switch n {
	case -some:
		return p.someAgo(d, unit)
	case some:
		return d, false
	}
	switch unit {
	case unitDay:
		p.resolveDays(&d, n, n+1, Day)
	case unitWeek:
		p.resolveDays(&d, 7*n-3, 7*n+4, Week)
	case unitWeekend:
		p.weekend(&d, n)
	case unitMonth, unitQuarter:
		if unit == unitQuarter {
			n *= 3
		}
		middle := p.addMonths(n)
		p.resolve(&d, middle.AddDate(0, 0, -15), middle.AddDate(0, 0, 16), Month)
	case unitYear:
		p.resolveYear(&d, p.now.Year()+n)
	}
	return d, d.resolved
}

// someAgo resolves a date such as "a few weeks ago": two to five units.
func (p *parser) someAgo(d date, unit int) (date, bool) {
	switch unit {
	case unitDay:
		p.resolveDays(&d, -5, -1, Range)
	case unitWeek:
		p.resolveDays(&d, -5*7, -7-3, Range)
	case unitMonth:
		p.resolve(&d, p.addMonths(-5), p.addMonths(-1), Range)
	case unitYear:
		p.resolve(&d, p.date(p.now.Year()-5, 1, 1), p.date(p.now.Year()-1, 1, 1), Range)
	}
	return d, d.resolved
}

// addMonths returns the day n months from now, or the last day of a shorter month.
func (p *parser) addMonths(n int) time.Time {
	first := p.date(p.now.Year(), int(p.now.Month())+n, 1)
	return first.AddDate(0, 0, min(p.now.Day(), daysIn(first.Year(), int(first.Month())))-1)
}
