package posting

import (
	"cmp"
	"container/heap"
	"slices"
)

// Scored is a document and its score.
type Scored struct {
	DocKey
	Score float64
}

// topK collects the limit documents with the highest scores and all that tie
// with the last of them.
type topK struct {
	limit  int
	scores minHeap  // the limit highest scores; the least is the threshold
	kept   []Scored // documents that were at or above the threshold when offered
}

// minHeap is a heap of scores with the least at the root.
type minHeap []float64

func (h minHeap) Len() int           { return len(h) }
func (h minHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h minHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *minHeap) Push(any)          { panic("posting: scores are appended, without an allocation") }
func (h *minHeap) Pop() any          { panic("posting: scores are replaced, never popped") }

// offer adds a document unless its score is below the threshold.
func (t *topK) offer(doc DocKey, score float64) {
	switch {
	case len(t.scores) < t.limit:
		t.scores = append(t.scores, score)
		heap.Fix(&t.scores, len(t.scores)-1)
	case score < t.scores[0]:
		return
	case score > t.scores[0]:
		t.scores[0] = score
		heap.Fix(&t.scores, 0)
	}
	t.kept = append(t.kept, Scored{doc, score})
}

// ranked returns the collected documents, highest score first, ties by key.
func (t *topK) ranked() []Scored {
	if len(t.scores) == t.limit {
		threshold := t.scores[0]
		t.kept = slices.DeleteFunc(t.kept, func(s Scored) bool { return s.Score < threshold })
	}
	slices.SortFunc(t.kept, func(a, b Scored) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c // the common case: few scores are equal
		}
		return cmp.Or(cmp.Compare(a.Store, b.Store), cmp.Compare(a.Doc, b.Doc))
	})
	return t.kept
}
