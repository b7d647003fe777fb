package dates

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// NamedDay is a day that a text names with its month and year.
type NamedDay struct {
	// Start and End are the bytes of the text from the first word or digit of the day to its
	// last digit or, if a word such as "года" follows the year or day, to the end of that word,
	// [Start, End).
	Start, End       int
	Year, Month, Day int
}

// Digits returns the day in eight digits: 20260709.
func (d NamedDay) Digits() string { return fmt.Sprintf("%04d%02d%02d", d.Year, d.Month, d.Day) }

// beforeYear and afterYear are the maximum distances of the day and the month from their
// year, in bytes.
const beforeYear, afterYear = 48, 24

// Days returns the days that a text names unambiguously with month and year: "9 July
// 2026", "July 9th, 2026", "2026-07-09", "9. Juli 2026", "13/7/2026". The result does not
// depend on the language of the text, the time or the location. Days reads only the text
// near the four digits of a year; in a text without them it looks at the digits alone.
//
// The terms of texts depend on the result: a change of the result, or of the tables of
// words, changes lexical.AnalysisVersion and lexical.FormVersion.
func Days(text string) (found []NamedDay) {
	for from, to := nextYears(text, 0); to > 0; from, to = nextYears(text, to) {
		p := parser{text: text[from:to], now: time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC), hint: anyLanguage}
		p.tokenize(anyLanguage)
		for i := 0; i < len(p.tokens); {
			d, ok := p.fullDay(i)
			if !ok {
				i++
				continue
			}
			found = append(found, NamedDay{Start: from + p.tokens[i].start, End: from + p.lastDigit(i, d.end), Year: d.year, Month: d.month, Day: d.day})
			i = d.end
		}
	}
	return found
}

// fullDay reads a day with its month and year at the token i, if it has only one reading.
func (p *parser) fullDay(i int) (d date, ok bool) {
	t := p.tokens[i]
	if t.shape == mark || t.shape == code || t.shape == word && len(t.senses) == 0 {
		return d, false
	}
	for _, read := range [...]func(*parser, int, bool) (date, bool){(*parser).digits, (*parser).yearFirst, (*parser).dayOf, (*parser).monthOf} {
		if d, ok = read(p, i, true); ok {
			break
		}
	}
	if !ok || !p.validDay(d) || d.day == 0 || d.month == 0 || d.year == 0 || d.swappable {
		return d, false
	}
	if t.digits <= 2 && p.isMark(i+1, "./-") && p.isNumber(i+2) { // 9.7.2026 may be a version, 9-7-2026 two days
		return d, p.yearOf(d.end-1) > 0 && (t.value > 12 || p.tokens[i+2].value > 12)
	}
	return d, true
}

// isNumber reports whether the token i is a number.
func (p *parser) isNumber(i int) bool { return i < len(p.tokens) && p.tokens[i].shape == number }

// lastDigit returns the end of the last number in the tokens [i, end) or, if a word such as
// "года" follows the year or day, the end of that word.
func (p *parser) lastDigit(i, end int) int {
	if t := p.tokens[end-1]; t.shape == word {
		return t.end
	}
	for j := end - 1; j > i; j-- {
		if t := p.tokens[j]; t.shape == number {
			return t.start + int(t.digits)
		}
	}
	return p.tokens[end-1].end
}

// nextYears returns the next range of text, starting at from, that surrounds the digits of
// a year, or of several years near each other; 0, 0 if there is none.
func nextYears(text string, from int) (start, end int) {
	for i := from; i < len(text); {
		if text[i] < '0' || text[i] > '9' {
			i++
			continue
		}
		n := countDigits(text[i:])
		if end > 0 && i > end {
			break
		}
		if n == 4 && (text[i] == '1' && text[i+1] == '9' || text[i] == '2' && text[i+1] <= '1') {
			if end == 0 {
				start = wordStart(text, max(from, i-beforeYear))
			}
			end = min(len(text), i+n+afterYear)
		}
		i += n
	}
	if end == 0 {
		return 0, 0
	}
	return start, wordStart(text, end)
}

// wordStart returns an index at i or a little after it that is not within a word.
func wordStart(text string, i int) int {
	for limit := i + maxWord; i > 0 && i < len(text) && i < limit; i++ {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		r, _ := utf8.DecodeRuneInString(text[i:])
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if (foldRune(r) == 0 && !isDigit(r)) || (foldRune(before) == 0 && !isDigit(before)) {
			break
		}
	}
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
