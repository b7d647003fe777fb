package flat

import (
	"bytes"
	"cmp"
	"math/rand/v2"
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

// The keys have ascending lower halves. Sorted by their upper halves, keys with equal upper
// halves stay in this order.
func TestSortUpper(t *testing.T) {
	var spare []uint64
	for _, n := range []int{0, 1, 255, 256, 1000, 300} {
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = uint64(rand.Uint32()>>(8*(i%4)))<<32 | uint64(i)
		}
		want := slices.Sorted(slices.Values(keys))
		if keys, spare = sortUpper(keys, spare); !slices.Equal(keys, want) {
			t.Errorf("%d keys are not sorted", n)
		}
	}
}
