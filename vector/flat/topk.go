package flat

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/google/uuid"

	"mneme/vector"
)

// topK collects the rows of a scan and finds the k best entries, each with its best chunk, and
// all entries that tie with the last of them.
//
// It keeps only rows that reach a threshold. When it has enough of them, it reduces them to one
// per entry and raises the threshold to the score of the k-th entry. So its size depends on k
// and on ties, not on the number of rows, and a row below the threshold costs one comparison.
//
// The top-k of package posting is simpler: there each document has only one score, and one
// goroutine adds all documents.
type topK struct {
	k         int
	threshold float32 // rows below it cannot be among the results
	rows      []scoredRow
	pruneAt   int // number of rows at which to prune
	*topKMemory
}

// topKMemory is the memory for the rows of a topK. Another topK may use it afterwards.
type topKMemory struct {
	collected, sorted []scoredRow
	keys, spare       []uint64
}

type scoredRow struct {
	id    uuid.UUID
	score float32
	chunk uint32
}

// topKPool reuses memory between searches.
var topKPool = sync.Pool{New: func() any { return new(topKMemory) }}

// newTopK returns a topK without rows. The caller releases it.
func newTopK(k int) *topK {
	t := &topK{k: k, threshold: float32(math.Inf(-1)), topKMemory: topKPool.Get().(*topKMemory)}
	t.rows = t.collected[:0]
	t.pruneAt = t.capacity(0)
	return t
}

// release returns the memory of the topK to the pool.
func (t *topK) release() {
	t.collected = t.rows
	topKPool.Put(t.topKMemory)
	t.topKMemory = nil
}

// capacity returns how many rows to collect before the next prune, if the last one kept some.
// This is at least twice as many, so that all prunes together take time proportional to the
// number of rows.
func (t *topK) capacity(kept int) int { return 2*max(kept, min(t.k, 1<<20)) + 512 }

// add adds a row with its score.
func (t *topK) add(score float32, id uuid.UUID, chunk uint32) {
	if score < t.threshold {
		return
	}
	t.rows = append(t.rows, scoredRow{id, clamp(score), chunk})
	if len(t.rows) >= t.pruneAt {
		t.prune()
	}
}

// clamp returns a score as a cosine: rounding may have pushed it outside [-1, 1].
func clamp(score float32) float32 { return max(-1, min(1, score)) }

// raise raises the threshold: rows below it are not among the results.
func (t *topK) raise(threshold float32) { t.threshold = max(t.threshold, threshold) }

// merge adds the rows of another topK.
func (t *topK) merge(other *topK) {
	t.rows = append(t.rows, other.rows...)
	t.prune()
}

// prune keeps the best row of each entry, and of these rows the first k and all that tie with
// the k-th. The rows are then sorted, best first.
func (t *topK) prune() {
	t.sort()
	again := t.repeats()
	kept := t.rows[:0]
	for _, row := range t.rows {
		if len(kept) >= t.k && row.score < kept[t.k-1].score {
			break
		}
		if !again(row) {
			kept = append(kept, row)
		}
	}
	t.rows, t.pruneAt = kept, t.capacity(len(kept))
	// A threshold of -1 would exclude scores below -1, which are only due to rounding.
	if len(kept) >= t.k && kept[t.k-1].score > -1 {
		t.raise(kept[t.k-1].score)
	}
}

// sort sorts the rows, best first, ties by entry and chunk. Few scores are equal, so it first
// sorts integers, which have the score in their upper half and the row's index in the lower.
func (t *topK) sort() {
	t.keys = t.keys[:0]
	for i, row := range t.rows {
		t.keys = append(t.keys, uint64(^orderedBits(row.score))<<32|uint64(i))
	}
	t.keys, t.spare = sortUpper(t.keys, t.spare)
	sorted := t.sorted[:0]
	for _, key := range t.keys {
		sorted = append(sorted, t.rows[uint32(key)])
	}
	t.rows, t.sorted = sorted, t.rows
	for rest := t.rows; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].score == rest[0].score {
			n++
		}
		if n > 1 {
			slices.SortFunc(rest[:n], func(a, b scoredRow) int {
				if c := bytes.Compare(a.id[:], b.id[:]); c != 0 {
					return c
				}
				return cmp.Compare(a.chunk, b.chunk)
			})
		}
		rest = rest[n:]
	}
}

// sortUpper sorts keys by their upper halves. It is stable. sorted is the memory of keys or of
// spare, and other is the other one. It is a radix sort from the least significant byte on
// (Knuth, The Art of Computer Programming, volume 3, section 5.2.5, algorithm R), which has no
// branches to mispredict. For few keys it uses slices.Sort, which is faster then. The order is
// the same, because the lower halves of keys must be in ascending order.
func sortUpper(keys, spare []uint64) (sorted, other []uint64) {
	if len(keys) < 256 {
		slices.Sort(keys)
		return keys, spare
	}
	spare = slices.Grow(spare[:0], len(keys))[:len(keys)]
	for shift := 32; shift < 64; shift += 8 {
		var at [256]uint32 // position of the next key with this byte
		for _, key := range keys {
			at[byte(key>>shift)]++
		}
		start := uint32(0)
		for i, n := range at {
			at[i], start = start, start+n
		}
		for _, key := range keys {
			to := &at[byte(key>>shift)]
			spare[*to] = key
			*to++
		}
		keys, spare = spare, keys
	}
	return keys, spare
}

// orderedBits returns an unsigned number for a score. A greater score has a greater number.
func orderedBits(score float32) uint32 {
	const sign = 1 << 31
	bits := math.Float32bits(score)
	if bits&sign != 0 {
		return ^bits
	}
	return bits | sign
}

// repeats returns a function that reports whether a row belongs to the same entry as an earlier
// one. The function must be called with the sorted rows in order. If all rows are first chunks,
// they belong to different entries, except equal rows, which are then adjacent.
func (t *topK) repeats() func(scoredRow) bool {
	if !slices.ContainsFunc(t.rows, func(row scoredRow) bool { return row.chunk > 0 }) {
		var last uuid.UUID
		first := true
		return func(row scoredRow) bool {
			again := row.id == last && !first
			last, first = row.id, false
			return again
		}
	}
	seen := make(map[uuid.UUID]struct{}, len(t.rows))
	return func(row scoredRow) bool {
		_, again := seen[row.id]
		seen[row.id] = struct{}{}
		return again
	}
}

// hits returns the results, best first; ties are ordered by entry ID.
func (t *topK) hits() []vector.Hit {
	t.prune()
	hits := make([]vector.Hit, len(t.rows))
	for i, row := range t.rows {
		hits[i] = vector.Hit{Entry: row.id, Score: float64(row.score), Chunk: int(row.chunk)}
	}
	return hits
}
