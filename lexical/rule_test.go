package lexical

import (
	"slices"
	"strings"
	"testing"
)

// texts returns the terms of an entry without variants, each repeated as often as it
// occurs.
func texts(fields ...string) []string {
	var out []string
	for _, term := range Analyze(fields...).Terms {
		if isVariant(term.Text) {
			continue
		}
		for range term.Count {
			out = append(out, term.Text)
		}
	}
	return out
}

// isVariant reports whether a term of an entry is a variant of a word.
func isVariant(text string) bool { return text[0] == stemMark || text[0] == endMark }

func queryTexts(query string) []string {
	var out []string
	for _, term := range ParseQuery(query) {
		if !term.Variant {
			out = append(out, term.Text)
		}
	}
	return out
}

func TestTokens(t *testing.T) {
	for _, rule := range []struct{ name, text, want string }{
		{"case and endings", "Running RUNS run", "run run run"},
		{"irregular forms", "She went; go! goes, gone. children Child", "child child go go go go she"},
		{"spellings", "favourite colour, favorite color", "color color favorit favorit"},
		{"accents", "Café ñandú Ünïcödé", "cafe nandu unicod"},
		{"combining accents", "Cafe\u0301", "cafe"},
		{"sharp s", "Straße STRASSE", "strass strass"},
		{"dotted and dotless i", "İstanbul istanbul ISPARTA ısparta", "isparta isparta istanbul istanbul"},
		{"ligatures and full width", "ﬁle Ｆｉｌｅ ２０２３", "2023 file file"},
		{"final sigma", "ΟΔΟΣ οδός", "οδοσ οδοσ"},
		{"Cyrillic", "ёлка елка Ёлки", "елк елк елк"},
		{"Arabic", "المكتبات مكتبة وَالمَكتَبة", "مكتب مكتب مكتب"},
		{"Hebrew points and final letters", "שָׁלוֹם שלומ", "שלומ שלומ"},
		{"Hindi", "विद्यार्थी विद्यार्थियों", "विद्यार्थ विद्यार्थ"},
		{"digits of other scripts", "٢٠٢٣ २०२३", "2023 2023"},
		{"possessives", "Caroline's Caroline’s CAROLINE'S", "carolin carolin carolin"},
		{"contractions", "we'll they're I'm don't rock'n'roll", "dont i rocknrol they we"},
		{"names with an apostrophe", "O'Brien l'homme d’eau", "brien eau homm obrien"},
		{"feet and inches", "5'11", "11 5"},
		{"hyphens", "e-mail well\u2011known", "e email know mail well wellknown"},
		{"underscores", "build_status", "build buildstatus status"},
		{"camelCase", "getUserName HTTPServer", "get getusernam http httpserver name server user"},
		{"camelCase with short parts", "mRNA iPhone pH", "iphon mrna ph phone rna"},
		{"decimal and grouped numbers", "3.14 1,000.50 1,2", "1 1.2 1000.5 1000.50 2 3.14"},
		{"versions", "v1.2.3 1.2.3 v2", "1.2.3 1.2.3 v2"},
		{"initials", "U.S.A. USA e.g. p.m.", "eg pm usa usa"},
		{"addresses", "a.user@example.org https://example.org/path?q=1", "1 a exampl exampl https org org path q user"},
		{"programming languages", "C C++ C# F#, #tag", "c c# c++ f# tag"},
		{"identifiers", "conv-26:D1:3", "26 3 conv conv26 d1"},
		{"soft hyphen and joiners", "in\u00adfor\u200dma\u2060tion", "inform"},
		{"Chinese", "東京 东京", "东 东 东京 东京 京 京"},
		{"Japanese names", "髙橋 高橋 山﨑 沢 澤", "山 山崎 崎 桥 桥 泽 泽 高 高 高桥 高桥"},
		{"kana", "カタカナ ｶﾅ の", "かた かな かな たか の"},
		{"Urdu", "ہاتھ هاته", "هات هات"},
		{"Korean", "한국어", "국어 한국"},
		{"Thai", "ภาษา", "ภา ภาษ ษา าษ าษา"},
		{"Thai next to Latin", "ใช้Go", "go ช้ ใช ใช้"},
		{"emoji", "🎉🎉 🇩🇪 ♥️ 👍🏽", "♥ 🇩🇪 🎉 🎉 👍"},
		{"nothing", " .,;-_'\"()[]{}*^~\x00\u2028\ufffd\xff", ""},
	} {
		t.Run(rule.name, func(t *testing.T) {
			got := strings.Join(texts(rule.text), " ")
			if got != rule.want {
				t.Errorf("%q: got\n%s, want\n%s", rule.text, got, rule.want)
			}
		})
	}
}

func TestNoTokenSpansTwoFields(t *testing.T) {
	if got := texts("mail-", "box", "東", "京"); !slices.Equal(got, []string{"box", "mail", "东", "京"}) {
		t.Errorf("got %q", got)
	}
}

func TestCountsAreCappedAndLengthIsNot(t *testing.T) {
	doc := Analyze(strings.Repeat("word ", 1000))
	if doc.Length != 1000 || len(doc.Terms) != 1 || doc.Terms[0].Count != MaxTermCount {
		t.Errorf("got %+v", doc)
	}
}

func TestLongTokensAreCutAtARune(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 10_000), strings.Repeat("ж", 10_000), "a" + strings.Repeat("ж", 10_000)} {
		for _, term := range Analyze(text).Terms {
			checkTerm(t, term.Text)
		}
		if len(ParseQuery(text)) != 1 {
			t.Errorf("%d terms", len(ParseQuery(text)))
		}
	}
}

func TestQueries(t *testing.T) {
	for _, rule := range []struct{ name, query, want string }{
		{"stop words are left out", "When did Caroline go to the LGBTQ support group?", "carolin go group lgbtq support"},
		{"unless there is nothing else", "Who are you, and why?", "and are whi who you"},
		{"a name is not a stop word", "What did Will do in the US in May?", "may us will"},
		{"a capital at the start of a sentence is not a name", "Is it? The end", "end"},
		{"capitals throughout", "WHAT IS THE PLAN", "is plan the"},
		{"Spanish", "¿Cuándo fue el terremoto de Chile?", "chile terremoto"},
		{"German, where die is an article", "Wann war die Hochzeit?", "hochzeit"},
		{"English, where die is a verb", "When did the dog die?", "die dog"},
		{"Russian", "Когда был построен мост?", "мост постро"},
		{"Chinese", "什么", "什么"},
		{"Thai triples", "ภาษา", "ภาษ าษา"},
		{"a short Thai word", "รถ", "รถ"},
		{"operators are text", `title:"red car" AND NOT (blue* OR green^2) NEAR/3`, "2 3 and blue car green near not or red titl"},
		{"quotes", `'; DROP TABLE "memories"; --`, "drop memori tabl"},
		{"nothing", "?!… — \"\"", ""},
	} {
		t.Run(rule.name, func(t *testing.T) {
			if got := strings.Join(queryTexts(rule.query), " "); got != rule.want {
				t.Errorf("%q gives\n%s, want\n%s", rule.query, got, rule.want)
			}
		})
	}
}

func TestRepetitionWeighsInAQuery(t *testing.T) {
	terms := ParseQuery("the cat, cats, and a dog")
	if !slices.Equal(terms, []QueryTerm{{Text: "cat", Weight: 2, Word: ""}, {Text: "dog", Weight: 1}}) {
		t.Errorf("got %v", terms)
	}
}

func TestALongQueryKeepsItsFirstTerms(t *testing.T) {
	var query strings.Builder
	for i := range 10_000 {
		query.WriteString(string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + "q ")
	}
	terms := queryTexts(query.String())
	if len(terms) != MaxQueryTerms || !slices.Contains(terms, "aaaq") {
		t.Errorf("%d terms", len(terms))
	}
	if !slices.Equal(terms, queryTexts(query.String())) {
		t.Error("parsing the query again returns other terms")
	}
}

func TestAnalysisIsTheSameAcrossGoroutines(t *testing.T) {
	const text = "When did Caroline's children go to 東京? v1.2.3 ภาษา"
	want := texts(text)
	done := make(chan []string)
	for range 8 {
		go func() {
			var got []string
			for range 200 {
				ParseQuery("¿Cuándo fue " + text)
				got = texts(text)
			}
			done <- got
		}()
	}
	for range 8 {
		if got := <-done; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
