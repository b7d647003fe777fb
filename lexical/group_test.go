package lexical

import (
	"slices"
	"strings"
	"testing"
)

// wholes returns the joined numbers and codes among the terms of a text.
func wholes(text string, asking bool) []string {
	var all []string
	for at := 0; at < len(text); {
		if kindOf(rune(text[at])) == separator {
			at++
			continue
		}
		found, end := groupedAt(text, at, asking)
		for _, g := range found {
			all = append(all, g.token)
		}
		for at = max(at+1, end); at < len(text) && isAlphanumeric(text[at]); at++ {
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestJoinedNumbersAndCodes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Call +44 20 7946 0018.", "+79460018 442079460018"},
		{"020 7946 0018", "+79460018 02079460018"},
		{"(020) 7946-0018", "+79460018 02079460018"},
		{"+44 (0)20 7946 0018", "+79460018 4402079460018"},
		{"+442079460018", "+79460018"},
		{"0301234567", "+01234567"},
		{"030/1234567", "+01234567 0301234567"},
		{"01.23.45.67.89", "+23456789 0123456789"},
		{"555.123.4567", "+51234567 5551234567"},
		{"FR76 3000 6000 0112 3456 7890 189", "fr7630006000011234567890189"},
		{"IBAN DE89 3704 0044 0532 0130 00", "de89370400440532013000"},
		{"IBAN NL91 ABNA 0417 1643 00", "nl91abna0417164300"}, {"room 12 from 10", ""},
		{"5555 5555 5555 4444", "5555555555554444"},
		{"KR 88213", "kr88213"}, {"B-MW 1234", "bmw1234 mw1234"}, {"AB-123-CD", "123cd ab123 ab123cd"},
		{"EH1 3YT", "eh13yt"}, {"1017 AB", "1017ab"}, {"K1A 0B1", "k1a0b1"},
		{"08:00:27:9A:C4:1E", "0800279ac41e"}, {"aa:bb:cc:dd:ee:0f", "aabbccddee0f"}, {"to: do", ""}, {"AA:BB:CC:DD:EE:FF", "aabbccddeeff"},
		{"0800.279A.C41E", "0800279ac41e"},
		{"€2,450.00", "2450"}, {"2.450", "2450"}, {"2 450", "2450"}, {"2.450,50", "2450.5"}, {"1,250,000", "1250000"}, {"12,34,567", "1234567"},
		{"1'250'000", "1250000"}, {"1.250.000", "1250000"}, {"18 300 people", "18300"}, {"31,5", "31.5"}, {"2450.00", "2450"},
		// Exact numbers, and texts without a code.
		{"1.2.3", ""}, {"12.3", ""}, {"1.20", ""}, {"v2.0.1", ""}, {"172.20.8.31", ""}, {"10.100.100.200", ""}, {"0.125", ""},
		{"2026-06-30", ""}, {"30.06.2026", ""}, {"06/30/2026", ""}, {"10:30", ""}, {"10:30:45", ""}, {"2001:db8::1", ""}, {"2001:0db8:0000:0000:0000:0000:0000:0001", ""},
		{"1,2,3", ""}, {"see page 7", ""}, {"The end", ""}, {"", ""},
	} {
		if got := strings.Join(wholes(c.text, false), " "); got != c.want {
			t.Errorf("%q gives %q, want %q", c.text, got, c.want)
		}
	}
	if got := strings.Join(wholes("kr 88213", true), " "); got != "kr88213" {
		t.Errorf("a query in lower case gives %q", got)
	}
}

// matches reports whether a document has a joined term of a query, or all terms.
func matches(text, query string) bool {
	terms := Analyze(text).Terms
	has := func(q QueryTerm) bool {
		return slices.ContainsFunc(terms, func(t Term) bool { return t.Text == q.Text })
	}
	asked := ParseQuery(query)
	return slices.ContainsFunc(asked, func(q QueryTerm) bool { return q.Role == Joined && has(q) }) ||
		!slices.ContainsFunc(asked, func(q QueryTerm) bool { return q.Role != Joined && !has(q) })
}

func TestGroupedCodesMatch(t *testing.T) {
	for _, same := range [][]string{
		{"+44 20 7946 0018", "020 7946 0018", "44-20-7946-0018", "+442079460018", "02079460018", "0044 20 7946 0018", "(020) 7946 0018"},
		{"FR76 3000 6000 0112 3456 7890 189", "FR7630006000011234567890189", "fr76-3000-6000-0112-3456-7890-189"},
		{"KR 88213", "KR88213", "kr-88213", "kr88213"},
		{"5555 5555 5555 4444", "5555555555554444", "5555-5555-5555-4444"},
		{"2,450.00", "2450", "2.450", "2 450", "2'450", "2.450,00", "2450,00", "2450.00"},
		{"08:00:27:9A:C4:1E", "0800279AC41E", "08-00-27-9a-c4-1e", "0800.279a.c41e"},
		{"EH1 3YT", "EH13YT", "eh1 3yt"},
		{"1,250,000", "1250000", "1.250.000", "1 250 000", "1’250’000", "1_250_000"},
	} {
		for _, text := range same {
			for _, query := range same {
				if !matches(text, query) {
					t.Errorf("%q does not find %q", query, text)
				}
				m, err := ParseMatch([]string{query}, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !m.Matches("It is " + text + " there.") {
					t.Errorf("%q does not match %q", query, text)
				}
			}
		}
	}
	if !matches("KR88213", "kr 88213") || !matches("KR 88213", "kr 88213") {
		t.Error("a query's letters may be of any case")
	}
	for _, pair := range [][2]string{{"1.2.3", "12.3"}, {"1.2.3", "1.23"}, {"172.20.8.31", "172.208.31"}, {"2026-06-30", "2026 06 31"}, {"10:30", "1030"}, {"1.20", "1.2"}} {
		if matches(pair[0], pair[1]) || matches(pair[1], pair[0]) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
}
