package dates

import "strings"

// digits reads a date in digits: 2026-07-09, 2026/07/09, 9.7.2026, 7/9/2026, 2026-07,
// 7/2026. After a word such as "on" the date needs no year: 9.7., 7/9.
func (p *parser) digits(i int, within bool) (d date, ok bool) {
	if p.tokens[i].shape != number || p.tokens[i].ordinal || !p.isMark(i+1, "./-") || !p.clearBefore(i) || p.isVersion(i) {
		return d, false
	}
	d.in = anyLanguage
	second := p.part(i+1, p.tokens[i+1].char)
	if second < 0 {
		return d, false
	}
	if third := p.part(second+1, p.tokens[i+1].char); third > 0 {
		d.end = third + 1
		return d, p.threeParts(&d, i, second, third) && p.clearDate(d.end) && p.validDay(d)
	}
	d.end = second + 1
	return d, p.twoParts(&d, i, second, within) && p.validDay(d)
}

// part returns the token of the number that follows the separator at the token i, -1 if there is
// none. Only a point may be followed by a space.
func (p *parser) part(i int, separator byte) int {
	if !p.isMark(i, string(separator)) || !p.tokens[i].joined || i+1 >= len(p.tokens) || p.tokens[i+1].shape != number {
		return -1
	}
	if !p.tokens[i+1].joined && (separator != '.' || p.tokens[i+1].start != p.tokens[i].end+1) {
		return -1
	}
	return i + 1
}

// clearDate reports whether a date ends before the token i. A time may follow it, as in
// 2026-07-09T10:00, but no further digits.
func (p *parser) clearDate(i int) bool {
	if p.isJoined(i) && p.tokens[i].shape == code {
		c := p.text[p.tokens[i].start]
		return c == 'T' || c == 't'
	}
	if p.isMark(i, ".") && i+1 < len(p.tokens) && p.tokens[i+1].shape == number {
		return !p.isJoined(i + 1)
	}
	return p.clearAfter(i)
}

func (p *parser) threeParts(d *date, i, second, third int) bool {
	a, b, c := p.tokens[i], p.tokens[second], p.tokens[third]
	separator := p.tokens[i+1].char
	switch {
	case a.digits == 4 && b.digits <= 2 && c.digits <= 2:
		d.year, d.month, d.day = a.value, b.value, c.value
	case a.digits > 2 || b.digits > 2:
		return false
	case c.digits == 4:
		d.year = c.value
		p.orderParts(d, a.value, b.value, separator)
	case c.digits == 2 && (separator == '/' || separator == '.' && a.digits == 2 && b.digits == 2):
		if d.year = 2000 + c.value; d.year > p.now.Year()+20 {
			d.year -= 100
		}
		p.orderParts(d, a.value, b.value, separator)
	default:
		return false
	}
	return minYear <= d.year && d.year <= maxYear
}

// orderParts sets the day and the month of a date whose first parts are a and b. If p.order
// leaves both orders possible, the date becomes swappable.
func (p *parser) orderParts(d *date, a, b int, separator byte) {
	d.day, d.month = a, b
	switch {
	case separator == '.' && b <= 12, a > 12, a == b:
	case b > 12:
		d.day, d.month = b, a
	case p.order == monthFirst && separator == '/':
		d.day, d.month = b, a
	case p.order == bothOrders && separator == '/':
		d.swappable = true
	}
}

func (p *parser) twoParts(d *date, i, second int, within bool) bool {
	a, b, separator := p.tokens[i], p.tokens[second], p.tokens[i+1].char
	english := p.isEnglish(i - 1)
	switch {
	case !p.tokens[second].joined:
		return false
	case a.digits == 4 && b.digits == 2 && separator != '.': // 2026-07
		d.year, d.month = a.value, b.value
	case a.digits <= 2 && b.digits == 4 && p.isMonthBefore(i, d.end, separator, within): // 7/2026
		d.year, d.month = b.value, a.value
	case a.digits > 2 || b.digits > 2 || !within && !p.isOn(i):
		return false
	case separator == '/':
		p.orderParts(d, a.value, b.value, separator)
		return p.endsAt(d.end) && p.clearAfter(d.end) || !english && p.clearAfter(d.end)
	case separator == '.' && !english && p.isMark(d.end, "."): // am 9.7.
		p.orderParts(d, a.value, b.value, separator)
		d.end++
		return !p.isJoined(d.end) || p.tokens[d.end].shape == mark
	case separator == '.' && !english && a.digits == 2 && b.digits == 2:
		p.orderParts(d, a.value, b.value, separator)
		return p.endsAt(d.end) && p.clearAfter(d.end)
	default:
		return false
	}
	return minYear <= d.year && d.year <= maxYear && d.month >= 1 && d.month <= 12 && p.clearDate(d.end)
}

// isMonthBefore reports whether the digits at the token i, which a year follows, are a month
// (7/2026) rather than part of a ratio or a decimal number. end is the token after the year.
func (p *parser) isMonthBefore(i, end int, separator byte, within bool) bool {
	two := p.tokens[i].digits == 2
	if within || p.preposed(i, kindIn, anyLanguage) {
		return separator == '/' || separator == '.' && two
	}
	return separator == '/' && (two || i == 0 && (end >= len(p.tokens) || p.tokens[end].shape == mark))
}

// isEnglish reports whether the token i, the word before a date without a year, is "on".
func (p *parser) isEnglish(i int) bool {
	return i >= 0 && strings.EqualFold(p.text[p.tokens[i].start:p.tokens[i].end], "on")
}

// isOn reports whether the token before i is a word that precedes days, such as "on".
func (p *parser) isOn(i int) bool {
	if i == 0 || p.tokens[i-1].shape != word {
		return false
	}
	switch p.text[p.tokens[i-1].start:p.tokens[i-1].end] {
	case "on", "On", "am", "Am", "vom", "zum", "bis", "le", "el", "il", "op", "den", "dia", "del", "au", "på", "data":
		return true
	}
	return p.is(i-1, kindSince, anyLanguage)
}

// isVersion reports whether the word before the token i marks the digits as a version.
func (p *parser) isVersion(i int) bool {
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		if p.tokens[j].shape != word {
			return false
		}
		if versionWords[foldWord(p.text[p.tokens[j].start:min(p.tokens[j].end, p.tokens[j].start+2*maxWord)])] {
			return true
		}
	}
	return false
}

// versionWords are words that precede versions.
var versionWords = func() map[string]bool {
	set := make(map[string]bool)
	for _, w := range []string{
		"v", "ver", "version", "versions", "release", "releases", "rev", "revision", "build", "tag", "firmware", "patch", "rc", "section", "chapter", "figure", "table",
		"versión", "versão", "versione", "verzió", "sürüm", "versiune", "versiunea", "versio", "versionen", "versie", "версия", "версии", "версию", "релиз", "релиза", "kapitel", "abschnitt",
	} {
		set[foldWord(w)] = true
	}
	return set
}()
