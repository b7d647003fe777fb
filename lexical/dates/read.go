package dates

// date is a parsed date: the parts that were named, or the resolved span.
type date struct {
	year, month, day int // 0: not named
	season           int // 1 to 4, from spring
	quarter          int // 1 to 4
	weekday          int // 1 to 7, from Monday
	shift            shift
	swappable        bool // the day and the month may be exchanged
	span             Span // if resolved
	resolved         bool
	in               languages
	end              int // the token after the date
	before           int // number of its tokens before the one at which it was read: 1 for 2025 nyarán
}

// shift selects an occurrence of a date without a year.
type shift int8

const (
	latest shift = iota // the latest that is not in the future
	last                // the latest that is over
	this                // the one of this year or week
	next                // the first in the future
)

// dateAt reads the date at the token i. within reports whether the words before it
// announce a date.
func (p *parser) dateAt(i int, within bool) (d date, ok bool) {
	if i >= len(p.tokens) {
		return d, false
	}
	t := p.tokens[i]
	if t.shape == mark || t.shape == word && len(t.senses) == 0 {
		return d, false
	}
	for _, read := range [...]func(*parser, int, bool) (date, bool){
		(*parser).digits, (*parser).ago, (*parser).modified, (*parser).named, (*parser).yearFirst, (*parser).dayOf, (*parser).ofWeek, (*parser).monthOf, (*parser).seasonOf, (*parser).quarterOf, (*parser).yearAlone,
	} {
		if d, ok = read(p, i, within); ok {
			return d, true
		}
	}
	return d, false
}

// dayNumber returns the day of the month at the token i, or 0.
func (p *parser) dayNumber(i int) int {
	if i >= len(p.tokens) || p.tokens[i].shape != number || p.tokens[i].digits > 2 || p.tokens[i].value > 31 {
		return 0
	}
	return p.tokens[i].value
}

// month returns the month at the token i and its languages: if any of them is in p.hint, only
// those in p.hint. short reports whether the word is a month only next to a number ("mar"), weak
// whether it is short or has other meanings ("may").
func (p *parser) month(i int, in languages) (month int, weak, short bool, shared languages) {
	for _, s := range p.sensesAt(i) {
		if s.kind <= kindShortMonth && s.in&in != 0 && (month == 0 || month == int(s.value)) {
			month, shared = int(s.value), shared|s.in&in
		}
	}
	if p.hint&shared != 0 {
		shared &= p.hint
	}
	short = true
	for _, s := range p.sensesAt(i) {
		if s.kind <= kindShortMonth && s.in&shared != 0 && int(s.value) == month {
			weak = weak || s.kind == kindWeakMonth
			short = short && s.kind == kindShortMonth
		}
	}
	return month, weak || short, short && month > 0, shared
}

// dayOf reads a day before its month: 9 July 2026, 9. Juli, 9 de julio de 2026, the 9th of July.
func (p *parser) dayOf(i int, within bool) (d date, ok bool) {
	d.day = p.dayNumber(i)
	if d.day == 0 || !p.clearBefore(i) {
		return d, false
	}
	j := i + 1
	if p.isMark(j, ".") || p.isMark(j, "-/") && p.isJoined(j) && p.isJoined(j+1) {
		j++
	}
	from := p.skip(j, anyLanguage)
	var weak, short bool
	for ; j <= from; j++ { // "de" occurs within dates of languages other than the month's
		if d.month, weak, short, d.in = p.month(j, anyLanguage); d.month > 0 && p.skipped(i+1, j, d.in) {
			break
		}
	}
	if j > from {
		return d, false
	}
	capital := p.tokens[j].upper
	d.year, d.end = p.trailingYear(j+1, d.in)
	if d.year == 0 && short && p.isMark(d.end, ".") {
		d.end++
	}
	if weak && d.year == 0 && !within && !capital && !p.tokens[i].ordinal && !p.preposed(i, kindIn, d.in) && !p.endsAt(j+1) {
		return d, false
	}
	return d, true
}

// skipped reports whether all words of the tokens [i, j) may occur within dates of the
// languages.
func (p *parser) skipped(i, j int, in languages) bool {
	for ; i < j; i++ {
		if p.tokens[i].shape == word && !p.is(i, kindOf, in) {
			return false
		}
	}
	return true
}

// monthOf reads a month before its day or year, or alone: July 9th, 2026; July 2026; July.
func (p *parser) monthOf(i int, within bool) (d date, ok bool) {
	var weak, short bool
	if d.month, weak, short, d.in = p.month(i, anyLanguage); d.month == 0 || p.isJoined(i) && p.isMark(i-1, "/_@#.") {
		return d, false
	}
	j := i + 1
	if short && p.isMark(j, ".") {
		j++
	}
	if d.year, d.end = p.trailingYear(j, d.in); d.year > 0 {
		return d, true
	}
	if d.day, d.end = p.ideographicDay(i+1, d.in); d.day > 0 { // 五月四日
		return d, p.validDay(d)
	}
	k := p.skip(j, d.in)
	if p.isMark(j, "-") && p.isJoined(j) && p.isJoined(j+1) {
		k = j + 1
	}
	if day := p.dayNumber(k); day > 0 && (k == j || p.tokens[k].ordinal || p.isMark(j, "-")) && p.isDayAfter(k) {
		d.day = day
		d.year, d.end = p.trailingYear(k+1, d.in)
		sure := within || d.year > 0 || p.tokens[k].ordinal || p.endsAt(d.end) || p.preposed(i, kindIn, d.in)
		if !weak || sure || p.tokens[i].upper && !short {
			if d.year == 0 && p.isMark(d.end, ".") && p.isJoined(d.end) && d.in&load().bits["en"] == 0 {
				d.end++
			}
			return d, true
		}
		d.day = 0
	}
	d.end = i + 1
	return d, !short && p.isMonthAlone(i, weak, within, d.in)
}

// ideographicDay returns the day of the month written with ideographs at the token i, and
// the token after it; 0 if there is none.
func (p *parser) ideographicDay(i int, in languages) (day, end int) {
	for ; i < len(p.tokens) && day <= 31; i++ {
		if p.is(i, kindDayMark, in) && day > 0 {
			return day, i + 1
		}
		n, shared := p.find(i, kindNumber, in)
		if shared == 0 || !p.tokens[i].joined || !isIdeographic(p.text[p.tokens[i].start:]) {
			break
		}
		if n >= 10 { // 二十一 is 二 and 十一
			day, n = max(day, 1)*10, n-10
		}
		day += n
	}
	return 0, 0
}

// isDayAfter reports whether the number k after a month is a day rather than a time, a
// quantity or part of a longer number.
func (p *parser) isDayAfter(k int) bool {
	if p.isMark(k+1, ":") && p.isJoined(k+2) {
		return false
	}
	if p.isMark(k+1, ",") { // December 1,2023
		return p.yearOf(k+2) > 0 || !p.isJoined(k+2)
	}
	return p.isMark(k+1, "-") || p.clearAfter(k+1)
}

// isMonthAlone reports whether the word i surely is a month, without a day or a year.
func (p *parser) isMonthAlone(i int, weak, within bool, in languages) bool {
	switch {
	case p.isRecurring(i, in), p.isForeign(i, in):
		return false
	case !weak:
		return true
	case within:
		return p.endsAt(i+1) || !p.isName(i+1)
	}
	if unit, shared := p.find(i+1, kindUnit, in); shared != 0 && unit == unitMonth { // mart ayında
		return true
	}
	english := in&load().bits["en"] != 0
	before := i - 1
	if !english {
		return p.preposed(i, kindWeakIn, in)
	}
	if !p.is(before, kindWeakIn, in) && !p.isMark(before, "-") {
		return false
	}
	if p.isMark(before, "-") && !p.is(before-1, kindWeakIn, in) { // mid-August
		return false
	}
	return p.endsAt(i+1) && !p.isOf(i+1) || p.tokens[i+1].shape != mark && !p.isName(i+1) && p.text[p.tokens[before].start:p.tokens[before].end] == "in" && !p.isOf(i+1)
}

// isOf reports whether the token i is "of", as in "the march of the penguins".
func (p *parser) isOf(i int) bool {
	return i < len(p.tokens) && p.text[p.tokens[i].start:p.tokens[i].end] == "of"
}
