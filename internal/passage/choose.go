package passage

import "math"

// Evidence is how well a segment matches each term of a question, from 0 to 1. nil: it
// matches none.
type Evidence []float64

// of returns how well a term is matched.
func (e Evidence) of(term int) float64 {
	if e == nil {
		return 0
	}
	return e[term]
}

// Options configure Choose.
type Options struct {
	Size  int     // maximum length of a passage, in bytes, unless a single segment is longer
	Most  int     // maximum number of passages
	Share float64 // share of the best passage's score that a further passage must reach
}

// Choice is a chosen passage: the segments First to Last.
type Choice struct {
	First, Last int
	Score       float64
}

// edgeShare is the weight of evidence at the edge of a passage, relative to evidence with
// its neighbours around it: the answer is often next to the words of the question.
// Measured: docs/decisions/0034-passages.md.
const edgeShare = 0.7

// Choose returns the best runs of segments, best first. The score of a run is the sum over
// the question's terms of weight times the best evidence in its segments. Of runs with the
// same score it takes the one with its evidence nearest to the middle, or else the first,
// so that without evidence it returns the beginning of the text. Chosen runs are not
// adjacent. There is at least one unless there are no segments.
func Choose(segments []Span, evidence []Evidence, weights []float64, o Options) []Choice {
	var choices []Choice
	taken := make([]bool, len(segments))
	totals := make([]float64, len(segments)) // weighted sum of each segment's evidence
	for i, e := range evidence {
		for t, met := range e {
			totals[i] += float64(weights[t] * met)
		}
	}
	for len(choices) < max(1, o.Most) {
		c, ok := best(segments, evidence, totals, weights, o.Size, taken)
		if !ok || len(choices) > 0 && !(c.Score > 0 && c.Score >= o.Share*choices[0].Score) {
			break
		}
		choices = append(choices, c)
		for i := max(0, c.First-1); i <= min(len(segments)-1, c.Last+1); i++ {
			taken[i] = true
		}
	}
	return choices
}

// best returns the best run among the segments that are not taken. A text of tiny lines
// has hundreds of segments in a run: best reads a run in full only if no earlier run has a
// higher score.
func best(segments []Span, evidence []Evidence, totals, weights []float64, size int, taken []bool) (b Choice, ok bool) {
	offset := 0.0 // offCentre of the best run
	// The maxima between the edges of a run.
	inner := maxima{evidence: evidence, queues: make([][]int, len(weights))}
	last := 0
	for first := range segments {
		if taken[first] {
			continue
		}
		last = max(first, last) // a run ends at the end of the previous one or later
		for last+1 < len(segments) && !taken[last+1] && segments[last+1].End-segments[first].Start <= size {
			last++
		}
		inner.slide(first+1, last-1)
		head, tail := 1.0, 1.0 // weights of the edges
		if first < last && first > 0 {
			head = edgeShare
		}
		if first < last && last+1 < len(segments) {
			tail = edgeShare
		}
		c := Choice{First: first, Last: last}
		for t, w := range weights {
			most := max(inner.of(t), float64(head*evidence[first].of(t)), float64(tail*evidence[last].of(t)))
			c.Score += float64(w * most)
		}
		if ok && c.Score < b.Score {
			continue
		}
		if o := offCentre(segments, totals, c); !ok || c.Score > b.Score || o < offset {
			b, offset, ok = c, o, true
		}
	}
	return b, ok
}

// maxima are the largest evidence in a window of segments, by term. The window only moves
// forward, so each segment enters and leaves once.
type maxima struct {
	evidence []Evidence
	next     int // the first segment that has not been in a window
	// queues hold, by term, the segments of the window with more evidence than all later
	// ones in the window: the first has the most.
	queues [][]int
}

// slide moves the window to the segments first to last; empty if last is before first.
// Neither may decrease.
func (m *maxima) slide(first, last int) {
	for m.next = max(m.next, first); m.next <= last; m.next++ {
		for t, met := range m.evidence[m.next] {
			if met == 0 {
				continue
			}
			queue := m.queues[t]
			for n := len(queue); n > 0 && m.evidence[queue[n-1]][t] <= met; n-- {
				queue = queue[:n-1]
			}
			m.queues[t] = append(queue, m.next)
		}
	}
	for t, queue := range m.queues {
		for len(queue) > 0 && queue[0] < first {
			queue = queue[1:]
		}
		m.queues[t] = queue
	}
}

// of returns the largest evidence in the window for a term.
func (m *maxima) of(term int) float64 {
	if queue := m.queues[term]; len(queue) > 0 {
		return m.evidence[queue[0]][term]
	}
	return 0
}

// offCentre returns the distance of the middle of a run's evidence from the run's own
// middle, in bytes; 0 without evidence.
func offCentre(segments []Span, totals []float64, c Choice) float64 {
	if c.Score == 0 {
		return 0
	}
	sum, moment := 0.0, 0.0
	for i := c.First; i <= c.Last; i++ {
		sum += totals[i]
		moment += float64(totals[i] * float64(segments[i].Start+segments[i].End))
	}
	return math.Abs(moment/sum-float64(segments[c.First].Start+segments[c.Last].End)) / 2
}
