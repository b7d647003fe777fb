package series

import (
	"slices"
	"time"
)

// maxSlow bounds the shapes of slow searches.
const maxSlow = 20

// Shape describes a search without secrets: its options, its size and its outcome,
// without text, keys, agents, stores or filter values.
type Shape struct {
	Mode     string  // hybrid, lexical or vector
	Options  Options // those that the request had
	Limit    int
	Wordings int
	Stores   int // searched
	Degraded bool
}

// Options is a set of options of a search, by their bits.
type Options uint32

// Slow aggregates the slow searches of one shape.
type Slow struct {
	Shape
	Searches int64
	Times    Times // of the slowest
	Last     time.Time
}

// slowList holds the slow searches of the last hour. If there are more shapes
// than maxSlow, it holds the slowest.
type slowList struct {
	least time.Duration
	n     int
	of    [maxSlow]Slow
}

func (l *slowList) add(shape Shape, times *Times, now time.Time) {
	if times[Whole] < l.least {
		return
	}
	l.expire(now)
	quickest := 0
	for i := range l.of[:l.n] {
		s := &l.of[i]
		if s.Shape == shape {
			s.Searches++
			s.Last = now
			if times[Whole] > s.Times[Whole] {
				s.Times = *times
			}
			return
		}
		if s.Times[Whole] < l.of[quickest].Times[Whole] {
			quickest = i
		}
	}
	one := Slow{Shape: shape, Searches: 1, Times: *times, Last: now}
	switch {
	case l.n < maxSlow:
		l.of[l.n] = one
		l.n++
	case l.of[quickest].Times[Whole] < times[Whole]:
		l.of[quickest] = one
	}
}

// expire removes the shapes that were last seen more than an hour ago.
func (l *slowList) expire(now time.Time) {
	kept := slices.DeleteFunc(l.of[:l.n], func(s Slow) bool { return now.Sub(s.Last) > Buckets*Step })
	l.n = len(kept)
}

// list returns the shapes, slowest first.
func (l *slowList) list(now time.Time) []Slow {
	l.expire(now)
	all := slices.Clone(l.of[:l.n])
	slices.SortStableFunc(all, func(a, b Slow) int { return int(b.Times[Whole] - a.Times[Whole]) })
	return all
}
