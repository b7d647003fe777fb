package e5

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mneme/embed/maxsim"
)

func TestFitTokensCountsAsTheModelDoes(t *testing.T) {
	e := testEncoder(t)
	empty := len(e.QueryTokens(""))
	for _, text := range []string{"", " ", "Anna likes tea.", "naïve 漢字 👩‍👩‍👧‍👦 unaffable", "a\xffb \x00 c", strings.Repeat("x", 150)} {
		want := len(e.QueryTokens(text)) - empty
		if n, end := FitTokens(text, 1000); n != want || end != len(text) {
			t.Errorf("%q: %d tokens up to %d, want %d", text, n, end, want)
		}
		for most := -1; most <= want; most++ {
			n, end := FitTokens(text, most)
			if n > max(0, most) || end > len(text) || end < len(text) && most >= want {
				t.Errorf("%q in %d: %d tokens up to %d", text, most, n, end)
			}
			if again, whole := FitTokens(text[:end], 1000); again != n || whole != end || utf8.ValidString(text) && !utf8.ValidString(text[:end]) {
				t.Errorf("%q in %d: the first %d bytes have %d tokens, not %d", text, most, end, again, n)
			}
		}
	}
}

func TestCodeSpansMatchTheCodes(t *testing.T) {
	plain := testEncoder(t)
	e, err := plain.WithCodes()
	if err != nil {
		t.Fatal(err)
	}
	text := "A title of a few words\n" + strings.Repeat("Anna keeps the Adrenaline pen in the blue bag, naïvely. ", 80)
	chunks := e.Split("header words", text)
	if len(chunks) < 2 {
		t.Fatal("the text is one chunk")
	}
	passages, err := e.Passages(t.Context(), chunks)
	if err != nil {
		t.Fatal(err)
	}
	spans := e.Spans("header words", text)
	all := e.CodeSpans("header words", text, []int{1, 0, len(chunks), -1})
	if all[2] != nil || all[3] != nil {
		t.Error("chunks that do not exist have ranges")
	}
	for i, chunk := range []int{1, 0} {
		words := all[i]
		if len(words)*maxsim.TokenSize != len(passages[chunk].Codes) {
			t.Fatalf("chunk %d: %d ranges, %d codes", chunk, len(words), len(passages[chunk].Codes)/maxsim.TokenSize)
		}
		seen := make(map[string]bool)
		for _, w := range words {
			if w == [2]int{} {
				continue
			}
			if w[0] < spans[chunk][0] || w[1] > spans[chunk][1] || w[0] >= w[1] {
				t.Fatalf("chunk %d, %v: range %v", chunk, spans[chunk], w)
			}
			seen[text[w[0]:w[1]]] = true
		}
		if !seen["Adrenaline"] || !seen["naïvely"] || seen["title"] != (chunk == 0) || seen["header"] {
			t.Errorf("chunk %d: %v", chunk, seen)
		}
	}
	if ranges := plain.CodeSpans("", text, []int{0}); ranges[0] != nil {
		t.Error("an encoder without codes has ranges")
	}
}

func BenchmarkFitTokens(b *testing.B) {
	text := strings.Repeat("The committee discussed the budget of the coming year at length. ", 15) // 1 kB
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		FitTokens(text, 2000)
	}
}
