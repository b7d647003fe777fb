package period

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Formats of dates and times in texts of people and programs, without commas, days of the
// week, ordinals and remarks.
var (
	dayForms = []string{
		time.DateOnly, "2006/01/02", "2006/1/2", "2 January 2006", "2 Jan 2006", "January 2 2006", "Jan 2 2006", "2-January-2006", "2-Jan-2006",
	}
	monthForms = []string{"2006/01", "January 2006", "Jan 2006"}
	clockForms = []string{"15:04:05", "15:04", "3:04:05 PM", "3:04:05PM", "3:04 PM", "3:04PM", "3 PM", "3PM"}
	zoneForms  = []string{"Z07:00", "Z0700", " Z07:00", " Z0700", " GMT-0700"}
)

var (
	weekday = regexp.MustCompile(`^(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.? `)
	ordinal = regexp.MustCompile(`^(.* )?(\d{1,2})(?:st|nd|rd|th)(?: of)? `)
	remark  = regexp.MustCompile(` \([^()]*\)$`)
	// clockFirst matches "1:56 pm on 8 May 2023", yearLast "Jun 30 12:00:00 2026".
	clockFirst = regexp.MustCompile(`^(\d{1,2}(?::\d{2}){0,2} ?(?:AM|PM)?) on (.+)$`)
	yearLast   = regexp.MustCompile(`^([A-Za-z]+ \d{1,2}) (\d{2}:\d{2}:\d{2})( UTC| GMT)? (\d{4})$`)
	digits     = regexp.MustCompile(`^-?\d{9,16}(\.\d+)?$`)
)

// maxText is the maximum length of a text that Read parses, in bytes.
const maxText = 100

// Read parses the formats of Parse and the usual formats of dates and times: 2026/06/30,
// 30 June 2026, June 30, 2026, June 2026, each except the last with a time of 24 or 12
// hours; those of RFC 1123, of Unix, JavaScript and Python; and seconds, milliseconds or
// microseconds since 1970, of at least 9 digits. It rejects ambiguous dates, such as
// 03/04/2026. Names of months are English.
func Read(text string) (p Period, ok bool) {
	if text = strings.TrimSpace(text); len(text) > maxText {
		return Period{}, false
	}
	if p, ok := Parse(text); ok {
		return p, true
	}
	if digits.MatchString(text) {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return Period{}, false
		}
		return Unix(n)
	}
	text = plain(text)
	for _, form := range monthForms {
		if t, err := time.Parse(form, text); err == nil {
			return Period{Precision: Month, Local: true, wall: t}, true
		}
	}
	for _, form := range dayForms {
		if t, err := time.Parse(form, text); err == nil {
			return Period{Precision: Day, Local: true, wall: t}, true
		}
	}
	return readTime(text)
}

// plain normalizes a text for the formats.
func plain(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, ",", " ")), " ")
	text = weekday.ReplaceAllString(remark.ReplaceAllString(text, ""), "")
	text = ordinal.ReplaceAllString(text, "$1$2 ")
	text = strings.NewReplacer(" a.m.", " AM", " p.m.", " PM", "am", "AM", "pm", "PM", "Sept ", "Sep ", " at ", " ").Replace(text)
	text = clockFirst.ReplaceAllString(text, "$2 $1")
	return yearLast.ReplaceAllString(text, "$1 $4 $2$3")
}

// readTime parses a day with a time.
func readTime(text string) (p Period, ok bool) {
	if utc, found := cutZone(text); found {
		if p, ok := readTime(utc); ok && p.Local {
			return Period{wall: p.wall}, true
		}
		return Period{}, false
	}
	for _, day := range dayForms {
		for _, between := range []string{" ", "T"} {
			for _, clock := range clockForms {
				form := day + between + clock
				if t, err := time.Parse(form, text); err == nil {
					return Period{Local: true, wall: t}, true
				}
				for _, zone := range zoneForms {
					if t, err := time.Parse(form+zone, text); err == nil {
						return Period{wall: t}, true
					}
				}
			}
		}
	}
	return Period{}, false
}

// cutZone removes the name of UTC from a time. Other abbreviations are ambiguous.
func cutZone(text string) (rest string, found bool) {
	for _, name := range []string{" UTC", " GMT", " Z"} {
		if rest, found := strings.CutSuffix(text, name); found {
			return rest, true
		}
	}
	return text, false
}

// Unix returns the time n seconds since 1970. If n seconds would be after the year 5000, n
// is in milliseconds or microseconds. A whole number from 1000 to 9999 is a year.
func Unix(n float64) (p Period, ok bool) {
	if n == math.Trunc(n) && n >= 1000 && n <= 9999 {
		return Parse(strconv.Itoa(int(n)))
	}
	for range 2 {
		if math.Abs(n) >= 1e11 {
			n /= 1000
		}
	}
	if math.IsNaN(n) || math.Abs(n) >= 1e11 {
		return Period{}, false
	}
	whole, fraction := math.Modf(n)
	return Of(time.Unix(int64(whole), int64(math.Round(fraction*1e6))*1000).UTC()), true
}
