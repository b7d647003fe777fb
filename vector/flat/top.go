package flat

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/google/uuid"

	"mneme/vector"
)

// top keeps the best entries of a scan: the first limit by their best chunks,
// and all that tie with the last of them.
//
// It gathers the rows at or above a bar and, when it has gathered enough,
// cuts them down to entries and raises the bar to the last of the limit. So
// its size depends on the limit and on ties, never on how many rows or
// chunks there are, and a row below the bar costs one comparison.
type top struct {
	limit int
	bar   float32 // no row below it can be in the answer
	rows  []scored
	full  int // rows at which to cut
}

type scored struct {
	id    uuid.UUID
	score float32
}

func newTop(limit int) *top {
	t := &top{limit: limit, bar: float32(math.Inf(-1))}
	t.full = t.room(0)
	return t
}

// room is how many rows to gather when kept of them are entries already: it
// at least doubles, so that the work of cutting stays in proportion.
func (t *top) room(kept int) int { return 2*max(kept, min(t.limit, 1<<20)) + 512 }

// offer adds rows with their scores.
func (t *top) offer(scores []float32, ids []uuid.UUID) {
	for i, score := range scores {
		if score >= t.bar {
			// Rounding may lift a cosine out of [-1, 1].
			t.rows = append(t.rows, scored{ids[i], max(-1, min(1, score))})
			if len(t.rows) >= t.full {
				t.cut()
			}
		}
	}
}

// merge adds the rows of another top.
func (t *top) merge(other *top) {
	t.rows = append(t.rows, other.rows...)
	t.cut()
}

// cut keeps of each entry its best row, and of the entries the first limit
// and those that tie with the last. The rows are in order then.
func (t *top) cut() {
	slices.SortFunc(t.rows, func(a, b scored) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return bytes.Compare(a.id[:], b.id[:])
	})
	seen := make(map[uuid.UUID]struct{}, len(t.rows))
	kept := t.rows[:0]
	for _, row := range t.rows {
		if len(kept) >= t.limit && row.score < kept[t.limit-1].score {
			break
		}
		if _, again := seen[row.id]; !again {
			seen[row.id] = struct{}{}
			kept = append(kept, row)
		}
	}
	t.rows, t.full = kept, t.room(len(kept))
	// At -1 the bar stays open for what rounding put below -1.
	if len(kept) >= t.limit && kept[t.limit-1].score > -1 {
		t.bar = kept[t.limit-1].score
	}
}

// hits ends the scan.
func (t *top) hits() []vector.Hit {
	t.cut()
	hits := make([]vector.Hit, len(t.rows))
	for i, row := range t.rows {
		hits[i] = vector.Hit{Entry: row.id, Score: float64(row.score)}
	}
	return hits
}
