package flat

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

func TestRowsAreSortedByScoreEntryAndChunk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.Custom(func(t *rapid.T) scoredRow {
			score := rapid.OneOf(rapid.SampledFrom([]float32{-1, 1, 0.5}), rapid.Float32Range(-1, 1)).Draw(t, "score")
			return scoredRow{id: uuid.UUID{rapid.Byte().Draw(t, "entry") % 4}, score: score, chunk: uint32(rapid.IntRange(0, 2).Draw(t, "chunk"))}
		})
		rows := rapid.SliceOfN(row, 0, 40).Draw(t, "rows")
		top := newTopK(len(rows))
		defer top.release()
		top.rows = append(top.rows, rows...)
		top.sort()
		slices.SortFunc(rows, func(a, b scoredRow) int {
			return cmp.Or(cmp.Compare(b.score, a.score), bytes.Compare(a.id[:], b.id[:]), cmp.Compare(a.chunk, b.chunk))
		})
		if !slices.Equal(top.rows, rows) {
			t.Fatalf("rows %v, want %v", top.rows, rows)
		}
	})
}
