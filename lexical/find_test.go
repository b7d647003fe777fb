package lexical_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mneme/lexical"
)

// found returns the words of a text, as written, that match a query.
func found(text, query string) (words []string) {
	lexical.NewFinder(lexical.ParseQuery(query)).Find(text, func(_, start, end int) { words = append(words, text[start:end]) })
	return words
}

func TestFindReportsWhereTheTermsAre(t *testing.T) {
	for _, c := range []struct {
		text, query string
		want        []string
	}{
		{"She swims, swam and went swimming.", "swim", []string{"swims", "swam", "swimming"}},
		{"The Café's E-Mail, e-mails: mail", "cafe mail", []string{"Café's", "Mail", "mails", "mail"}},
		{"email and e-mail", "email", []string{"email", "e-mail"}},
		{"set build_status in HTTPServer", "status server", []string{"status", "HTTPServer"}},
		{"ﬁnance １２３ ﬁn", "finance 123", []string{"ﬁnance", "１２３"}},
		{"我住在柏林和北京", "柏林", []string{"柏", "柏林", "林"}},
		{"ที่นี่ดีมาก", "ดีมาก", []string{"ดีม", "ีมา", "มาก"}},
		{"written in C++ 🎉", "C++ 🎉", []string{"C++", "🎉"}},
		{"nothing", "else", nil},
		{"nothing", "", nil},
	} {
		if got := found(c.text, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: %q, want %q", c.query, c.text, got, c.want)
		}
	}
}

// A Finder finds the same in each text, whether it is the Finder's first or not, even if
// the texts have more words than it caches.
func TestAFinderFindsTheSameInEachText(t *testing.T) {
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, "word%d swimming ", i)
	}
	texts := []string{"She swims.", many.String(), "peas, Peanuts and a pear: swam"}
	terms := lexical.ParseQuery("to swim")
	f := lexical.NewFinder(terms, "pea", "swimm")
	for range 2 {
		for _, text := range texts {
			var got, want [][3]int
			f.Find(text, func(term, start, end int) { got = append(got, [3]int{term, start, end}) })
			lexical.NewFinder(terms, "pea", "swimm").Find(text, func(term, start, end int) { want = append(want, [3]int{term, start, end}) })
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("%.40q: %d found, want %d", text, len(got), len(want))
			}
		}
	}
	var words []string
	f.Find(texts[2], func(term, start, end int) { words = append(words, fmt.Sprint(term, texts[2][start:end])) })
	if want := []string{"1peas", "1Peanuts", "1pear", "0swam"}; !slices.Equal(words, want) {
		t.Errorf("%q, want %q", words, want)
	}
}

// FuzzFind checks that Find agrees with Analyze: it finds a term exactly if the text has
// it.
func FuzzFind(f *testing.F) {
	for _, text := range []string{"The cat's e-mail", "我住在柏林", "ที่นี่", "build_status HTTPServer", "ﬁnance U.S. v1.2 5'11 C#", "l'été dell’arte", "한국어 x한 カ", "a\xffb"} {
		f.Add(text, text)
		f.Add(text, "cat 柏林 status ที่")
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		if !utf8.ValidString(text) || len(text) > 5000 {
			return
		}
		terms := lexical.ParseQuery(query)
		got := make(map[string]bool)
		lexical.NewFinder(terms).Find(text, func(term, start, end int) {
			if start < 0 || start >= end || end > len(text) || !utf8.ValidString(text[start:end]) {
				t.Fatalf("range %d to %d of %d bytes", start, end, len(text))
			}
			got[terms[term].Text] = true
		})
		// A stem is found at its word, by the stemmers of all languages of the query.
		inflected := make(map[string]bool)
		want := make(map[string]bool)
		doc := lexical.Analyze(text)
		for _, q := range terms {
			word := cmp.Or(q.For, q.Text)
			inflected[word] = inflected[word] || q.Variant
			if slices.ContainsFunc(doc.Terms, func(t lexical.Term) bool { return q.Text == t.Text }) {
				want[word] = true
			}
		}
		for word := range got {
			if !want[word] && inflected[word] {
				want[word] = true
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%q in %q: found %v, the text has %v", query, text, got, want)
		}
	})
}

func TestMatchWordsAreTheRequiredWords(t *testing.T) {
	m, err := lexical.ParseMatch([]string{"Bee stings", "pea*"}, []string{"by the window", "bee", "the", "北京*"}, []string{"wasp", "hor*"})
	if err != nil {
		t.Fatal(err)
	}
	terms, prefixes := m.Words()
	var words []string
	for _, term := range terms {
		if !term.Variant {
			words = append(words, term.Text)
		}
	}
	if want := []string{"bee", "sting", "window", "the", "京", "北", "北京"}; !slices.Equal(words, want) || !slices.Equal(prefixes, []string{"pea"}) {
		t.Errorf("%q and %q, want %q", words, prefixes, want)
	}
	if terms, prefixes := (*lexical.Match)(nil).Words(); terms != nil || prefixes != nil {
		t.Errorf("of no match: %v, %v", terms, prefixes)
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("The committee discussed the budget of the coming year at length. ", 150) // 10 kB
	terms := lexical.ParseQuery("what did the committee say of granite quarries last year?")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		lexical.NewFinder(terms).Find(text, func(_, _, _ int) {})
	}
}
