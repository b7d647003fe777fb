package dates

// monday returns the Monday of this week, in days from now.
func (p *parser) monday() int { return -(int(p.now.Weekday()) + 6) % 7 }

// weekend sets the weekend n weeks from this one.
func (p *parser) weekend(d *date, n int) {
	saturday := p.monday() + 5 + 7*n
	p.resolveDays(d, saturday, saturday+2, Range)
}

// dayOfWeek returns the day of the week d if a weekday follows it, as in "last week Tuesday";
// otherwise d.
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

// weekday returns the weekday at the token i, from 1, Monday.
func (p *parser) weekday(i int, in languages) (weekday int, shared languages) {
	for _, k := range [...]kind{kindWeekday, kindWeakWeekday, kindShortWeekday} {
		if weekday, shared = p.find(i, k, in); shared != 0 {
			return weekday + 1, shared
		}
	}
	return 0, 0
}

// ofWeek reads a weekday, with the date that follows it, if any.
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
