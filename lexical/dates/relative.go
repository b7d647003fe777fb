package dates

import "time"

// resolve sets the span of a date that depends on the day of the request.
func (p *parser) resolve(d *date, from, until time.Time, precision Precision) {
	d.span = Span{From: from, Until: until, Precision: precision, Relative: true}
	d.resolved = true
}

// resolveDays sets the span of a date given in days from now.
func (p *parser) resolveDays(d *date, from, until int, precision Precision) {
	if from < -maxDays || until > maxDays {
		return
	}
	p.resolve(d, p.now.AddDate(0, 0, from), p.now.AddDate(0, 0, until), precision)
}

// maxDays is the maximum distance of a date from now, in days.
const maxDays = 200 * 366

func (p *parser) resolveYear(d *date, year int) {
	if year < 1 {
		return
	}
	p.resolve(d, p.date(year, 1, 1), p.date(year+1, 1, 1), Year)
}

// shifted returns the shift that the token i names and its languages. rolling reports whether
// the period lasts until today, as in "the past week".
func (p *parser) shifted(i int, in languages) (s shift, rolling bool, shared languages) {
	if i < 0 || i >= len(p.tokens) {
		return latest, false, 0
	}
	for _, sense := range p.tokens[i].senses {
		if meant, ok := shifts[sense.kind]; ok && sense.in&in != 0 {
			return meant, sense.kind == kindPast, sense.in & in
		}
	}
	return latest, false, 0
}

// shifts maps kinds of words to their shifts.
var shifts = map[kind]shift{kindLast: last, kindPast: last, kindThis: this, kindNext: next}

// modified reads a date before or after a word such as "last": last Tuesday, le mois
// dernier, the last three days, les deux dernières semaines.
func (p *parser) modified(i int, _ bool) (d date, ok bool) {
	if i >= len(p.tokens) {
		return d, false
	}
	if s, rolling, in := p.shifted(i, anyLanguage); in != 0 {
		if d, ok = p.shiftedBefore(i, s, rolling, in); ok {
			return p.dayOfWeek(d), true
		}
	}
	if n, j, in := p.amount(i, anyLanguage); in != 0 { // les deux dernières semaines
		if s, _, in := p.shifted(j, in); in != 0 && s == last {
			if unit, in := p.find(j+1, kindUnit, in); in != 0 && in&load().bits["en"] == 0 {
				return p.rolling(n, unit, in, j+2)
			}
		}
	}
	bits := load().bits
	s, _, in := p.shifted(i+1, anyLanguage&^(bits["en"]|bits["zh"]|bits["ja"]|bits["ko"])) // le mois dernier
	if in == 0 || s == this && !p.is(i+1, kindThis, bits["ro"]) {
		return d, false
	}
	d, ok = p.shiftedAt(i, i+2, s, in)
	return p.dayOfWeek(d), ok
}

// shiftedBefore reads the date after a word such as "last" at the token i.
func (p *parser) shiftedBefore(i int, s shift, rolling bool, in languages) (d date, ok bool) {
	j := i + 1
	if n, k, shared := p.amount(j, in); shared != 0 && s == last { // the last three days
		if unit, shared := p.find(k, kindUnit, shared); shared != 0 && !p.isOf(k+1) {
			return p.rolling(n, unit, shared, k+1)
		}
	}
	english := in&load().bits["en"] != 0
	if rolling || english && s == last && p.text[p.tokens[max(i, 1)-1].start:p.tokens[max(i, 1)-1].end] == "the" {
		if unit, shared := p.find(j, kindUnit, in); shared != 0 && unit != unitDay && unit != unitWeekend && !p.isOf(j+1) {
			return p.rolling(1, unit, shared, j+1)
		}
	}
	if !p.is(j, kindUnit, in) {
		j = p.skip(j, in)
	}
	return p.shiftedAt(j, j+1, s, in)
}

// rolling returns the last n units until the end of today.
func (p *parser) rolling(n, unit int, in languages, end int) (d date, ok bool) {
	d.in, d.end = in, end
	if n == some {
		n = 5
	}
	switch unit {
	case unitDay:
		p.resolveDays(&d, -n, 1, Range)
	case unitWeek, unitWeekend:
		p.resolveDays(&d, -7*n, 1, Range)
	case unitMonth:
		p.resolve(&d, p.addMonths(-n), p.now.AddDate(0, 0, 1), Range)
	case unitQuarter:
		p.resolve(&d, p.addMonths(-3*n), p.now.AddDate(0, 0, 1), Range)
	case unitYear:
		p.resolve(&d, p.addMonths(-12*n), p.now.AddDate(0, 0, 1), Range)
	}
	return d, d.resolved
}

// shiftedAt reads the unit, weekday, month or season at the token i and applies the shift
// s.
func (p *parser) shiftedAt(i, end int, s shift, in languages) (d date, ok bool) {
	d.shift, d.end, d.in = s, end, in
	if unit, shared := p.find(i, kindUnit, in); shared != 0 {
		n := map[shift]int{last: -1, next: 1}[s]
		switch {
		case unit == unitDay, p.isOf(end):
			return d, false
		case unit == unitWeek:
			p.resolveDays(&d, p.monday()+7*n, p.monday()+7*n+7, Week)
		case unit == unitMonth:
			p.resolve(&d, p.date(p.now.Year(), int(p.now.Month())+n, 1), p.date(p.now.Year(), int(p.now.Month())+n+1, 1), Month)
		case unit == unitYear:
			p.resolveYear(&d, p.now.Year()+n)
		case unit == unitWeekend:
			p.weekend(&d, n)
		case unit == unitQuarter:
			first := (int(p.now.Month())-1)/3*3 + 1 + 3*n
			p.resolve(&d, p.date(p.now.Year(), first, 1), p.date(p.now.Year(), first+3, 1), Quarter)
		}
		return d, d.resolved
	}
	if weekday, shared := p.weekday(i, in); shared != 0 {
		d.weekday = weekday
		return d, true
	}
	if month, _, _, shared := p.month(i, in); shared != 0 {
		if year, after := p.trailingYear(end, shared); year > 0 { // this May 2026
			d.year, d.end = year, after
		}
		d.month = month
		return d, !p.isName(end) || d.year > 0
	}
	if season, shared := p.find(i, kindSeason, in); shared != 0 {
		d.season = season + 1
		return d, true
	}
	if season, shared := p.find(i, kindInSeason, in); shared != 0 {
		d.season = season + 1
		return d, true
	}
	return d, false
}

// named reads a day or year with a name relative to today, such as "yesterday".
func (p *parser) named(i int, _ bool) (d date, ok bool) {
	d.end = i + 1
	if days, in := p.find(i, kindDay, anyLanguage); in != 0 && !p.isForeign(i, in) {
		d.in = in
		p.resolveDays(&d, days, days+1, Day)
		return d, true
	}
	if years, in := p.find(i, kindFixed, anyLanguage); in != 0 {
		if part, ok := p.partOfYear(i+1, p.now.Year()+years, in); ok {
			return part, true
		}
		d.in = in
		p.resolveYear(&d, p.now.Year()+years)
		return d, d.resolved
	}
	return d, false
}

// partOfYear reads the day, month or season at the token i, in a year named before it
// relative to today: "tavaly nyáron", 去年7月.
func (p *parser) partOfYear(i, year int, in languages) (d date, ok bool) {
	i = p.skip(i, in)
	if i >= len(p.tokens) || p.tokens[i].shape == mark {
		return d, false
	}
	for _, read := range [...]func(*parser, int, bool) (date, bool){(*parser).yearFirst, (*parser).dayOf, (*parser).monthOf, (*parser).seasonOf} {
		if d, ok = read(p, i, true); ok && d.in&in != 0 && d.year == 0 && d.before == 0 {
			d.year = year
			span := p.readings(d)
			p.resolve(&d, span[len(span)-1].From, span[len(span)-1].Until, span[0].Precision)
			return d, span[0].From.Before(span[0].Until)
		}
	}
	return d, false
}
