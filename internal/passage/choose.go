package passage

import "math"

// Evidence is what a segment has of a question: by term, how well the term is
// met, from 0 to 1.
type Evidence []float64

// Options say what Choose chooses.
type Options struct {
	Size  int     // of a passage, in bytes, at most, unless a single segment is longer
	Most  int     // passages
	Share float64 // of the best passage's score that a further one must reach
}

// Choice is a chosen passage: the segments First to Last.
type Choice struct {
	First, Last int
	Score       float64
}

// edgeShare is what evidence at the edge of a passage counts, compared with
// evidence that has its neighbours around it: the answer is often beside the
// words of the question. Measured: docs/decisions/0034-passages.md.
const edgeShare = 0.7

// Choose returns the best runs of segments, best first. A run scores the sum
// over the question's terms of weight times the best evidence that a segment of
// it has. Of several with the same score the one is taken whose evidence is nearest
// to its middle, or else the first, so that without any evidence it is the
// beginning of the text. Chosen runs do not touch. There is at least one unless
// there are no segments.
func Choose(segments []Span, evidence []Evidence, weights []float64, o Options) []Choice {
	var choices []Choice
	taken := make([]bool, len(segments))
	for len(choices) < max(1, o.Most) {
		c, ok := best(segments, evidence, weights, o.Size, taken)
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

// best returns the best run among the segments that are not taken.
func best(segments []Span, evidence []Evidence, weights []float64, size int, taken []bool) (b Choice, ok bool) {
	most := make([]float64, len(weights)) // of each term
	offset := 0.0                         // of the best run's evidence
	for first := range segments {
		if taken[first] {
			continue
		}
		last := first
		for last+1 < len(segments) && !taken[last+1] && segments[last+1].End-segments[first].Start <= size {
			last++
		}
		clear(most)
		for i := first; i <= last; i++ {
			share := 1.0
			if first < last && (i == first && first > 0 || i == last && last+1 < len(segments)) {
				share = edgeShare
			}
			for t, e := range evidence[i] {
				most[t] = max(most[t], float64(share*e))
			}
		}
		c := Choice{First: first, Last: last}
		for t, w := range weights {
			c.Score += float64(w * most[t])
		}
		if ok && c.Score < b.Score {
			continue
		}
		if o := offCentre(segments, evidence, weights, c); !ok || c.Score > b.Score || o < offset {
			b, offset, ok = c, o, true
		}
	}
	return b, ok
}

// offCentre returns how far the middle of a run's evidence is from the run's own,
// in bytes; 0 if it has none.
func offCentre(segments []Span, evidence []Evidence, weights []float64, c Choice) float64 {
	sum, moment := 0.0, 0.0
	for i := c.First; i <= c.Last; i++ {
		weight := 0.0
		for t, w := range weights {
			weight += float64(w * evidence[i][t])
		}
		sum += weight
		moment += float64(weight * float64(segments[i].Start+segments[i].End))
	}
	if sum == 0 {
		return 0
	}
	return math.Abs(moment/sum-float64(segments[c.First].Start+segments[c.Last].End)) / 2
}
