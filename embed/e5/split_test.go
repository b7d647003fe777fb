package e5

import (
	"fmt"
	"strings"
	"testing"
)

// tokensOf counts the tokens of a passage, without the limit that encode has.
func tokensOf(e *Encoder, text string) int {
	s := scanner{t: e.tokenizer.(*wordPiece), limit: 1 << 30}
	s.scan(passagePrefix, nil)
	s.scan(text, nil)
	return len(s.ids) + 2
}

// checkSplit checks Split's contract: chunks begin with the header, fit the window, are in
// the order of the text and omit nothing.
func checkSplit(t *testing.T, e *Encoder, header, text string) []string {
	t.Helper()
	chunks := e.Split(header, text)
	clipped := e.clipHeader(header)
	if !strings.HasPrefix(header, clipped) || tokensOf(e, clipped) > tokensOf(e, "")+headerTokens {
		t.Fatalf("header of %d tokens", tokensOf(e, clipped))
	}
	words, budget, title := e.tokenizer.words(text), maxTokens-tokensOf(e, clipped), ""
	if !fits(words, 0, budget) {
		tokens := 0
		if title, tokens = titleOf(text, words); tokens != tokensOf(e, title)-tokensOf(e, "") {
			t.Fatalf("an title of %d tokens, counted as %d", tokensOf(e, title)-tokensOf(e, ""), tokens)
		}
		budget -= tokens
	}
	spans := spans(text, words, budget, always)
	ranges := e.Spans(header, text)
	if len(chunks) == 0 || len(chunks) != len(spans) || len(chunks) != len(ranges) {
		t.Fatalf("%d chunks, %d spans, %d ranges", len(chunks), len(spans), len(ranges))
	}
	for i, c := range spans {
		chunk := text[c.start:c.end]
		if i > 0 {
			chunk = join(title, chunk)
		}
		if chunks[i] != join(clipped, chunk) {
			t.Fatalf("chunk %d is not header, title and text", i)
		}
		if ranges[i] != [2]int{c.start, c.end} {
			t.Fatalf("Spans tells %v of chunk %d, which is %v", ranges[i], i, c)
		}
		if n := tokensOf(e, chunks[i]); n > maxTokens {
			t.Fatalf("chunk %d has %d tokens", i, n)
		}
		if i > 0 && (c.start > spans[i-1].end || c.start <= spans[i-1].start || c.end <= spans[i-1].end) {
			t.Fatalf("chunk %d spans %v after %v", i, c, spans[i-1])
		}
	}
	if spans[0].start != 0 || spans[len(spans)-1].end != len(text) {
		t.Fatalf("the chunks do not cover the text: %v of %d bytes", spans, len(text))
	}
	return chunks
}

func FuzzSplit(f *testing.F) {
	e := testEncoder(f)
	f.Add("", "", 1)
	f.Add("a header", "One sentence. Another! 日本語。\n\n", 300)
	f.Add(strings.Repeat("header ", 100), "≠", 700)
	f.Add("\xff", strings.Repeat("x", 300)+" ", 900)
	for _, char := range []string{"⽉", "½", "㍿", "\ufdfa", "ŀ"} { // each several words
		f.Add("", char, 700)
	}
	f.Fuzz(func(t *testing.T, header, text string, times int) {
		checkSplit(t, e, header, strings.Repeat(text, max(0, min(times, 50_000/(len(text)+1)))))
	})
}

func TestTextThatFitsIsOneChunk(t *testing.T) {
	e := testEncoder(t)
	for _, text := range []string{"", "   ", "short", textOf(maxTokens)} {
		if chunks := checkSplit(t, e, "", text); len(chunks) != 1 || chunks[0] != text {
			t.Errorf("%d chunks", len(chunks))
		}
	}
	if chunks := checkSplit(t, e, "", textOf(maxTokens+1)); len(chunks) != 2 {
		t.Errorf("one token too many: %d chunks", len(chunks))
	}
	if chunks := checkSplit(t, e, "two words", textOf(maxTokens-1)); len(chunks) != 2 {
		t.Errorf("the header's tokens are not counted: %d chunks", len(chunks))
	}
}

func TestChunksOverlapAndEndWithSentences(t *testing.T) {
	e := testEncoder(t)
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "Sentence number %d tells of the garden behind the house. ", i)
	}
	chunks := checkSplit(t, e, "notes/garden", b.String())
	if len(chunks) < 5 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, chunk := range chunks {
		if !strings.HasSuffix(strings.TrimSpace(chunk), "house.") {
			t.Errorf("chunk %d ends within a sentence", i)
		}
		if !strings.HasPrefix(chunk, "notes/garden\nSentence") {
			t.Errorf("chunk %d begins within a sentence", i)
		}
		if d := tokensOf(e, chunk) - tokensOf(e, chunks[0]); d < -2*sentenceReach || d > 2*sentenceReach {
			t.Errorf("chunk %d has %d tokens more than the first", i, d)
		}
	}
	text := textOf(2000)
	spans := spans(text, e.tokenizer.words(text), 500, always)
	for i := 1; i < len(spans); i++ {
		if n := strings.Count(text[spans[i].start:spans[i-1].end], "garden"); n < overlapTokens-10 || n > overlapTokens+10 {
			t.Errorf("chunks %d and %d share %d tokens", i-1, i, n)
		}
	}
}

// A short first line counts as a title. A long one does not, and neither does the only line of
// a text.
func TestTitleIsRepeatedInEveryChunk(t *testing.T) {
	e := testEncoder(t)
	for name, c := range map[string]struct {
		text, want string
	}{
		"title":     {"  The house by the lake \n" + textOf(700), "header\nThe house by the lake\n"},
		"paragraph": {textOf(titleTokens+3) + "\n" + textOf(700), ""},
		"one line":  {textOf(700), ""},
		"no title":  {"\n" + textOf(700), ""},
	} {
		chunks := checkSplit(t, e, "header", c.text)
		if len(chunks) != 2 {
			t.Errorf("%s: %d chunks", name, len(chunks))
			continue
		}
		if begins := strings.HasPrefix(chunks[1], "header\nThe house"); begins != (c.want != "") || !strings.HasPrefix(chunks[1], c.want) {
			t.Errorf("%s: the second chunk begins %q", name, chunks[1][:40])
		}
	}
	if chunks := checkSplit(t, e, "", "The house\n"+textOf(100)); len(chunks) != 1 || strings.Count(chunks[0], "The house") != 1 {
		t.Errorf("a text that fits: %d chunks", len(chunks))
	}
}

// always is a parameter holds of spans by which every chunk fits.
func always(int, int) bool { return true }
