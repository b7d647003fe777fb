package series

import (
	"math/bits"
	"time"
)

const (
	// perOctave is how many buckets a histogram has between a duration and twice
	// it: a percentile is off by 10 % at most.
	perOctave = 4
	octaves   = 26 // from microseconds to more than a minute
)

// histogram counts durations.
type histogram [octaves * perOctave]uint32

func (h *histogram) add(took time.Duration) { h[indexOf(took)]++ }

// indexOf returns the bucket of a duration.
func indexOf(took time.Duration) int {
	micros := uint64(max(took, 0) / time.Microsecond)
	if micros < perOctave {
		return int(micros)
	}
	octave := bits.Len64(micros) - 1
	return min(octave*perOctave+int(micros>>(octave-2))&(perOctave-1)-perOctave, len(histogram{})-1)
}

// lower returns the shortest duration of a bucket.
func lower(index int) time.Duration {
	if index < perOctave {
		return time.Duration(index) * time.Microsecond
	}
	octave, part := index/perOctave+1, index%perOctave
	return time.Duration(perOctave+part) << (octave - 2) * time.Microsecond
}

// merge adds the counts of another histogram.
func (h *histogram) merge(other *histogram) {
	for i, n := range other {
		h[i] += n
	}
}

func (h *histogram) count() (n int64) {
	for _, in := range h {
		n += int64(in)
	}
	return n
}

// percentile returns the duration that a fraction of all durations, 0–1, did not
// exceed: the middle of its bucket.
func (h *histogram) percentile(part float64) time.Duration {
	rank, seen := part*float64(h.count()), 0.0
	for i, n := range h {
		seen += float64(n)
		if n > 0 && seen >= rank {
			return (lower(i) + lower(i+1)) / 2
		}
	}
	return 0
}
