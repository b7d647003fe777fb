package dates

import "time"

// amount reads a number of units at the token i, in digits or words: "two", "12".
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

// some is an amount that is not known.
const some = 1 << 20

// ago reads how long ago: two weeks ago, vor zwei Wochen, két hete, неделю назад; and how
// long it will be, where a clause ends with it: in two weeks.
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

// distant returns the date that is n units from now: a day exactly; the seven days around
// a week, the thirty around a month; a year of the calendar.
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

// someAgo resolves a date some units ago: two to five.
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

// resolve sets the span of a date that depends on the day of the request.
func (p *parser) resolve(d *date, from, until time.Time, precision Precision) {
	d.span = Span{From: from, Until: until, Precision: precision, Relative: true}
	d.resolved = true
}

// resolveDays sets the span of a date of days from now.
func (p *parser) resolveDays(d *date, from, until int, precision Precision) {
	if from < -maxDays || until > maxDays {
		return
	}
	p.resolve(d, p.now.AddDate(0, 0, from), p.now.AddDate(0, 0, until), precision)
}

// maxDays is how far a date of days from now may be away.
const maxDays = 200 * 366

func (p *parser) resolveYear(d *date, year int) {
	if year < 1 {
		return
	}
	p.resolve(d, p.date(year, 1, 1), p.date(year+1, 1, 1), Year)
}

// monday returns how many days from now the Monday of this week is.
func (p *parser) monday() int { return -(int(p.now.Weekday()) + 6) % 7 }

// weekend sets the weekend of n weeks from this one.
func (p *parser) weekend(d *date, n int) {
	saturday := p.monday() + 5 + 7*n
	p.resolveDays(d, saturday, saturday+2, Range)
}

// shifted returns the shift that the token i says, "rolling" for one that says "until
// today", and its languages.
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

// shifts are the shifts that words say, by their kind.
var shifts = map[kind]shift{kindLast: last, kindPast: last, kindThis: this, kindNext: next}

// modified reads what a word such as "last" is before or behind: last Tuesday, le mois
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

// dayOfWeek returns the weekday of a week that was read, if one is named behind it: last
// week Tuesday.
func (p *parser) dayOfWeek(d date) date {
	if !d.resolved || d.span.Precision != Week {
		return d
	}
	i := p.skip(d.end, d.in)
	if weekday, shared := p.weekday(i, d.in); shared != 0 && !p.is(i, kindShortWeekday, shared) {
		p.resolve(&d, d.span.From.AddDate(0, 0, weekday-1), d.span.From.AddDate(0, 0, weekday), Day)
		d.end = i + 1
	}
	return d
}

// shiftedBefore reads what is behind a word such as "last" at the token i.
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

// shiftedAt reads the unit, weekday, month or season at the token i, which a word such as
// "last" shifts.
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

// weekday returns the weekday that the token i is, from 1, Monday.
func (p *parser) weekday(i int, in languages) (weekday int, shared languages) {
	for _, k := range [...]kind{kindWeekday, kindWeakWeekday, kindShortWeekday} {
		if weekday, shared = p.find(i, k, in); shared != 0 {
			return weekday + 1, shared
		}
	}
	return 0, 0
}

// named reads a day that has a name from today, such as "yesterday", or such a year.
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

// partOfYear reads the day, month or season at the token i of a year that was named before
// it from today: "tavaly nyáron", 去年7月.
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

// ofWeek reads a weekday, with the date that follows it if there is one.
func (p *parser) ofWeek(i int, within bool) (d date, ok bool) {
	weekday, in := p.weekday(i, anyLanguage)
	if in == 0 || p.isRecurring(i, in) {
		return d, false
	}
	j := i + 1
	if p.isMark(j, ".,") {
		j++
	}
	for k := p.skip(j, in); j <= k && j < len(p.tokens); j++ {
		if t := p.tokens[j]; t.shape != number && !p.is(j, kindMonth, in) && !p.is(j, kindWeakMonth, in) && !p.is(j, kindShortMonth, in) {
			continue
		}
		if d, ok = p.dateAt(j, true); ok && d.day > 0 {
			return d, true
		}
	}
	if week, ok := p.modified(p.skip(i+1, in), true); ok && week.in&in != 0 && week.resolved && week.span.Precision == Week { // Tuesday last week
		p.resolve(&week, week.span.From.AddDate(0, 0, weekday-1), week.span.From.AddDate(0, 0, weekday), Day)
		return week, true
	}
	d = date{weekday: weekday, end: i + 1, in: in}
	english := in&load().bits["en"] != 0
	switch {
	case p.isForeign(i, in), p.tokens[i].upper && p.isName(i-1) && in&(load().bits["en"]|load().bits["de"]) == 0: // Placido Domingo
		return d, false
	case p.is(i, kindShortWeekday, in):
		return d, false
	case p.is(i, kindWeakWeekday, in):
		return d, within || p.preposed(i, kindIn, in)
	case !english:
		return d, !p.is(i-1, kindOf, in) || p.is(i-1, kindIn, in) || p.endsAt(i+1)
	case p.isNamedDay(i):
		return d, false
	case within, p.tokens[i].suffixed:
		return d, true
	}
	return d, p.preposed(i, kindIn, in) && !p.is(i-1, kindOf, in&load().bits["en"]) || p.endsAt(i+1) && !p.isName(i-1)
}

// isNamedDay reports whether the weekday i is part of a name: Black Friday.
func (p *parser) isNamedDay(i int) bool {
	if i == 0 || p.tokens[i-1].shape != word {
		return false
	}
	switch foldWord(p.text[p.tokens[i-1].start:min(p.tokens[i-1].end, p.tokens[i-1].start+2*maxWord)]) {
	case "black", "good", "cyber", "super", "fat", "bloody", "palm", "easter", "ash", "shrove", "holy", "maundy", "whit", "casual", "giving", "any":
		return true
	}
	return false
}
