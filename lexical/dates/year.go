package dates

// yearOf returns the year at the token i, or 0.
func (p *parser) yearOf(i int) int {
	if i < 0 || i >= len(p.tokens) || p.tokens[i].shape != number || p.tokens[i].digits != 4 {
		return 0
	}
	if y := p.tokens[i].value; y >= minYear && y <= maxYear && p.clearAfter(i+1) {
		return y
	}
	return 0
}

// minYear and maxYear bound the years that digits may be.
const minYear, maxYear = 1900, 2100

// trailingYear returns the year at the token i, after a comma or a word such as "of", and
// the token after it; 0 and i if there is none.
func (p *parser) trailingYear(i int, in languages) (year, end int) {
	j := i
	if p.isMark(j, ".,/") && (j+1 >= len(p.tokens) || p.tokens[j+1].shape == number || p.is(j+1, kindOf, in)) {
		j++
	}
	if p.isMark(j, "-/") && p.isJoined(j) && p.isJoined(j+1) { // 9-Jul-2026
		j++
	}
	j = p.skip(j, in)
	if year = p.yearOf(j); year == 0 {
		return 0, i
	}
	if end = j + 1; p.isYearWord(end) && !p.is(end, kindUnit, load().bits["en"]) { // 2026 года
		end++
	}
	return year, end
}

// yearFirst reads a year before its month, or a month in digits with a mark: 2026. július
// 9., 2026年7月9日, 7月9日.
func (p *parser) yearFirst(i int, _ bool) (d date, ok bool) {
	d.in = anyLanguage
	j := i
	t := p.tokens[i]
	if t.shape == number && t.digits == 4 && t.value >= minYear && t.value <= maxYear && p.clearBefore(i) {
		j++
		switch {
		case p.is(j, kindYearMark, anyLanguage):
			_, d.in = p.find(j, kindYearMark, anyLanguage)
			d.year, j, d.end = t.value, j+1, j+1
		case p.isMark(j, ".") || p.is(j, kindOf, anyLanguage):
			j++
			fallthrough
		default:
			month, _, short, in := p.month(j, anyLanguage)
			if month == 0 || short && p.dayNumber(j+1) == 0 && !p.isMark(j+1, ".") {
				return d, false
			}
			d.year, d.month, d.in, d.end = t.value, month, in, j+1
			k := j + 1
			if short && p.isMark(k, ".") {
				k++
			}
			if day := p.dayNumber(k); day > 0 && (p.clearAfter(k+1) || p.isMark(k+1, ".-")) {
				d.day, d.end = day, k+1
				if p.isMark(d.end, ".") {
					d.end++
				}
			}
			return d, p.validDay(d)
		}
	}
	// Digits followed by a month mark.
	if n := p.dayNumber(j); n > 0 && n <= 12 && p.is(j+1, kindMonthMark, d.in) {
		_, d.in = p.find(j+1, kindMonthMark, d.in)
		d.month, j, d.end = n, j+2, j+2
		if n := p.dayNumber(j); n > 0 && p.is(j+1, kindDayMark, d.in) {
			d.day, d.end = n, j+2
		}
	} else if d.year > 0 {
		if month, _, _, in := p.month(j, d.in); month > 0 {
			d.month, d.end, d.in = month, j+1, in
		}
	}
	return d, (d.year > 0 || d.month > 0) && p.validDay(d)
}

// yearAlone reads a year after a word such as "in", or one that is the whole text.
func (p *parser) yearAlone(i int, within bool) (d date, ok bool) {
	d.year, d.end, d.in = p.yearOf(i), i+1, anyLanguage
	if d.year == 0 || !p.clearBefore(i) {
		return d, false
	}
	bits := load().bits
	if p.is(i+1, kindUnit, anyLanguage) {
		if unit, in := p.find(i+1, kindUnit, anyLanguage); unit == unitYear && in&bits["en"] == 0 { // 2023 году
			d.end = i + 2
			return d, true
		}
		return d, false
	}
	switch {
	case p.tokens[i].suffixed:
		return d, true
	case i == 0 && (len(p.tokens) == 1 || len(p.tokens) == 2 && p.tokens[1].shape == mark):
		return d, true
	case !within && !p.preposed(i, kindIn, anyLanguage) && !p.isYearWord(i-1):
		return d, p.order == dayFirst && p.isGermanYear(i)
	}
	return d, p.endsAt(i+1) || d.year%100 != 0 && !p.isCounted(i+1)
}

// isYearWord reports whether the token i is the word for a year, as in "vuonna 2023".
func (p *parser) isYearWord(i int) bool {
	unit, in := p.find(i, kindUnit, anyLanguage)
	return in != 0 && unit == unitYear
}

// isGermanYear reports whether the year i is a date although no word such as "in" precedes it,
// which German does not need. A capitalized word after the year would be a noun that it counts.
func (p *parser) isGermanYear(i int) bool {
	return p.hint&load().bits["de"] != 0 && p.hint != anyLanguage && !p.isName(i+1) && p.tokens[i].value%100 != 0
}

// isCounted reports whether the token i is a noun or unit that a number before it counts.
func (p *parser) isCounted(i int) bool {
	if i >= len(p.tokens) || p.tokens[i].shape != word {
		return false
	}
	t := p.text[p.tokens[i].start:p.tokens[i].end]
	return len(t) < 3 || t[len(t)-1] == 's' || counted[t]
}

// counted are nouns and units after numbers, in addition to plurals.
var counted = map[string]bool{
	"usd": true, "eur": true, "euro": true, "people": true, "children": true, "pixel": true, "watt": true, "game": true, "model": true, "edition": true, "men": true, "women": true,
	"Euro": true, "Stück": true, "Personen": true, "gram": true, "Meter": true, "meter": true, "рублей": true, "штук": true, "человек": true, "personer": true, "kronor": true, "kroner": true,
}
