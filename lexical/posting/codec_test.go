package posting

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mneme/lexical"
)

var layouts = map[string]Layout{"packed": Packed, "aligned": Aligned}

func TestTermsRoundTrip(t *testing.T) {
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				want := lexical.Analyze(rapid.String().Draw(r, "text"), "a ab abc abc abd xyz").Terms
				data := layout.EncodeTerms(want)
				var got []lexical.Term
				if err := layout.DecodeTerms(data, func(key []byte, count uint32) {
					got = append(got, lexical.Term{Text: string(key), Count: int(count)})
				}); err != nil {
					r.Fatal(err)
				}
				if data == nil || !slices.Equal(got, want) {
					r.Fatalf("got %v, want %v", got, want)
				}
			})
			if layout.EncodeTerms(nil) == nil {
				t.Error("a document without terms is encoded as nil")
			}
		})
	}
}

// The hashed terms of a document are those of analysis, and ErrTerms tells of corrupt ones.
func TestHashedTermsAreThoseOfTheDocument(t *testing.T) {
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				terms := lexical.Analyze(rapid.String().Draw(r, "text"), "a ab abc abc abd xyz").Terms
				data := layout.EncodeTerms(terms)
				got, err := AppendHashed(nil, layout, data)
				if want := lexical.HashTerms(terms); err != nil || !slices.Equal(got, want) {
					r.Fatalf("%v: %v, want %v", terms, err, got)
				}
				data[rapid.IntRange(0, len(data)-1).Draw(r, "at")] = rapid.Byte().Draw(r, "byte")
				wantErr := layout.DecodeTerms(data, func([]byte, uint32) {})
				if _, err := AppendHashed(nil, layout, data); !errors.Is(err, wantErr) {
					r.Fatalf("corrupt terms: %v, want %v", err, wantErr)
				}
			})
			if none, err := AppendHashed(nil, layout, nil); none == nil || err != nil {
				t.Error("a document without terms has nil")
			}
			if _, err := AppendHashed(nil, layout, []byte{0xff, 0xff}); !errors.Is(err, ErrTerms) {
				t.Errorf("corrupt terms: %v", err)
			}
		})
	}
}

// FuzzTerms checks terms that analysis does not produce, and corrupt data.
func FuzzTerms(f *testing.F) {
	f.Add("a", "b", 3)
	f.Fuzz(func(t *testing.T, a, b string, count int) {
		count = 1 + (count&0x7fffffff)%lexical.MaxTermCount
		for _, layout := range layouts {
			n := 0
			err := layout.DecodeTerms(layout.EncodeTerms([]lexical.Term{{Text: a, Count: count}, {Text: b, Count: 1}}), func(key []byte, c uint32) {
				term := string(key)
				if n == 0 && (term != layout.TermKey(a) || int(c) != count) || n == 1 && term != layout.TermKey(b) {
					t.Errorf("term %d is %q %d", n, term, c)
				}
				n++
			})
			if err != nil || n != 2 {
				t.Errorf("%d terms: %v", n, err)
			}
			_ = layout.DecodeTerms([]byte(a), func([]byte, uint32) {}) // must not panic
		}
	})
}

// FuzzCorruptBlocks checks that corrupt blocks do not cause a panic.
func FuzzCorruptBlocks(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 0x80}, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 1, 1}, int64(256))
	f.Fuzz(func(t *testing.T, first, second []byte, start int64) {
		_, _ = rewriteAligned(Block{Data: first}, nil)
		for _, layout := range layouts {
			e := NewEvaluation(layout, []lexical.QueryTerm{{Text: "a", Weight: 1}, {Text: "b", Weight: 1}})
			e.AddTotal(10, 100)
			if e.AddBlock(1, 0, start, first) == nil && e.AddBlock(1, 0, start, second) == nil && e.AddBlock(1, 1, 0, second) == nil {
				if _, err := e.Rank(t.Context(), 3); err != nil {
					t.Error(err)
				}
			}
			e.Close()
		}
	})
}
