package lexical

import (
	"slices"
	"strings"
	"testing"
)

func TestQuantitiesMatchWithOrWithoutASpace(t *testing.T) {
	for _, c := range []struct{ written, other string }{
		{"16 GB", "16GB"},
		{"16\u00a0GB", "16gb"},
		{"3 m", "3m"},
		{"400 mg", "400mg"},
		{"30 W", "30w"},
		{"16 A", "16a"},
		{"1,5 m", "1.5m"},
		{"1.50 kg", "1.5kg"},
		{"1,000 W", "1000w"},
		{"10 000 km", "10000km"},
		{"20 °C", "20c"},
		{"5 µg", "5μg"},
		{"16 ГБ", "16гб"},
	} {
		for _, text := range []string{c.written, "It is " + c.written + ", at least.", strings.ReplaceAll(c.written, " ", "")} {
			if terms := texts(text); !slices.Contains(terms, strings.ToLower(c.other)) {
				t.Errorf("%q: %q", text, terms)
			}
		}
		for _, m := range []struct{ item, text string }{{c.other, c.written}, {c.written, c.other}, {c.written, c.written}} {
			match, err := ParseMatch([]string{m.item}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !match.Matches("about " + m.text + " of it") {
				t.Errorf("match %q: not in %q", m.item, m.text)
			}
		}
	}
}

func TestTextsWithoutQuantities(t *testing.T) {
	for _, text := range []string{"3 a day", "16 of them", "4 in all", "3 men", "3 m-long", "2 min2", "1.2.3 m", "chapter 3, m", "12 gbx", "3  \n m"} {
		for _, term := range texts(text) {
			if len(term) > 1 && isDigit(rune(term[0])) && units[strings.TrimLeft(term, "0123456789.")] {
				t.Errorf("%q has %q", text, term)
			}
		}
	}
}

// If documents have a quantity, it counts as evidence instead of its number and its unit.
func TestOtherQuantitiesAreNoEvidence(t *testing.T) {
	terms := ParseQuery("3 m cable")
	var joined, parts int
	for _, term := range terms {
		switch {
		case term.Role == Joined && term.Text == "3m":
			joined++
		case term.Part:
			parts++
		}
	}
	if joined != 1 || parts != 2 {
		t.Errorf("%+v", terms)
	}
}

func TestQuantitiesAreFound(t *testing.T) {
	const text = "a cable of 3 m and one of 5m"
	for query, want := range map[string]string{"3m": "3 m", "5 m": "5m"} {
		var found []string
		NewFinder(ParseQuery(query)).Find(text, func(_, start, end int) { found = append(found, text[start:end]) })
		if !slices.Contains(found, want) {
			t.Errorf("%q: %q", query, found)
		}
	}
}
