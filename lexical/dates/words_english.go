package dates

// words are the words with which a language writes dates. Commas separate groups, slashes
// the forms of a group; a form may have several words. Accents are optional. A prefix of a
// form restricts it:
//
//	~  is a date only next to a number or after a word such as "in" ("may")
//	?  is read only where the text may be in the language ("hier")
type words struct {
	language string // ISO 639-1

	months, shortMonths string // twelve groups
	monthEndings        string // appended to the forms of months, unless empty; a form that ends with the text before "<" loses it
	weekdays, shortDays string // seven groups, from Monday
	dayEndings          string // likewise
	days                string // five groups: from two days ago to in two days
	units               string // six groups: day, week, month, year, weekend, quarter
	agoUnits            string // four groups of units that include "ago": day, week, month, year
	fixed               string // three groups: last year, this year, next year
	numbers             string // twelve groups
	few                 string // some: of days, two to five
	seasons             string // four groups, from spring
	inSeasons           string // four groups of seasons that include "in"

	last, past, this, next string // last week: a week of the calendar; the past week: until today
	every                  string // every Tuesday: of each week, and so no date
	agoBefore, agoAfter    string // vor zwei Wochen, two weeks ago
	inBefore, inAfter      string // in zwei Wochen, iki hafta sonra
	in, of                 string // words before dates; words within them
	weakIn                 string // words after which "may" is a month; the same as in, if empty
	follow                 string // words that may follow such a month, or a year
	from, to, between, and string
	betweenAfter           string // "between" at the end of the range
	since, before, after   string
	marks                  string // three groups: characters after the digits of a year, month and day
}

// english are the words of English.
var english = words{
	language:    "en",
	months:      "january,february,~march,~april,~may,~june,july,~august,september,october,november,december",
	shortMonths: "jan,feb,mar,apr,,jun,jul,aug,sep/sept,oct,nov,dec",
	weekdays:    "monday,tuesday,wednesday,thursday,friday,saturday,sunday",
	shortDays:   "mon,tue/tues,wed,thu/thur/thurs,fri,sat,sun",
	days:        "day before yesterday,yesterday/last night,today/tonight/this morning/this afternoon/this evening,tomorrow,day after tomorrow",
	units:       "day/days,week/weeks,month/months,year/years,weekend/weekends,quarter/quarters",
	numbers:     "one/a/an,two/couple of/couple,three,four,five,six,seven,eight,nine,ten,eleven,twelve",
	few:         "few/several",
	seasons:     "~spring,~summer,~autumn/~fall,~winter",
	last:        "last/previous", past: "past", this: "this/current", next: "next/coming/upcoming",
	every:    "every/each/any",
	agoAfter: "ago",
	inBefore: "in",
	in:       "in/on/during/by/until/till/of/for/throughout/early/mid/late/around/as of/dated/since/before/after/from/between/to/early in/late in",
	weakIn:   "in/during/since/throughout/until/till/before/after/between/early/mid/late/last/this/next",
	follow: "we/i/you/he/she/they/it/did/do/does/was/were/is/are/has/had/have/with/at/and/or/when/what/who/how/that/which/where/if/my/our/your/his/her/their/" +
		"the/a/an/to/for/on/by/in/from/as/but/there/this/about/regarding/so/then/while/because/before/after/until/compared/versus/vs/than",
	of:   "of/the/in",
	from: "from", to: "to/until/till/through/thru", between: "between", and: "and",
	since: "since/ever since", before: "before/prior to", after: "after",
}
