package milvus

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"

	"mneme/vector"
)

// row is one chunk that a search found.
type row struct {
	id    string // rowID
	entry uuid.UUID
	chunk int
	score float32
}

// dot returns the score of a chunk for an exact index. It adds in the same order as package
// vector/flat, so that both compute the same bits: element i is added to accumulator i mod 8,
// each product is rounded before it is added, and the sum is ((0+4)+(2+6))+((1+5)+(3+7)).
func dot(query, v []float32) float32 {
	var s [8]float32
	for i, x := range v {
		s[i%8] += float32(query[i] * x) // the conversion prevents a fused multiply-add
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// bestPerEntry returns each entry of rows once, with the score and chunk of its best row.
// Entries are ordered by score, best first, ties by ID.
func bestPerEntry(rows []row) []vector.Hit {
	best := make(map[uuid.UUID]vector.Hit, len(rows))
	for _, r := range rows {
		score := float64(max(-1, min(1, r.score))) // rounding may push it outside [-1, 1]
		old, again := best[r.entry]
		if !again || score > old.Score || score == old.Score && r.chunk < old.Chunk {
			best[r.entry] = vector.Hit{Entry: r.entry, Score: score, Chunk: r.chunk}
		}
	}
	hits := slices.AppendSeq(make([]vector.Hit, 0, len(best)), maps.Values(best))
	slices.SortFunc(hits, func(a, b vector.Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return slices.Compare(a.Entry[:], b.Entry[:])
	})
	return hits
}
