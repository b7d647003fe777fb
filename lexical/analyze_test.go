package lexical

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzAnalyze checks what a storage may assume about the terms of any text.
func FuzzAnalyze(f *testing.F) {
	for _, seed := range []string{
		"", "When did Caroline go to the LGBTQ support group?", `title:"a b" AND NOT (x* OR y^2) NEAR/3 'z' -- ;`,
		"don't Caroline’s l'homme rock'n'roll", "v1.2.3 1,000.50 a@b.example https://example.org/x?y=z#f",
		"東京都に行きました ภาษาไทย 한국어 カタカナ ｶﾀｶﾅ", "Ünïcödé STRASSE straße ἄνθρωπος ΟΔΟΣ İstanbul ısı",
		"\x00\x01\xff\xfe\u202e\ufeff\u2028", "🎉🇩🇪👩‍👩‍👧 ♥️", "التعلّم العميق والكتابة विद्यार्थियों", strings.Repeat("a", 500),
		"A'a'y d'un'altra l’U.S.a. ʼn", "getUserName HTTPServer snake_case_name kebab-case-name", strings.Repeat("ab ", 300),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc := Analyze(text)
		counts := make(map[string]int)
		sum := 0
		for i, term := range doc.Terms {
			if i > 0 && doc.Terms[i-1].Text >= term.Text {
				t.Errorf("terms %q and %q are out of order", doc.Terms[i-1].Text, term.Text)
			}
			checkTerm(t, term.Text)
			if term.Count < 1 || term.Count > MaxTermCount {
				t.Errorf("count %d of %q", term.Count, term.Text)
			}
			counts[term.Text] = term.Count
			if !isVariant(term.Text) {
				sum += term.Count
			}
		}
		if doc.Length < sum || doc.Length > sum && sum < MaxTermCount {
			t.Errorf("length %d, sum of counts %d", doc.Length, sum)
		}
		query := ParseQuery(text)
		if len(query) > MaxQueryTerms {
			t.Errorf("%d query terms", len(query))
		}
		if len(query) == 0 && len(doc.Terms) > 0 {
			t.Error("the document has terms and the query has none")
		}
		for i, term := range query {
			if i > 0 && query[i-1].Text >= term.Text {
				t.Errorf("query terms %q and %q are out of order", query[i-1].Text, term.Text)
			}
			if counts[term.Text] == 0 && term.Role != Joined && !term.Variant {
				t.Errorf("query term %q is not among the document's", term.Text)
			}
			if !(term.Weight > 0) {
				t.Errorf("weight %v of %q", term.Weight, term.Text)
			}
		}
	})
}

func checkTerm(t *testing.T, text string) {
	t.Helper()
	if text == "" || len(text) > MaxTermBytes || !utf8.ValidString(text) {
		t.Errorf("bad term %q of %d bytes", text, len(text))
	}
	for _, r := range text {
		if unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune(`'"\`, r) {
			t.Errorf("term %q holds %q", text, r)
		}
	}
}

func BenchmarkAnalyze(b *testing.B) {
	const text = "Caroline: Hey Mel! I went to an LGBTQ support group yesterday and it was so powerful. The stories were inspiring, and I felt accepted."
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Analyze(text)
	}
}

func BenchmarkParseQuery(b *testing.B) {
	for b.Loop() {
		ParseQuery("When did Caroline go to the LGBTQ support group?")
	}
}
