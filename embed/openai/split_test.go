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

func TestPiecesCoverTheTextAndFitTheWindow(t *testing.T) {
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
		pieces := e.Split(header, text)
		if len(pieces) == 0 {
			t.Fatal("no piece")
		}
		room := e.window - cost(prefix)
		kept := header[:fit(header, room/2)]
		end := 0
		for i, piece := range spans(text, room-cost(kept)) {
			if piece.start > end || i > 0 && piece.end <= end {
				t.Fatalf("piece %d is %v after what ended at %d", i, piece, end)
			}
			if pieces[i] != kept+text[piece.start:piece.end] {
				t.Fatalf("piece %d is %q", i, pieces[i])
			}
			end = piece.end
		}
		if end != len(text) {
			t.Fatalf("the pieces end at %d of %d", end, len(text))
		}
		for _, piece := range pieces {
			if cost(prefix+piece) > e.window {
				t.Fatalf("a piece costs %d of %d", cost(prefix+piece), e.window)
			}
			if prefix+piece != "" && e.input(prefix, piece) != prefix+piece {
				t.Fatal("Passages cuts what Split made")
			}
			if utf8.ValidString(text) && !utf8.ValidString(piece) {
				t.Fatalf("a character is parted: %q", piece)
			}
		}
	})
}

func TestShortTextIsOnePiece(t *testing.T) {
	e := splitter(t, 512, "passage: ")
	for _, text := range []string{"", "a", "Caroline went to the support group."} {
		if got := e.Split("header\n", text); len(got) != 1 || got[0] != "header\n"+text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestPiecesEndAtWordsAndOverlap(t *testing.T) {
	text := strings.Repeat("seven words stand in this short line ", 200)
	pieces := splitter(t, 128, "").Split("", text)
	if len(pieces) < 10 {
		t.Fatalf("%d pieces", len(pieces))
	}
	for i, piece := range pieces {
		if i > 0 && strings.HasPrefix(piece, " ") || i < len(pieces)-1 && !strings.HasSuffix(piece, " ") {
			t.Errorf("piece %d is cut within a word or begins with a space: %q", i, piece)
		}
		if i == 0 {
			continue
		}
		words := strings.Fields(piece)
		if before := pieces[i-1]; !strings.HasSuffix(strings.TrimSpace(before), strings.Join(words[:2], " ")) &&
			!strings.Contains(before[len(before)-40:], words[0]+" "+words[1]) {
			t.Errorf("piece %d does not overlap the one before", i)
		}
	}
}

func TestTextWithoutSpacesIsCutBetweenCharacters(t *testing.T) {
	family := "👩‍👩‍👧‍👦"
	pieces := splitter(t, 64, "").Split("", strings.Repeat(family, 30))
	for _, piece := range pieces {
		if strings.Trim(piece, "👩👧👦\u200d") != "" || !strings.HasPrefix(piece, "👩") || strings.HasSuffix(piece, "\u200d") {
			t.Errorf("a family is parted: %q", piece)
		}
	}
	for _, piece := range splitter(t, 64, "").Split("", strings.Repeat("e\u0301", 300)) {
		if strings.HasPrefix(piece, "\u0301") {
			t.Errorf("a letter is parted from its accent: %q", piece)
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
