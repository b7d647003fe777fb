package posting

import (
	"cmp"
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
	scores []float64 // a heap of the limit highest scores, with the least at the root
	kept   []Scored  // documents that were at or above the least score when offered
}

// offer adds a document unless its score is below the limit highest scores.
func (t *topK) offer(doc DocKey, score float64) {
	if len(t.scores) < t.limit {
		t.scores = append(t.scores, score)
		if len(t.scores) == t.limit {
			for i := t.limit/2 - 1; i >= 0; i-- {
				t.down(i)
			}
		}
	} else if least := t.scores[0]; score < least {
		return
	} else if score > least {
		t.scores[0] = score
		t.down(0)
	}
	t.kept = append(t.kept, Scored{doc, score})
}

// down moves the i-th score down the heap, until none below it is less.
func (t *topK) down(i int) {
	score := t.scores[i]
	for {
		child := 2*i + 1
		if child >= len(t.scores) {
			break
		}
		if child+1 < len(t.scores) && t.scores[child+1] < t.scores[child] {
			child++
		}
		if score <= t.scores[child] {
			break
		}
		t.scores[i], i = t.scores[child], child
	}
	t.scores[i] = score
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
