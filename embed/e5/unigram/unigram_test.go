package unigram

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// letters is a tokenizer with a few pieces and Spaces.Split.
func letters(t testing.TB) *Tokenizer {
	t.Helper()
	tokenizer, err := New(lettersConfig())
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func lettersConfig() Config {
	none := math.Inf(-1)
	return Config{
		Pieces:       []string{"<unk>", "<s>", "</s>", "▁", "a", "b", "ab", "▁ab", "ba", "水", "abab"},
		Scores:       []float64{none, none, none, -2, -3, -3.5, -4, -5, -4.25, -6, -9},
		UnknownScore: -19,
		Unknown:      0, Start: 1, End: 2,
		Spaces: Spaces{Split: true},
	}
}

// best returns the largest sum of scores over all ways to split a word into pieces.
func best(t *Tokenizer, c Config, word string) float64 {
	if word == "" {
		return 0
	}
	most := math.Inf(-1)
	for id, piece := range c.Pieces {
		if rest, ok := strings.CutPrefix(word, piece); ok && !math.IsInf(c.Scores[id], -1) {
			most = max(most, c.Scores[id]+best(t, c, rest))
		}
	}
	first := []rune(word)[0]
	if !slices.Contains(c.Pieces, string(first)) {
		most = max(most, c.UnknownScore+best(t, c, word[len(string(first)):]))
	}
	return most
}

func TestTokensHaveTheLargestSumOfScores(t *testing.T) {
	tokenizer, config, r := letters(t), lettersConfig(), rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var b strings.Builder
		for range 1 + r.IntN(10) {
			b.WriteString([]string{"a", "b", "ab", "水", "é"}[r.IntN(5)])
		}
		text, sum := b.String(), 0.0
		for _, token := range tokenizer.Tokens(text, math.MaxInt) {
			if token.ID == config.Unknown {
				continue // may replace several characters
			}
			sum += config.Scores[token.ID]
		}
		sum += config.UnknownScore * float64(strings.Count(text, "é"))
		if want := best(tokenizer, config, "▁"+text); math.Abs(sum-want) > 1e-9 {
			t.Fatalf("%q: sum %g, want %g", text, sum, want)
		}
	}
}

func TestTokensHaveTheRangesOfTheirWords(t *testing.T) {
	long := strings.Repeat("a", maxWordTokens+2)
	for _, c := range []struct {
		text string
		want []Token
	}{
		{"", nil},
		{" \n", nil},
		{"ab ba", []Token{{7, 0, 2}, {3, 3, 5}, {8, 3, 5}}},
		{"éé a", []Token{{3, 0, 4}, {0, 0, 4}, {3, 5, 6}, {4, 5, 6}}},
		{"a水b", []Token{{3, 0, 1}, {4, 0, 1}, {9, 1, 4}, {5, 4, 5}}}, // a script without spaces
		{"水", []Token{{3, 0, 3}, {9, 0, 3}}},
		{"a▁ab", []Token{{3, 0, 1}, {4, 0, 1}, {7, 1, 6}}},
		{"a\xffb", []Token{{3, 0, 3}, {4, 0, 3}, {0, 0, 3}, {5, 0, 3}}},
	} {
		if got := letters(t).Tokens(c.text, math.MaxInt); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
	got := letters(t).Tokens(long, math.MaxInt)
	if len(got) != len(long)+1 || got[0] != (Token{3, 0, 1}) || got[1] != (Token{4, 0, 1}) || got[2] != (Token{4, 1, 2}) {
		t.Errorf("a long word: %v", got)
	}
	if got := letters(t).Tokens("ab ba ab", 2); !slices.Equal(got, []Token{{7, 0, 2}, {3, 3, 5}}) {
		t.Errorf("with a limit: %v", got)
	}
}

func TestSpacesAreTreatedAsConfigured(t *testing.T) {
	const space, a = 3, 4
	for _, c := range []struct {
		spaces Spaces
		want   []int32
	}{
		{Spaces{Split: true}, []int32{space, a, space, a}},
		{Spaces{}, []int32{space, space, a, space, space, a, space}},
		{Spaces{Collapse: true}, []int32{space, a, space, a, space}},
		{Spaces{TrimLeft: true, Collapse: true}, []int32{space, a, space, a, space}},
		{Spaces{TrimRight: true}, []int32{space, space, a, space, space, a}},
		{Spaces{TrimLeft: true}, []int32{space, a, space, space, a, space}},
	} {
		config := lettersConfig()
		config.Spaces = c.spaces
		tokenizer, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int32
		for _, token := range tokenizer.Tokens("  a  a ", math.MaxInt) {
			ids = append(ids, token.ID)
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%+v: %d, want %d", c.spaces, ids, c.want)
		}
	}
}

func TestWordsOfAnyLengthAreDivided(t *testing.T) {
	const n = 3*maxWordBytes + 5
	tokens := letters(t).Tokens(strings.Repeat("a", n), math.MaxInt)
	if len(tokens) != n+1 || tokens[n].End != n {
		t.Errorf("%d tokens, the last one ends at %d", len(tokens), tokens[len(tokens)-1].End)
	}
}

func TestUnmarshalReadsWhatMarshalWrote(t *testing.T) {
	config := lettersConfig()
	config.Charsmap = []byte{4, 0, 0, 0, 0, 0, 0, 0, 'x', 0}
	config.Spaces = Spaces{Collapse: true, TrimRight: true}
	b := config.Marshal()
	got, err := Unmarshal(b, config.Pieces)
	if err != nil {
		t.Fatal(err)
	}
	if got.Spaces != config.Spaces || got.Unknown != 0 || got.End != 2 || got.UnknownScore != -19 ||
		!slices.Equal(got.Scores, config.Scores) || !slices.Equal(got.Charsmap, config.Charsmap) {
		t.Errorf("got %+v", got)
	}
	for n := range b {
		if _, err := Unmarshal(b[:n], config.Pieces); err == nil {
			t.Errorf("%d of %d bytes: no error", n, len(b))
		}
	}
	if _, err := Unmarshal(append(b, 0), config.Pieces); err == nil {
		t.Error("a byte too many: no error")
	}
}

// A loaded tokenizer is a view of the file and splits texts like the tokenizer that was
// made from the pieces.
func TestLoadReadsWhatMarshalWrote(t *testing.T) {
	for name, unknown := range map[string]float64{"single": -3.5, "double": -3.3} {
		config := lettersConfig()
		config.Scores[5] = unknown
		config.Charsmap = []byte{4, 0, 0, 0, 0, 0, 0, 0, 'x', 0}
		config.Spaces = Spaces{Collapse: true, TrimRight: true}
		made, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		b := made.Marshal()
		loaded, err := Load(b)
		if err != nil {
			t.Fatal(err)
		}
		if !Loadable(b) || Loadable(config.Marshal()) {
			t.Error("the two forms are taken for each other")
		}
		if made.scores.double != (name == "double") || loaded.Pieces() != len(config.Pieces) ||
			loaded.Start() != config.Start || loaded.End() != config.End || loaded.Unknown() != config.Unknown {
			t.Errorf("%s: %d pieces, %d, %d and %d are special", name, loaded.Pieces(), loaded.Start(), loaded.End(), loaded.Unknown())
		}
		if !bytes.Equal(loaded.Marshal(), b) {
			t.Errorf("%s: the tokenizer differs after a round trip", name)
		}
		for _, text := range []string{"ab ba  abab", "a水b é", "", "bbbab\nab "} {
			if got, want := loaded.Tokens(text, math.MaxInt), made.Tokens(text, math.MaxInt); !slices.Equal(got, want) {
				t.Errorf("%q: %v, want %v", text, got, want)
			}
		}
		for n := range b {
			if _, err := Load(b[:n]); err == nil {
				t.Errorf("%d of %d bytes: no error", n, len(b))
			}
		}
		if _, err := Load(append(b, 0)); err == nil {
			t.Error("a byte too many: no error")
		}
	}
}

func FuzzLoad(f *testing.F) {
	tokenizer, err := New(lettersConfig())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(tokenizer.Marshal(), "ab ba水")
	f.Fuzz(func(_ *testing.T, b []byte, text string) {
		if tokenizer, err := Load(b); err == nil {
			tokenizer.Tokens(text, 100)
		}
	})
}

func TestImpossibleConfigsAreErrors(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no pieces":           func(c *Config) { c.Pieces, c.Scores = nil, nil },
		"a score too few":     func(c *Config) { c.Scores = c.Scores[1:] },
		"no number":           func(c *Config) { c.Scores[4] = math.NaN() },
		"infinite":            func(c *Config) { c.Scores[4] = math.Inf(1) },
		"unknown is infinite": func(c *Config) { c.UnknownScore = math.Inf(-1) },
		"empty piece":         func(c *Config) { c.Pieces[4] = "" },
		"piece not in UTF-8":  func(c *Config) { c.Pieces[4] = "\xe3\x81" },
		"equal pieces":        func(c *Config) { c.Pieces[4] = "b" },
		"ID out of range":     func(c *Config) { c.End = 11 },
		"one ID for two":      func(c *Config) { c.End = c.Start },
		"charsmap cut off":    func(c *Config) { c.Charsmap = []byte{8, 0, 0, 0, 1, 2, 3, 4} },
		"charsmap of bytes":   func(c *Config) { c.Charsmap = []byte{0, 0, 0, 0, 0xff} },
		"absurd replacement":  func(c *Config) { c.Charsmap = append(make([]byte, 4), strings.Repeat("x", 256)...) },
		"absurd charsmap":     func(c *Config) { c.Charsmap = make([]byte, maxCharsmap+1) },
	} {
		config := lettersConfig()
		change(&config)
		if _, err := New(config); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Any bytes are accepted as a charsmap, even damaged ones. No lookup may read outside it.
func FuzzCharsmap(f *testing.F) {
	f.Add([]byte{4, 0, 0, 0, 0, 0, 0, 0, 'x', 0}, "a\u0301b")
	f.Add(binary.LittleEndian.AppendUint32([]byte{4, 0, 0, 0}, math.MaxUint32), "水")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		c, err := parseCharsmap(b)
		if err != nil {
			return
		}
		end := 0
		c.normalize(text, func(_ string, from, to int) bool {
			if from != end || to <= from {
				t.Fatalf("a part from %d to %d after %d", from, to, end)
			}
			end = to
			return true
		})
		if end != len(text) {
			t.Fatalf("%d of %d bytes were normalized", end, len(text))
		}
	})
}

func FuzzUnmarshal(f *testing.F) {
	config := lettersConfig()
	f.Add(config.Marshal(), "ab ba")
	f.Fuzz(func(_ *testing.T, b []byte, text string) {
		config, err := Unmarshal(b, lettersConfig().Pieces)
		if err != nil {
			return
		}
		if tokenizer, err := New(config); err == nil {
			tokenizer.Tokens(text, 100)
		}
	})
}
