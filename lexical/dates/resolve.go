package dates

import "time"

// date returns a midnight in the location of the request.
func (p *parser) date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, p.now.Location())
}

// daysIn returns the number of days of a month.
func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// validDay reports whether the day exists. Without a year, 29 February does.
func (p *parser) validDay(d date) bool {
	year := d.year
	if year == 0 {
		year = 2024
	}
	return d.month >= 0 && d.month <= 12 && (d.day == 0 || d.month > 0) && (d.month == 0 || d.day <= daysIn(year, d.month))
}

// readings returns the spans that a date may mean: two if it is ambiguous.
func (p *parser) readings(d date) []Span {
	switch {
	case d.resolved:
		return []Span{d.span}
	case d.weekday > 0:
		return []Span{p.weekdaySpan(d)}
	case d.season > 0:
		return p.seasonSpans(d)
	}
	span := p.spanOf(d)
	if !d.swappable {
		return []Span{span}
	}
	d.day, d.month = d.month, d.day
	return []Span{span, p.spanOf(d)}
}

func (p *parser) weekdaySpan(d date) Span {
	days := p.monday() + d.weekday - 1
	switch {
	case d.shift == last && days >= 0, d.shift == latest && days > 0:
		days -= 7
	case d.shift == next && days <= 0:
		days += 7
	}
	from := p.now.AddDate(0, 0, days)
	return Span{From: from, Until: from.AddDate(0, 0, 1), Precision: Day, Relative: true}
}

// seasonSpans returns the three months of a season. The season across the end of a year
// has two spans: "winter 2025" may begin or end in 2025.
func (p *parser) seasonSpans(d date) []Span {
	month := 3 * d.season // March, June, September, December
	if isSouthern(p.now.Location()) {
		month = (month+5)%12 + 1
	}
	spanIn := func(year int) Span {
		return Span{From: p.date(year, month, 1), Until: p.date(year, month+3, 1), Precision: Season}
	}
	if d.year == 0 {
		return []Span{p.occurrence(d.shift, spanIn)}
	}
	if month == 12 {
		return []Span{spanIn(d.year - 1), spanIn(d.year)}
	}
	return []Span{spanIn(d.year)}
}

// spanOf returns the span of the parts that a date names.
func (p *parser) spanOf(d date) Span {
	spanIn := func(year int) Span {
		switch {
		case d.quarter > 0:
			return Span{From: p.date(year, 3*d.quarter-2, 1), Until: p.date(year, 3*d.quarter+1, 1), Precision: Quarter}
		case d.day > daysIn(year, max(d.month, 1)): // 29 February
			return Span{}
		case d.day > 0:
			return Span{From: p.date(year, d.month, d.day), Until: p.date(year, d.month, d.day+1), Precision: Day}
		case d.month > 0:
			return Span{From: p.date(year, d.month, 1), Until: p.date(year, d.month+1, 1), Precision: Month}
		}
		return Span{From: p.date(year, 1, 1), Until: p.date(year+1, 1, 1), Precision: Year}
	}
	if d.year == 0 {
		return p.occurrence(d.shift, spanIn)
	}
	return spanIn(d.year)
}

// occurrence returns, of a span that has one occurrence in each year, the one that s selects. in
// returns the occurrence in a year.
func (p *parser) occurrence(s shift, in func(year int) Span) Span {
	year := p.now.Year()
	if s == this {
		span := in(year)
		span.Relative = true
		return span
	}
	found, tomorrow := Span{}, p.now.AddDate(0, 0, 1)
	for y := year - 9; y <= year+9; y++ { // 29 February: eight years at most
		span := in(y)
		switch {
		case !span.From.Before(span.Until):
			continue
		case s == next && span.From.After(p.now):
			span.Relative = true
			return span
		case s == last && span.Until.Before(tomorrow), s == latest && span.From.Before(tomorrow):
			found = span
		}
	}
	found.Relative, found.AnyYear = s != latest, s == latest
	return found
}
