package embed

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestChunksCoverTheTextAndFitTheWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.IntRange(MinTokens, 200).Draw(t, "tokens")
		prefix := rapid.SampledFrom([]string{"", "passage: "}).Draw(t, "prefix")
		header := rapid.SampledFrom([]string{"", "notes bank\n", strings.Repeat("long header ", 50)}).Draw(t, "header")
		words := rapid.SliceOfN(rapid.OneOf(
			rapid.StringMatching(`[a-z]{1,12} `),
			rapid.StringMatching(`[A-Z0-9]{1,60}`),
			rapid.StringMatching(`[一-龠。、]{1,30}`),
			rapid.SampledFrom([]string{"\n\n", "e\u0301", "👩‍👩‍👧‍👦", "🏳️‍🌈", "ภาษาไทย", "\xff\xfe", "     "}),
			rapid.String(),
		), 0, 60).Draw(t, "words")
		text := strings.Join(words, "")
		s := Splitter{Prefix: prefix, MaxTokens: tokens}
		if !s.PrefixFits() {
			t.Fatal("the prefix takes up too much")
		}
		chunks, ranges := s.Split(header, text), s.Spans(header, text)
		if len(chunks) == 0 {
			t.Fatal("no chunks")
		}
		if len(ranges) != len(chunks) {
			t.Fatalf("%d spans of %d chunks", len(ranges), len(chunks))
		}
		kept := header[:len(chunks[0])-(ranges[0][1]-ranges[0][0])]
		end := 0
		for i, chunk := range ranges {
			if chunk[0] > end || i > 0 && chunk[1] <= end {
				t.Fatalf("chunk %d is %v after what ended at %d", i, chunk, end)
			}
			if chunks[i] != kept+text[chunk[0]:chunk[1]] {
				t.Fatalf("chunk %d is %q", i, chunks[i])
			}
			end = chunk[1]
		}
		if end != len(text) {
			t.Fatalf("the chunks end at %d of %d", end, len(text))
		}
		for _, chunk := range chunks {
			if cost(prefix+chunk) > s.window() {
				t.Fatalf("a chunk costs %d of %d", cost(prefix+chunk), s.window())
			}
			if s.Input(chunk) != prefix+chunk {
				t.Fatal("Input cuts a chunk of Split")
			}
			if utf8.ValidString(text) && !utf8.ValidString(chunk) {
				t.Fatalf("a character is split: %q", chunk)
			}
		}
	})
}

func TestShortTextIsOneChunk(t *testing.T) {
	s := Splitter{Prefix: "passage: ", MaxTokens: 512}
	for _, text := range []string{"", "a", "Caroline went to the support group."} {
		if got := s.Split("header\n", text); len(got) != 1 || got[0] != "header\n"+text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestChunksEndAtWordsAndOverlap(t *testing.T) {
	text := strings.Repeat("seven words stand in this short line ", 200)
	chunks := Splitter{MaxTokens: 128}.Split("", text)
	if len(chunks) < 10 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, chunk := range chunks {
		if i > 0 && strings.HasPrefix(chunk, " ") || i < len(chunks)-1 && !strings.HasSuffix(chunk, " ") {
			t.Errorf("chunk %d is cut within a word or begins with a space: %q", i, chunk)
		}
		if i == 0 {
			continue
		}
		words := strings.Fields(chunk)
		if before := chunks[i-1]; !strings.HasSuffix(strings.TrimSpace(before), strings.Join(words[:2], " ")) &&
			!strings.Contains(before[len(before)-40:], words[0]+" "+words[1]) {
			t.Errorf("chunk %d does not overlap the one before", i)
		}
	}
}

func TestTextWithoutSpacesIsCutBetweenCharacters(t *testing.T) {
	family := "👩‍👩‍👧‍👦"
	chunks := Splitter{MaxTokens: 64}.Split("", strings.Repeat(family, 30))
	for _, chunk := range chunks {
		if strings.Trim(chunk, "👩👧👦\u200d") != "" || !strings.HasPrefix(chunk, "👩") || strings.HasSuffix(chunk, "\u200d") {
			t.Errorf("an emoji is split: %q", chunk)
		}
	}
	for _, chunk := range (Splitter{MaxTokens: 64}).Split("", strings.Repeat("e\u0301", 300)) {
		if strings.HasPrefix(chunk, "\u0301") {
			t.Errorf("a letter is separated from its accent: %q", chunk)
		}
	}
}

func TestInputIsCutAtTheWindow(t *testing.T) {
	s := Splitter{Prefix: "query: ", MaxTokens: 64}
	got := s.Input(strings.Repeat("word ", 2000))
	if !strings.HasPrefix(got, "query: word word ") || !strings.HasSuffix(got, "word ") {
		t.Errorf("got %q", got)
	}
	if c := cost(got); c > s.window() || c < s.window()/2 {
		t.Errorf("the text costs %d of %d", c, s.window())
	}
}

func TestSplittingEndsIfTheWindowHasNoRoom(t *testing.T) {
	text := "some text, 字, 👩‍👩‍👧‍👦"
	for _, s := range []Splitter{{}, {MaxTokens: MinTokens, Prefix: strings.Repeat("passage ", 50)}} {
		if s.PrefixFits() {
			t.Errorf("the prefix of %+v fits", s)
		}
		if got := s.Spans("header", text); got[len(got)-1][1] != len(text) {
			t.Errorf("%+v ends at %d of %d", s, got[len(got)-1][1], len(text))
		}
	}
}
