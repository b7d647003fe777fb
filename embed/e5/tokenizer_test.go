package e5

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The digest is over the IDs that the reference tokenizer (PyPI tokenizers 0.23.3 with the
// model's tokenizer.json) returns for "x", the character and "Yo": each text's IDs as
// little-endian 32-bit numbers, then a line feed.
func TestEveryCharacterHasTheReferencesTokens(t *testing.T) {
	const want = "2214a4e9bea8a6f2db4c926b7c2b5e2f088f9d45ec3e10d8e4b3e7c7678c7f34"
	e, h := referenceEncoder(t), sha256.New()
	var line []byte
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		ids := e.tokenizer.encode("", "x"+string(r)+"Yo")
		line = line[:0]
		for _, id := range ids[1 : len(ids)-1] {
			line = binary.LittleEndian.AppendUint32(line, uint32(id))
		}
		h.Write(append(line, '\n'))
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// Presentation forms have the tokens of their plain letters, and all other characters the
// reference's tokens.
func TestPresentationFormsAreNormalized(t *testing.T) {
	e, plain := testEncoder(t), referenceEncoder(t)
	for text, same := range map[string]string{
		"Ｒｅｃｅｉｐｔ　８８３０": "Receipt 8830", "𝐑𝐞𝐜𝐞𝐢𝐩𝐭 𝚏𝚞𝚜𝚎 ①②": "Receipt fuse 12", "the ﬁrst oﬃcer": "the first officer",
		"ｶﾒﾗは棚": "カメラは棚", "⒜b 3½ m²": "(a)b 3 1\u20442 m2", "ℌ№5": "HNo5", "coŀlegi": "col·legi",
	} {
		if got, want := e.tokenizer.encode(queryPrefix, text), plain.tokenizer.encode(queryPrefix, same); !slices.Equal(got, want) {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
		ids, spans := e.tokenizer.encodeSpans("", text)
		if len(ids) != len(spans) || spans[len(spans)-2].end != len(text) {
			t.Errorf("%q: %d ids, spans %v", text, len(ids), spans)
		}
	}
	for _, text := range []string{"Straße, naïve café: «x» … “y”", "тест 日本語 한국어", "a_b-c d@e.f", "がぎぐ"} {
		if got, want := e.tokenizer.encode(queryPrefix, text), plain.tokenizer.encode(queryPrefix, text); !slices.Equal(got, want) {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestSpecialTokensInTextAreOrdinaryText(t *testing.T) {
	e := testEncoder(t)
	for _, mark := range []string{"[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"} {
		ids := e.tokenizer.encode(queryPrefix, "a "+mark+" b")
		for _, id := range ids[1 : len(ids)-1] {
			if id == e.tokenizer.(*wordPiece).cls || id == e.tokenizer.(*wordPiece).sep || id == e.tokenizer.(*wordPiece).unk || id == 103 || id == 0 {
				t.Errorf("%s became the special token %d", mark, id)
			}
		}
	}
}

func TestLongWordsAreUnknown(t *testing.T) {
	e := testEncoder(t)
	for n, unknown := range map[int]bool{maxWordRunes: false, maxWordRunes + 1: true} {
		ids := e.tokenizer.encode("", strings.Repeat("x", n))
		if got := slices.Equal(ids[1:len(ids)-1], []int32{e.tokenizer.(*wordPiece).unk}); got != unknown {
			t.Errorf("%d characters: unknown is %t", n, got)
		}
	}
}

func FuzzTokenizer(f *testing.F) {
	e := testEncoder(f)
	for _, s := range []string{"", "\x00", "\xff\xfe", "a\xc3", "😀👩‍👩‍👧", strings.Repeat("x", 101), strings.Repeat("a b ", 600), "[CLS] [SEP]", "≠≮`", "日本語 e\u0301", "İI\u0307", "\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids := e.tokenizer.encode(passagePrefix, text)
		if len(ids) < 2 || len(ids) > maxTokens || ids[0] != e.tokenizer.(*wordPiece).cls || ids[len(ids)-1] != e.tokenizer.(*wordPiece).sep {
			t.Fatalf("%d ids, from %d to %d", len(ids), ids[0], ids[len(ids)-1])
		}
		for _, id := range ids {
			if id < 0 || int(id) >= e.model.words.Q.Len()/width {
				t.Fatalf("id %d is out of range", id)
			}
		}
		if !slices.Equal(ids, e.tokenizer.encode(passagePrefix, text)) {
			t.Fatal("the same text gave other ids")
		}
	})
}
