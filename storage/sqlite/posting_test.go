package sqlite

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mneme/lexical"
)

// somePostings draws postings in doc order.
func somePostings(r *rapid.T, name string) []posting {
	n := rapid.IntRange(0, 600).Draw(r, "number of "+name)
	docs := rapid.SliceOfNDistinct(rapid.OneOf(rapid.Int64Range(1, 4000), rapid.Int64Range(1, math.MaxInt64/4)), n, n, rapid.ID[int64]).Draw(r, name)
	slices.Sort(docs)
	postings := make([]posting, len(docs))
	for i, doc := range docs {
		postings[i] = posting{doc, rapid.Uint32Range(1, 300).Draw(r, "count"), rapid.Uint32Range(0, 1<<20).Draw(r, "length")}
	}
	return postings
}

func TestBlocksComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := somePostings(r, "docs")
		if len(want) == 0 {
			return
		}
		first := want[0].doc - rapid.Int64Range(0, min(want[0].doc, 100)).Draw(r, "slack")
		blocks := encodeBlocks(first, want, rapid.Bool().Draw(r, "appended"))
		var got []posting
		for i, b := range blocks {
			if len(b.bytes) == 0 || len(b.bytes) > maxBlock {
				r.Fatalf("block %d has %d bytes", i, len(b.bytes))
			}
			if i > 0 && got[len(got)-1].doc >= b.first {
				r.Fatalf("block %d begins at %d, within the one before", i, b.first)
			}
			var err error
			if got, err = decodeBlock(got, b.first, b.bytes); err != nil {
				r.Fatal(err)
			}
		}
		if blocks[0].first != first || !slices.Equal(got, want) {
			r.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestMergeAppliesTheLastChangeOfEachDoc(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		old := somePostings(r, "old")
		changes := rapid.SliceOf(rapid.Custom(func(r *rapid.T) posting {
			return posting{rapid.Int64Range(1, 4000).Draw(r, "doc"), rapid.Uint32Range(0, 3).Draw(r, "count"), 7}
		})).Draw(r, "changes")
		want := make(map[int64]posting)
		for _, p := range append(slices.Clone(old), changes...) {
			want[p.doc] = p
			if p.count == 0 {
				delete(want, p.doc)
			}
		}
		got := merge(old, settle(changes))
		if !slices.IsSortedFunc(got, func(a, b posting) int { return cmp.Compare(a.doc, b.doc) }) || len(got) != len(want) {
			r.Fatalf("got %v, want %v", got, want)
		}
		for _, p := range got {
			if want[p.doc] != p {
				r.Fatalf("got %v, want %v", p, want[p.doc])
			}
		}
	})
}

func TestTermsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := lexical.Analyze(rapid.String().Draw(r, "text"), "a ab abc abc abd xyz").Terms
		var got []lexical.Term
		if err := decodeTerms(encodeTerms(want), func(term string, count int) {
			got = append(got, lexical.Term{Text: term, Count: count})
		}); err != nil {
			r.Fatal(err)
		}
		if !slices.Equal(got, want) {
			r.Fatalf("got %v, want %v", got, want)
		}
	})
}

func FuzzDamagedBlocksAreErrorsAtWorst(f *testing.F) {
	f.Add([]byte{0x80}, []byte{1, 1, 'a', 1})
	f.Fuzz(func(t *testing.T, block, terms []byte) {
		_, _ = decodeBlock(nil, 1, block)
		_ = decodeTerms(terms, func(string, int) {})
	})
}

func TestTopKeepsTheBestAndTheirTies(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		scores := rapid.SliceOf(rapid.IntRange(0, 9)).Draw(r, "scores")
		limit := rapid.IntRange(1, 12).Draw(r, "limit")
		best := newTop(limit)
		var all []scored
		for doc, s := range scores {
			best.offer(int64(doc), float64(s))
			all = append(all, scored{int64(doc), float64(s)})
		}
		slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		end := min(limit, len(all))
		for end > 0 && end < len(all) && all[end].score == all[end-1].score {
			end++
		}
		if got := best.ranked(); !slices.Equal(got, all[:end]) {
			r.Fatalf("got %v, want %v", got, all[:end])
		}
	})
}
