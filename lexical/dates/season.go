package dates

import "strings"

// seasonOf reads a season with its year, or after a word such as "in": summer 2025, im
// Sommer.
func (p *parser) seasonOf(i int, within bool) (d date, ok bool) {
	season, in := p.find(i, kindSeason, anyLanguage)
	own, inItself := p.find(i, kindInSeason, anyLanguage)
	if in == 0 && inItself == 0 {
		return d, false
	}
	if in == 0 {
		season, in = own, inItself
	}
	d.season, d.in = season+1, in
	if d.year, d.end = p.trailingYear(i+1, in|inItself); d.year > 0 {
		if p.isMark(d.end, "/") && p.isJoined(d.end) && p.isJoined(d.end+1) && p.tokens[d.end+1].shape == number { // winter 2025/26
			d.end += 2
			return d, d.season == 4
		}
		return d, true
	}
	d.end = i + 1
	if year := p.yearOf(i - 1); year > 0 && p.clearBefore(i-1) { // 2025 nyarán
		d.year, d.before = year, 1
		return d, true
	}
	switch {
	case p.isRecurring(i, in), p.isForeign(i, in|inItself):
		return d, false
	case inItself != 0:
		return d, true
	case !within && !p.isInSeason(i, in):
		return d, false
	}
	return d, in&load().bits["en"] == 0 || p.endsAt(i+1)
}

// isInSeason reports whether a word such as "in" precedes the season i. A word such as
// "of" does not suffice: the summer house is no date.
func (p *parser) isInSeason(i int, in languages) bool {
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if p.isMark(j, "'") { // pendant l'hiver
			continue
		}
		if genitives[strings.ToLower(p.text[p.tokens[j].start:p.tokens[j].end])] {
			return false
		}
		if p.is(j, kindWeakIn, in) {
			return true
		}
		if !p.is(j, kindOf, in) {
			return false
		}
	}
	return false
}

// genitives are words for "of", and for "for", of languages in which they precede dates.
var genitives = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq("of for de del do da di d du des van von vom av af lui para pour per für voor") {
		set[w] = true
	}
	return set
}()

// quarterOf reads a quarter of a year: Q3 2025, 3. Quartal 2025. It does not read "last
// quarter".
func (p *parser) quarterOf(i int, within bool) (d date, ok bool) {
	t, text := p.tokens[i], p.text[p.tokens[i].start:p.tokens[i].end]
	d.in, d.end = anyLanguage, i+1
	bits := load().bits
	switch {
	case t.shape == code && len(text) == 2 && '1' <= text[1] && text[1] <= '4' &&
		(text[0] == 'Q' || text[0] == 'q' || text[0] == 'T' && p.hint != anyLanguage && p.hint&(bits["fr"]|bits["es"]|bits["pt"]|bits["it"]) != 0):
		d.quarter = int(text[1] - '0')
	case t.shape == number && 1 <= t.value && t.value <= 4 && t.digits == 1:
		j := i + 1
		if p.isMark(j, ".") {
			j++
		}
		unit, in := p.find(j, kindUnit, anyLanguage)
		if unit != unitQuarter || in == 0 || !t.ordinal && j == i+1 {
			return d, false
		}
		d.quarter, d.in, d.end = t.value, in, j+1
		within = true
	default:
		return d, false
	}
	if year, end := p.trailingYear(d.end, d.in); year > 0 {
		d.year, d.end = year, end
		return d, true
	}
	if year := p.yearOf(i - 1); year > 0 && p.clearBefore(i-1) {
		d.year, d.before = year, 1
		return d, true
	}
	return d, within || p.preposed(i, kindIn, anyLanguage) && p.endsAt(i+1)
}
