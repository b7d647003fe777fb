package posting

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawPostings draws postings in docID order.
func drawPostings(r *rapid.T, name string) []Posting {
	n := rapid.IntRange(0, 600).Draw(r, "number of "+name)
	docs := rapid.SliceOfNDistinct(rapid.OneOf(rapid.Int64Range(1, 4000), rapid.Int64Range(1, math.MaxInt64/4)), n, n, rapid.ID[int64]).Draw(r, name)
	slices.Sort(docs)
	postings := make([]Posting, len(docs))
	for i, doc := range docs {
		postings[i] = Posting{doc, rapid.Uint32Range(1, 300).Draw(r, "count"), rapid.Uint32Range(0, 1<<20).Draw(r, "length")}
	}
	return postings
}

func TestPackedBlocksRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := drawPostings(r, "docs")
		if len(want) == 0 {
			return
		}
		start := want[0].Doc - rapid.Int64Range(0, min(want[0].Doc, 100)).Draw(r, "slack")
		blocks := packBlocks(List{}, start, want, rapid.Bool().Draw(r, "appended"))
		var got []Posting
		for i, b := range blocks {
			if len(b.Data) == 0 || len(b.Data) > PackedBytes {
				r.Fatalf("block %d has %d bytes", i, len(b.Data))
			}
			if i > 0 && got[len(got)-1].Doc >= b.Start {
				r.Fatalf("block %d starts at %d, within the one before", i, b.Start)
			}
			var err error
			if got, err = Packed.DecodeBlock(got, b.Start, b.Data); err != nil {
				r.Fatal(err)
			}
		}
		if blocks[0].Start != start || !slices.Equal(got, want) {
			r.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestMergeAppliesTheLastChangeOfEachDoc(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		old := drawPostings(r, "old")
		changes := rapid.SliceOf(rapid.Custom(func(r *rapid.T) Posting {
			return Posting{rapid.Int64Range(1, 4000).Draw(r, "doc"), rapid.Uint32Range(0, 3).Draw(r, "count"), 7}
		})).Draw(r, "changes")
		want := make(map[int64]Posting)
		for _, p := range append(slices.Clone(old), changes...) {
			want[p.Doc] = p
			if p.Count == 0 {
				delete(want, p.Doc)
			}
		}
		got := merge(old, lastChanges(changes))
		if !slices.IsSortedFunc(got, func(a, b Posting) int { return cmp.Compare(a.Doc, b.Doc) }) || len(got) != len(want) {
			r.Fatalf("got %v, want %v", got, want)
		}
		for _, p := range got {
			if want[p.Doc] != p {
				r.Fatalf("got %v, want %v", p, want[p.Doc])
			}
		}
	})
}
