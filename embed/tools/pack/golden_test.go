package pack

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"mneme/embed/e5"
	"mneme/embed/e5/unigram"
	"mneme/embed/tools/pack/packtest"
	"mneme/test/size"
)

// packtest/testdata/golden.py generates the golden files.

func readGolden(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("packtest", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// tokenizerJSON returns the tokenizer.json of the small unigram model.
func tokenizerJSON(t testing.TB) []byte {
	t.Helper()
	b, err := packtest.Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tokenizers caches the results of tokenizerWith: parsing takes longer than most tests.
var tokenizers sync.Map // *unigram.Tokenizer by unigram.Spaces

// tokenizerWith returns the tokenizer of the small unigram model with other Spaces.
func tokenizerWith(t testing.TB, spaces unigram.Spaces) *unigram.Tokenizer {
	t.Helper()
	if made, ok := tokenizers.Load(spaces); ok {
		return made.(*unigram.Tokenizer)
	}
	_, config, err := readTokenizer(tokenizerJSON(t))
	if err != nil {
		t.Fatal(err)
	}
	config.Spaces = spaces
	tokenizer, err := unigram.New(*config)
	if err != nil {
		t.Fatal(err)
	}
	tokenizers.Store(spaces, tokenizer)
	return tokenizer
}

func idsOf(tokenizer *unigram.Tokenizer, text string) []int32 {
	ids := []int32{}
	for _, token := range tokenizer.Tokens(text, math.MaxInt) {
		ids = append(ids, token.ID)
	}
	return ids
}

func TestTokenIDsMatchTheReference(t *testing.T) {
	type row struct {
		Text                         string
		Split, Collapse, Trim, Plain []int32
	}
	var golden struct {
		Digest string
		Rows   []row
	}
	readGolden(t, "tokens.json", &golden)
	if len(golden.Rows) < 200 {
		t.Fatalf("%d golden rows", len(golden.Rows))
	}
	differ := 0
	for name, form := range map[string]struct {
		spaces unigram.Spaces
		want   func(row) []int32
	}{
		"split":    {unigram.Spaces{Split: true}, func(r row) []int32 { return r.Split }},
		"collapse": {unigram.Spaces{Collapse: true}, func(r row) []int32 { return r.Collapse }},
		"trim":     {unigram.Spaces{Collapse: true, TrimRight: true}, func(r row) []int32 { return r.Trim }},
		"plain":    {unigram.Spaces{}, func(r row) []int32 { return r.Plain }},
	} {
		tokenizer := tokenizerWith(t, form.spaces)
		for _, r := range golden.Rows {
			want := form.want(r)
			if want == nil { // the same as split
				want = r.Split
			} else if name != "split" {
				differ++
			}
			if got := idsOf(tokenizer, r.Text); !slices.Equal(got, want) {
				t.Errorf("%s %+q:\n got %d\nwant %d", name, r.Text, got, want)
			}
		}
	}
	if differ == 0 {
		t.Error("no text tells the treatments of spaces apart")
	}
	// A full run tests all characters, a small run the first two planes of Unicode. The
	// reference gave a digest for all characters only. The digest for two planes is by this
	// code, at a time when it gave the reference's digest for all.
	last, digest := rune(0x1ffff), "79d989c07c282d01dcc93c4bb3d790ccffd9c77dc2560d4c7e2ac993d7c2dc11"
	if size.Full() {
		last, digest = utf8.MaxRune, golden.Digest
	}
	tokenizer, h := tokenizerWith(t, unigram.Spaces{Split: true}), sha256.New()
	var line []byte
	for r := rune(0); r <= last; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		line = line[:0]
		for _, token := range tokenizer.Tokens("x"+string(r)+"Yo", math.MaxInt) {
			line = binary.LittleEndian.AppendUint32(line, uint32(token.ID))
		}
		h.Write(append(line, '\n'))
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != digest {
		t.Errorf("digest over every character up to %U is %s, want %s", last, got, digest)
	}
}

func TestNamesOfSpecialTokensAreOrdinaryText(t *testing.T) {
	tokenizer := tokenizerWith(t, unigram.Spaces{Split: true})
	for _, name := range []string{"<s>", "<pad>", "</s>", "<mask>", "<unk>"} {
		for _, id := range idsOf(tokenizer, "a "+name+" b"+name) {
			if id <= 2 || id == 855 {
				t.Errorf("%s became the special token %d", name, id)
			}
		}
	}
}

// goldenEncoder is the encoder of the small model with random parameters.
var goldenEncoder = sync.OnceValues(func() (*e5.Encoder, error) {
	tokenizer, err := packtest.Tokenizer()
	if err != nil {
		return nil, err
	}
	model := packtest.Random(packtest.Rows).Safetensors()
	file, err := Safetensors(bytes.NewReader(model), int64(len(model)), tokenizer, 8)
	if err != nil {
		return nil, err
	}
	return e5.New(e5.Options{Weights: file})
})

func smallEncoder(t testing.TB) *e5.Encoder {
	t.Helper()
	e, err := goldenEncoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// This tests the whole path from safetensors and tokenizer.json to the weights file and the
// encoder. The reference computes in double precision, with the parameters before they are
// rounded.
func TestVectorsAreWithinCosineOfTheReference(t *testing.T) {
	var rows []struct {
		Prefix, Text string
		Vector       []float64
	}
	readGolden(t, "vectors.json", &rows)
	e := smallEncoder(t)
	least := 1.0
	for _, r := range rows {
		var got []float32
		if r.Prefix == "query: " {
			query, err := e.Query(t.Context(), r.Text)
			if err != nil {
				t.Fatal(err)
			}
			got = query.Vector
		} else {
			passages, err := e.Passages(t.Context(), []string{r.Text})
			if err != nil {
				t.Fatal(err)
			}
			got = passages[0].Vector
		}
		c := cosine(got, r.Vector)
		least = min(least, c)
		if c < 0.9998 {
			t.Errorf("%q: cosine %.6f", r.Prefix+r.Text[:min(len(r.Text), 60)], c)
		}
	}
	t.Logf("%d texts, smallest cosine %.6f, kernels %s", len(rows), least, e.Kernels())
	if !strings.HasPrefix(e.Fingerprint(), "e5-unigram/") {
		t.Errorf("fingerprint %s", e.Fingerprint())
	}
}

// checkChunks checks Split's contract for a unigram model: chunks begin with the header,
// fit the window, are in the order of the text and omit nothing.
func checkChunks(t *testing.T, header, text string) []string {
	t.Helper()
	e, tokenizer := smallEncoder(t), tokenizerWith(t, unigram.Spaces{Split: true})
	chunks, spans := e.Split(header, text), e.Spans(header, text)
	if len(chunks) == 0 || len(chunks) != len(spans) {
		t.Fatalf("%d chunks, %d spans", len(chunks), len(spans))
	}
	for i, chunk := range chunks {
		if n := len(idsOf(tokenizer, "passage: "+chunk)) + 2; n > 512 {
			t.Fatalf("chunk %d has %d tokens", i, n)
		}
		if !strings.HasSuffix(chunk, text[spans[i][0]:spans[i][1]]) {
			t.Fatalf("chunk %d does not end with its span", i)
		}
		if i > 0 && (spans[i][0] > spans[i-1][1] || spans[i][0] <= spans[i-1][0] || spans[i][1] <= spans[i-1][1]) {
			t.Fatalf("chunk %d spans %v after %v", i, spans[i], spans[i-1])
		}
	}
	if spans[0][0] != 0 || spans[len(spans)-1][1] != len(text) {
		t.Fatalf("the chunks do not cover the text: %v of %d bytes", spans, len(text))
	}
	return chunks
}

func TestTextsWithoutSpacesAreSplitAtSentences(t *testing.T) {
	sentence := "花园每周需要浇两次水，干燥的夏天要更多。"
	chunks := checkChunks(t, "notes/garden", strings.Repeat(sentence, 120))
	if len(chunks) < 3 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, chunk := range chunks {
		if !strings.HasSuffix(chunk, "。") || !strings.HasPrefix(chunk, "notes/garden\n花园") {
			t.Errorf("chunk %d is cut within a sentence", i)
		}
	}
	for _, text := range []string{
		strings.Repeat("สวนต้องการน้ำสัปดาห์ละสองครั้ง", 60),
		strings.Repeat("ﷺ", 900),
		strings.Repeat("x", 70_000),
		strings.Repeat("e\u0301\u0302", 3000),
		strings.Repeat("庭には 水が必要です\n", 200),
	} {
		if chunks := checkChunks(t, "header", text); len(chunks) < 2 {
			t.Errorf("%d chunks", len(chunks))
		}
	}
}

func FuzzSplitUnigram(f *testing.F) {
	f.Add("", "", 1)
	f.Add("a header", "One sentence. Another! 日本語。\n\n", 300)
	f.Add("\xff", "ﷺ㍿", 900)
	f.Add("▁", "ไม่ ", 900)
	f.Fuzz(func(t *testing.T, header, text string, times int) {
		checkChunks(t, header, strings.Repeat(text, max(0, min(times, 2_000/(len(text)+1))))) // each chunk is tokenized once more
	})
}

func FuzzUnigram(f *testing.F) {
	for _, s := range []string{"", "\x00", "\xff\xfe", "a\xc3", "😀👩‍👩‍👧", "<s> </s>", "日本語 e\u0301", "▁▁", "ﷺaﷺ", " \t\u3000 x  "} {
		f.Add(s, true, true)
	}
	f.Fuzz(func(t *testing.T, text string, split, trim bool) {
		tokenizer := tokenizerWith(t, unigram.Spaces{Split: split, Collapse: trim, TrimLeft: trim, TrimRight: trim})
		tokens := tokenizer.Tokens(text, math.MaxInt)
		end := 0
		for i, token := range tokens {
			if token.ID < 3 || token.ID >= 855 {
				t.Fatalf("token %d is %d", i, token.ID)
			}
			if i > 0 && token.Start == tokens[i-1].Start && token.End == tokens[i-1].End {
				continue // this piece belongs to the same word
			}
			if token.Start < end || token.End < token.Start || token.End > len(text) {
				t.Fatalf("token %d is from %d to %d, the one before ends at %d", i, token.Start, token.End, end)
			}
			end = token.End
		}
		if n := len(tokens); n > 1 {
			if got := tokenizer.Tokens(text, n/2); !slices.Equal(got, tokens[:n/2]) {
				t.Fatal("a limit changes the tokens")
			}
		}
	})
}
