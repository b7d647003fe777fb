package posting

import (
	"testing"

	"pgregory.net/rapid"
)

func TestAlignedBlocksHoldTheLastChangeOfEachDoc(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		block := Block{Start: AlignedStart(rapid.Int32Range(0, 1<<20).Draw(r, "number"))}
		want := make(map[int64]Posting)
		for range rapid.IntRange(0, 12).Draw(r, "steps") {
			var changes []Posting
			for range rapid.IntRange(1, 40).Draw(r, "changes") {
				changes = append(changes, Posting{
					Doc:   block.Start + rapid.Int64Range(0, AlignedDocs-1).Draw(r, "offset"),
					Count: uint32(rapid.Uint8().Draw(r, "count")), Length: rapid.Uint32().Draw(r, "length"),
				})
			}
			if data, ok := encodeAppend(changes); ok && len(want) == 0 && len(changes) == 1 {
				block.Data = append(block.Data, data...)
			} else {
				var err error
				if block.Data, err = rewriteAligned(block, changes); err != nil {
					r.Fatal(err)
				}
			}
			for _, c := range changes {
				if delete(want, c.Doc); c.Count > 0 {
					want[c.Doc] = c
				}
			}
		}
		got, err := Aligned.DecodeBlock(nil, block.Start, block.Data)
		if err != nil || len(got) != len(want) {
			r.Errorf("%d postings, want %d: %v", len(got), len(want), err)
		}
		for _, p := range got {
			if want[p.Doc] != p {
				r.Errorf("got %v, want %v", p, want[p.Doc])
			}
		}
		if len(block.Data) > 1800 {
			r.Errorf("a block of %d bytes", len(block.Data))
		}
	})
}
