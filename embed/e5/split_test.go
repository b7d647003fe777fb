package e5

import (
	"fmt"
	"strings"
	"testing"
)

// tokensOf counts the tokens of a passage without a limit, which encode has.
func tokensOf(e *Encoder, text string) int {
	s := scanner{t: e.tokenizer, limit: 1 << 30}
	s.scan(passagePrefix, nil)
	s.scan(text, nil)
	return len(s.ids) + 2
}

// checkSplit holds Split's contract: pieces begin with the header, fit the
// window, follow each other in the text and leave nothing out.
func checkSplit(t *testing.T, e *Encoder, header, text string) []string {
	t.Helper()
	pieces := e.Split(header, text)
	clipped := e.clipHeader(header)
	if !strings.HasPrefix(header, clipped) || tokensOf(e, clipped) > tokensOf(e, "")+headerTokens {
		t.Fatalf("header of %d tokens", tokensOf(e, clipped))
	}
	words, budget, opening := e.words(text), maxTokens-tokensOf(e, clipped), ""
	if !fits(words, 0, budget) {
		tokens := 0
		if opening, tokens = openingOf(text, words); tokens != tokensOf(e, opening)-tokensOf(e, "") {
			t.Fatalf("an opening of %d tokens, counted as %d", tokensOf(e, opening)-tokensOf(e, ""), tokens)
		}
		budget -= tokens
	}
	cuts := cuts(text, words, budget)
	if len(pieces) == 0 || len(pieces) != len(cuts) {
		t.Fatalf("%d pieces, %d cuts", len(pieces), len(cuts))
	}
	for i, c := range cuts {
		piece := text[c.from:c.to]
		if i > 0 {
			piece = join(opening, piece)
		}
		if pieces[i] != join(clipped, piece) {
			t.Fatalf("piece %d is not header, opening and text", i)
		}
		if n := tokensOf(e, pieces[i]); n > maxTokens {
			t.Fatalf("piece %d has %d tokens", i, n)
		}
		if i > 0 && (c.from > cuts[i-1].to || c.from <= cuts[i-1].from || c.to <= cuts[i-1].to) {
			t.Fatalf("piece %d spans %v after %v", i, c, cuts[i-1])
		}
	}
	if cuts[0].from != 0 || cuts[len(cuts)-1].to != len(text) {
		t.Fatalf("the pieces leave out an end: %v of %d bytes", cuts, len(text))
	}
	return pieces
}

func FuzzSplit(f *testing.F) {
	e := testEncoder(f)
	f.Add("", "", 1)
	f.Add("a header", "One sentence. Another! 日本語。\n\n", 300)
	f.Add(strings.Repeat("header ", 100), "≠", 700)
	f.Add("\xff", strings.Repeat("x", 300)+" ", 900)
	f.Fuzz(func(t *testing.T, header, text string, times int) {
		checkSplit(t, e, header, strings.Repeat(text, max(0, min(times, 50_000/(len(text)+1)))))
	})
}

func TestATextThatFitsIsOnePiece(t *testing.T) {
	e := testEncoder(t)
	for _, text := range []string{"", "   ", "short", textOf(maxTokens)} {
		if pieces := checkSplit(t, e, "", text); len(pieces) != 1 || pieces[0] != text {
			t.Errorf("%d pieces", len(pieces))
		}
	}
	if pieces := checkSplit(t, e, "", textOf(maxTokens+1)); len(pieces) != 2 {
		t.Errorf("one token too many: %d pieces", len(pieces))
	}
	if pieces := checkSplit(t, e, "two words", textOf(maxTokens-1)); len(pieces) != 2 {
		t.Errorf("the header's tokens do not count: %d pieces", len(pieces))
	}
}

func TestPiecesOverlapAndEndWithSentences(t *testing.T) {
	e := testEncoder(t)
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "Sentence number %d tells of the garden behind the house. ", i)
	}
	pieces := checkSplit(t, e, "notes/garden", b.String())
	if len(pieces) < 5 {
		t.Fatalf("%d pieces", len(pieces))
	}
	for i, piece := range pieces {
		if !strings.HasSuffix(strings.TrimSpace(piece), "house.") {
			t.Errorf("piece %d ends within a sentence", i)
		}
		if !strings.HasPrefix(piece, "notes/garden\nSentence") {
			t.Errorf("piece %d begins within a sentence", i)
		}
		if d := tokensOf(e, piece) - tokensOf(e, pieces[0]); d < -2*sentenceReach || d > 2*sentenceReach {
			t.Errorf("piece %d has %d tokens more than the first", i, d)
		}
	}
	text := textOf(2000)
	cuts := cuts(text, e.words(text), 500)
	for i := 1; i < len(cuts); i++ {
		if n := strings.Count(text[cuts[i].from:cuts[i-1].to], "garden"); n < overlapTokens-10 || n > overlapTokens+10 {
			t.Errorf("pieces %d and %d share %d tokens", i-1, i, n)
		}
	}
}

// A title tells what every piece is about; a first line that is a paragraph
// does not, and neither does a text of one line.
func TestAShortFirstLineStandsBeforeEveryPiece(t *testing.T) {
	e := testEncoder(t)
	for name, c := range map[string]struct {
		text, want string
	}{
		"title":     {"  The house by the lake \n" + textOf(700), "header\nThe house by the lake\n"},
		"paragraph": {textOf(openingTokens+3) + "\n" + textOf(700), ""},
		"one line":  {textOf(700), ""},
		"no title":  {"\n" + textOf(700), ""},
	} {
		pieces := checkSplit(t, e, "header", c.text)
		if len(pieces) != 2 {
			t.Errorf("%s: %d pieces", name, len(pieces))
			continue
		}
		if begins := strings.HasPrefix(pieces[1], "header\nThe house"); begins != (c.want != "") || !strings.HasPrefix(pieces[1], c.want) {
			t.Errorf("%s: the second piece begins %q", name, pieces[1][:40])
		}
	}
	if pieces := checkSplit(t, e, "", "The house\n"+textOf(100)); len(pieces) != 1 || strings.Count(pieces[0], "The house") != 1 {
		t.Errorf("a text that fits: %d pieces", len(pieces))
	}
}
