package posting

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mneme/internal/workload"
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

// Skipping the terms of other queries changes neither counts nor errors.
func TestCountsMatchTheTerms(t *testing.T) {
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				word := rapid.StringMatching(`[abc]{0,2}`)
				var terms []lexical.Term
				for _, text := range slices.Compact(slices.Sorted(slices.Values(rapid.SliceOf(word).Draw(r, "terms")))) {
					terms = append(terms, lexical.Term{Text: text, Count: rapid.IntRange(1, lexical.MaxTermCount).Draw(r, "count")})
				}
				data := layout.EncodeTerms(terms)
				corrupt := len(data) > 0 && rapid.Bool().Draw(r, "corrupt")
				if corrupt {
					data[rapid.IntRange(0, len(data)-1).Draw(r, "at")] = rapid.Byte().Draw(r, "byte")
				}
				var query []lexical.QueryTerm
				index := make(map[string]int)
				for i, text := range rapid.SliceOfNDistinct(word, 1, 4, rapid.ID).Draw(r, "query") {
					query = append(query, lexical.QueryTerm{Text: text})
					index[text] = i
				}
				want := make([]int, len(query))
				wantErr := layout.DecodeTerms(data, func(key []byte, count uint32) {
					if i, ok := index[string(key)]; ok {
						want[i] = int(count)
					}
				})
				got, err := NewTermCounter(layout, query).Count(nil, data)
				if !errors.Is(err, wantErr) || !slices.Equal(got, want) {
					r.Fatalf("counts %v, %v of %v in %v, want %v, %v", got, err, query, data, want, wantErr)
				}
				for _, term := range terms {
					if i, ok := index[term.Text]; ok && !corrupt && got[i] != term.Count {
						r.Fatalf("%q is counted %d times, want %d", term.Text, got[i], term.Count)
					}
				}
			})
		})
	}
}

// BenchmarkCount counts the terms of questions in 1,000 documents of some 25 words each.
func BenchmarkCount(b *testing.B) {
	const documents = 1000
	for name, layout := range layouts {
		b.Run(name, func(b *testing.B) {
			var data [documents][]byte
			var counters [documents]*TermCounter
			for i := range documents {
				m := workload.NewMemory(1, i)
				data[i] = layout.EncodeTerms(lexical.Analyze(m.Text()).Terms)
				counters[i] = NewTermCounter(layout, lexical.ParseQuery(m.Question()))
			}
			var counts []int
			for i := 0; b.Loop(); i++ {
				var err error
				if counts, err = counters[i/100%documents].Count(counts, data[i*7%documents]); err != nil {
					b.Fatal(err)
				}
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
			if a != b {
				query := []lexical.QueryTerm{{Text: b, Weight: 1}, {Text: a + b + "x", Weight: 1}, {Text: a, Weight: 1}}
				got, err := NewTermCounter(layout, query).Count(nil, layout.EncodeTerms([]lexical.Term{{Text: a, Count: count}, {Text: b, Count: 1}}))
				if err != nil || !slices.Equal(got, []int{1, 0, count}) {
					t.Errorf("counts %v: %v", got, err)
				}
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
