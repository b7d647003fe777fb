package lexical

import "mneme/lexical/dates"

// A day matches however it is written: "9 July 2026", "July 9th, 2026", "2026-07-09" and "9.
// Juli 2026". In addition to its words, a text has the day's eight digits as a term: 20260709.
// Digits that may be another day or a version, such as 9.7.2026, have no such term.

// daysOf returns the days that a text names, in the order of the text.
func daysOf(text string) (days []grouped) {
	for _, day := range dates.Days(text) {
		days = append(days, grouped{start: day.Start, end: day.End, token: day.Digits()})
	}
	return days
}

// dayAt returns the day that begins at text[at:], and the days that begin after it.
func dayAt(days []grouped, at int) (day grouped, ok bool, rest []grouped) {
	for len(days) > 0 && days[0].start < at {
		days = days[1:] // it begins within a compound
	}
	if len(days) > 0 && days[0].start == at {
		return days[0], true, days[1:]
	}
	return day, false, days
}
