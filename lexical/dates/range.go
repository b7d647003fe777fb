package dates

// rangeAt reads a date or a range of dates at the token i. It returns its readings, its
// first token and the token after it, 0 if there is no date.
func (p *parser) rangeAt(i int) (readings []Span, first, next int) {
	if t := p.tokens[i]; t.shape == mark || t.shape == word && len(t.senses) == 0 {
		return nil, 0, 0
	}
	for _, s := range p.tokens[i].senses {
		if s.kind != kindBetween && s.kind != kindFrom {
			continue
		}
		if span, end := p.pair(i+1, s.in, s.kind == kindBetween); end > 0 {
			return []Span{span}, i, end
		}
	}
	if span, end := p.distance(i); end > 0 {
		return []Span{span}, i, end
	}
	if span, end := p.open(i); end > 0 {
		return []Span{span}, i, end
	}
	if span, end := p.pair(i, anyLanguage, false); end > 0 {
		return []Span{span}, i, end
	}
	d, ok := p.dateAt(i, false)
	if !ok {
		d, ok = p.years(i)
	}
	if !ok {
		return nil, 0, 0
	}
	return p.readings(d), i - d.before, d.end
}

// years reads a range of years joined by a dash: 2019-2021.
func (p *parser) years(i int) (d date, ok bool) {
	if !p.isMark(i+1, "-") || !p.tokens[i+1].joined || !p.isJoined(i+2) || p.tokens[i].digits != 4 || !p.clearBefore(i) {
		return d, false
	}
	from, to := p.tokens[i].value, p.yearOf(i+2)
	if from < minYear || to <= from || from%100 == 0 && to%100 == 0 {
		return d, false
	}
	d.span = Span{From: p.date(from, 1, 1), Until: p.date(to+1, 1, 1), Precision: Range}
	d.resolved, d.end = true, i+3
	return d, true
}

// pair reads two dates joined by a word such as "to": 3 to 9 July, July 3–9, May to July
// 2026. The token i begins the first date or a word before it. If between is set, the
// joining word may be "and".
func (p *parser) pair(i int, in languages, between bool) (span Span, end int) {
	within := in != anyLanguage
	if within {
		i = p.skip(i, in)
	}
	a, ok := p.dateAt(i, within)
	if !ok || a.day == 0 && p.isDayOfRange(i, in, between) {
		if a, ok = (date{day: p.dayNumber(i), in: in, end: i + 1}), p.dayNumber(i) > 0 && p.clearStart(i); !ok {
			return span, 0
		}
		if p.isMark(a.end, ".") {
			a.end++
		}
	}
	j, shared := p.connector(a.end, a.in&in, between)
	if j == 0 {
		return span, 0
	}
	j = p.skip(j, shared)
	p.connected = j
	defer func() { p.connected = 0 }()
	if day := p.dayNumber(j); day > 0 && a.month > 0 && a.day > 0 && a.year == 0 { // July 3–9, 2026
		k := j + 1
		if p.isMark(k, ".") && shared&load().bits["en"] == 0 {
			k++
		}
		if month, _, _, _ := p.month(p.skip(k, shared), shared); month == 0 && p.clearAfter(k) {
			b := a
			b.day = day
			b.year, b.end = p.trailingYear(k, shared)
			a.year = b.year
			return p.join(a, b)
		}
	}
	b, ok := p.dateAt(j, true)
	if !ok || a.month == 0 && a.day > 0 && b.day == 0 {
		return span, 0
	}
	if a.weekday > 0 && b.weekday > 0 && !within { // Monday to Friday, of each week
		return Span{}, b.end
	}
	return p.join(a, b)
}

// isDayOfRange reports whether the token i is the first day of a range that names its month only
// once, as 3 in "3 to 9 July".
func (p *parser) isDayOfRange(i int, in languages, between bool) bool {
	if p.dayNumber(i) == 0 {
		return false
	}
	j := i + 1
	if p.isMark(j, ".") {
		j++
	}
	k, _ := p.connector(j, in, between)
	return k > 0
}

// clearStart reports whether the first day i of a range is not part of a longer number.
func (p *parser) clearStart(i int) bool {
	return p.clearBefore(i) && !p.isMark(i-1, ":") && !(p.isMark(i-1, "./-,") && p.tokens[i].joined)
}

// connector returns the token after the word or dash at the token i that joins the dates
// of a range, and its languages; 0 if there is none.
func (p *parser) connector(i int, in languages, between bool) (next int, shared languages) {
	if p.isMark(i, "-") {
		return i + 1, in
	}
	if _, shared = p.find(i, kindTo, in); shared != 0 {
		return i + 1, shared
	}
	if _, shared = p.find(i, kindAnd, in); shared != 0 && (between || p.isBetweenAfter(i+1, shared)) {
		return i + 1, shared
	}
	return 0, 0
}

// isBetweenAfter reports whether a word such as "között", which means "between" and follows the
// range, occurs within the next eight tokens.
func (p *parser) isBetweenAfter(i int, in languages) bool {
	for j := i; j < i+8; j++ {
		if p.is(j, kindBetweenAfter, in) {
			return true
		}
	}
	return false
}

// join returns the span from one date to another. Each date takes its missing parts from
// the other.
func (p *parser) join(a, b date) (span Span, end int) {
	if a.swappable || b.swappable { // 3/7–9/7: the same order for both
		a.swappable, b.swappable = false, false
	}
	if a.month == 0 && a.day > 0 {
		a.month = b.month
	}
	if a.month > 0 && b.month > 0 && !a.resolved && !b.resolved {
		turns := a.month > b.month || a.month == b.month && a.day > 0 && b.day > 0 && a.day > b.day
		switch {
		case a.year == 0 && b.year > 0:
			a.year = b.year
			if turns {
				a.year--
			}
		case a.year > 0 && b.year == 0:
			b.year = a.year
			if turns {
				b.year++
			}
		case a.year == 0:
			if turns && a.month == b.month {
				return span, 0
			}
			return p.joinAnyYear(a, b, turns)
		}
	}
	if !p.validDay(a) || !p.validDay(b) {
		return span, 0
	}
	from, until := p.readings(a)[0], p.readings(b)
	last := until[len(until)-1]
	span = Span{From: from.From, Until: last.Until, Precision: Range, Relative: from.Relative || last.Relative, AnyYear: from.AnyYear || last.AnyYear}
	if !span.From.Before(span.Until) || from.From.Equal(last.From) {
		return span, 0
	}
	return span, b.end
}

// joinAnyYear joins dates without a year.
func (p *parser) joinAnyYear(a, b date, turns bool) (span Span, end int) {
	if !p.validDay(a) || !p.validDay(b) {
		return span, 0
	}
	span = p.spanOf(a)
	if a.year = span.From.Year(); turns {
		b.year = a.year + 1
	} else {
		b.year = a.year
	}
	if !p.validDay(b) {
		return span, 0
	}
	span.Until, span.Precision = p.spanOf(b).Until, Range
	return span, b.end
}

// open reads "since", "before" or "after" and the date that follows, and returns the span that
// they name.
func (p *parser) open(i int) (span Span, end int) {
	for _, s := range p.tokens[i].senses {
		if s.kind != kindSince && s.kind != kindBefore && s.kind != kindAfter || p.isFor(i) {
			continue
		}
		d, ok := p.dateAt(p.skip(i+1, s.in), p.is(i, kindWeakIn, s.in) && s.in&load().bits["en"] == 0)
		if !ok || d.in&s.in == 0 || !p.validDay(d) {
			continue
		}
		readings := p.readings(d)
		span = readings[len(readings)-1]
		span.Precision = Range
		switch s.kind {
		case kindSince:
			span.Until, span.Relative = p.now.AddDate(0, 0, 1), true
		case kindBefore:
			span.From, span.Until = Earliest, span.From
		default:
			span.From, span.Until = span.Until, Latest
		}
		if span.From.Before(span.Until) {
			return span, d.end
		}
	}
	return span, 0
}

// sensesAt returns the senses of the token i.
func (p *parser) sensesAt(i int) []sense {
	if i < 0 || i >= len(p.tokens) {
		return nil
	}
	return p.tokens[i].senses
}
