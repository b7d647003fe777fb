package flat

import "math"

// seeds are the rows with which a scan finds a threshold: of the rows that are first chunks of
// their entries, the limit rows with the greatest bounds. They are a heap whose root is the
// least. First chunks belong to different entries, so at least limit entries score no less than
// the least seed, and a row that scores less is no result. Which rows are chosen, among ties or
// otherwise, does not change the results.
type seeds struct {
	heap   []seed
	pooled *[]seed
	limit  int
}

// A seed is a row of a span.
type seed struct {
	score float32 // the row's score, or a bound of it
	row   int
	span  *span
}

// newSeeds returns seeds without rows. The caller releases them.
func newSeeds(limit int) seeds {
	if limit == 0 {
		return seeds{}
	}
	pooled := seedPool.Get().(*[]seed)
	return seeds{limit: limit, heap: (*pooled)[:0], pooled: pooled}
}

// release returns the memory of the seeds to the pool.
func (s *seeds) release() {
	if s.limit > 0 {
		clear(s.heap) // releases the spans to the garbage collector
		*s.pooled = s.heap
		seedPool.Put(s.pooled)
	}
}

// least returns the least score of the seeds; -Inf if there are fewer than limit.
func (s *seeds) least() float32 {
	if len(s.heap) < s.limit || s.limit == 0 {
		return float32(math.Inf(-1))
	}
	return s.heap[0].score
}

// choose adds those first chunks of a span whose bounds are among the greatest so far.
func (s *seeds) choose(bounds []float32, rows *span) {
	if s.limit == 0 {
		return
	}
	least := s.least()
	for i, bound := range bounds {
		if bound > least && rows.chunks[i] == 0 {
			s.add(seed{bound, i, rows})
			least = s.least()
		}
	}
}

// add adds a seed. It replaces the least one if there are limit already.
func (s *seeds) add(added seed) {
	if len(s.heap) < s.limit {
		s.heap = append(s.heap, added)
		for i := len(s.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if s.heap[parent].score <= s.heap[i].score {
				return
			}
			s.heap[parent], s.heap[i] = s.heap[i], s.heap[parent]
			i = parent
		}
		return
	}
	if added.score <= s.heap[0].score {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s.heap) {
			break
		}
		if child+1 < len(s.heap) && s.heap[child+1].score < s.heap[child].score {
			child++
		}
		if added.score <= s.heap[child].score {
			break
		}
		s.heap[i], i = s.heap[child], child
	}
	s.heap[i] = added
}
