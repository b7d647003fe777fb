package lexical

import (
	"slices"
	"testing"
)

// writtenDays are ways to write 9 July 2026.
var writtenDays = []string{
	"9 July 2026", "July 9th, 2026", "July 9, 2026", "9th of July, 2026", "9 Jul 2026", "2026-07-09", "2026-7-9", "2026/07/09", "2026-07-09T10:00", "9. Juli 2026", "le 9 juillet 2026",
	"9 de julio de 2026", "9 luglio 2026", "9 июля 2026 года", "2026. július 9-én", "9 Temmuz 2026", "2026年7月9日",
}

func TestADayMatchesHoweverItIsWritten(t *testing.T) {
	for _, written := range writtenDays {
		for _, text := range []string{written, "It was done on " + written + ", at least.", "On " + written + "\nthe boiler was replaced"} {
			if terms := texts(text); !slices.Contains(terms, "20260709") {
				t.Errorf("%q: %q", text, terms)
			}
		}
		for _, other := range writtenDays {
			if other == "le 9 juillet 2026" || other == "2026-07-09T10:00" { // they have further words
				continue
			}
			match, err := ParseMatch([]string{other}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !match.Matches("done on " + written + " by Tomek") {
				t.Errorf("match %q: not in %q", other, written)
			}
		}
	}
}

func TestTextsWithoutDays(t *testing.T) {
	for _, text := range []string{
		"9.7.2026", "7/9/2026", "9 July", "July 2026", "release 9.7.2026", "2026/02/30", "31 June 2026", "2026", "10.7.2026.9", "room 9, July 2026",
		"from 9 to 12 2026 July", "2026070912", "9 Julys 2026",
	} {
		for _, term := range texts(text) {
			if len(term) == 8 && term[:4] == "2026" {
				t.Errorf("%q has %q", text, term)
			}
		}
	}
}

func TestOtherDaysDoNotMatch(t *testing.T) {
	match, err := ParseMatch([]string{"9 July 2026"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"19 July 2026", "2026-07-19", "9 July 2025", "9 June 2026", "on 9.7.2026"} {
		if match.Matches(text) {
			t.Errorf("%q matches", text)
		}
	}
}

func TestDaysAreFound(t *testing.T) {
	const text = "the boiler on July 9th, 2026 and the roof on 2026-07-12"
	for query, want := range map[string]string{"2026-07-09": "July 9th, 2026", "12 July 2026": "2026-07-12"} {
		var found []string
		NewFinder(ParseQuery(query)).Find(text, func(_, start, end int) { found = append(found, text[start:end]) })
		if !slices.Contains(found, want) {
			t.Errorf("%q: %q", query, found)
		}
	}
}
