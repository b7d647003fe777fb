package openai

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func splitter(t testing.TB, tokens int, prefix string) *Embedder {
	t.Helper()
	e, err := New(Config{BaseURL: "http://localhost/v1", Model: "m", Dim: 4, MaxTokens: tokens, PassagePrefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestChunksCoverTheTextAndFitTheWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.IntRange(minTokens, 200).Draw(t, "tokens")
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
		e, err := New(Config{BaseURL: "http://localhost/v1", Model: "m", Dim: 4, MaxTokens: tokens, PassagePrefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		chunks := e.Split(header, text)
		if len(chunks) == 0 {
			t.Fatal("no chunks")
		}
		room := e.window - cost(prefix)
		kept := header[:fit(header, room/2)]
		end := 0
		for i, chunk := range spans(text, room-cost(kept)) {
			if chunk.start > end || i > 0 && chunk.end <= end {
				t.Fatalf("chunk %d is %v after what ended at %d", i, chunk, end)
			}
			if chunks[i] != kept+text[chunk.start:chunk.end] {
				t.Fatalf("chunk %d is %q", i, chunks[i])
			}
			if got := e.Spans(header, text)[i]; got != [2]int{chunk.start, chunk.end} {
				t.Fatalf("Spans tells %v of chunk %d, which is %v", got, i, chunk)
			}
			end = chunk.end
		}
		if end != len(text) {
			t.Fatalf("the chunks end at %d of %d", end, len(text))
		}
		for _, chunk := range chunks {
			if cost(prefix+chunk) > e.window {
				t.Fatalf("a chunk costs %d of %d", cost(prefix+chunk), e.window)
			}
			if prefix+chunk != "" && e.input(prefix, chunk) != prefix+chunk {
				t.Fatal("Passages cuts a chunk of Split")
			}
			if utf8.ValidString(text) && !utf8.ValidString(chunk) {
				t.Fatalf("a character is split: %q", chunk)
			}
		}
	})
}

func TestShortTextIsOneChunk(t *testing.T) {
	e := splitter(t, 512, "passage: ")
	for _, text := range []string{"", "a", "Caroline went to the support group."} {
		if got := e.Split("header\n", text); len(got) != 1 || got[0] != "header\n"+text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestChunksEndAtWordsAndOverlap(t *testing.T) {
	text := strings.Repeat("seven words stand in this short line ", 200)
	chunks := splitter(t, 128, "").Split("", text)
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
	chunks := splitter(t, 64, "").Split("", strings.Repeat(family, 30))
	for _, chunk := range chunks {
		if strings.Trim(chunk, "👩👧👦\u200d") != "" || !strings.HasPrefix(chunk, "👩") || strings.HasSuffix(chunk, "\u200d") {
			t.Errorf("an emoji is split: %q", chunk)
		}
	}
	for _, chunk := range splitter(t, 64, "").Split("", strings.Repeat("e\u0301", 300)) {
		if strings.HasPrefix(chunk, "\u0301") {
			t.Errorf("a letter is separated from its accent: %q", chunk)
		}
	}
}

func TestQueryIsCutAtTheWindow(t *testing.T) {
	s := newServer(t, good)
	config := testConfig(s)
	config.MaxTokens = 64
	e, _ := newEmbedder(t, config)
	if _, err := e.Query(t.Context(), strings.Repeat("word ", 2000)); err != nil {
		t.Fatal(err)
	}
	sent := s.received()[0].Input[0]
	if !strings.HasPrefix(sent, "query: word word ") || !strings.HasSuffix(sent, "word ") {
		t.Errorf("sent %q", sent)
	}
	if c := cost(sent); c > window(64) || c < window(64)/2 {
		t.Errorf("sent text costs %d of %d", c, window(64))
	}
}
