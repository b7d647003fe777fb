package main

import (
	"container/heap"
	"math/rand/v2"
)

// simulator runs events in order of time. The same seed gives the same run.
type simulator struct {
	now    float64 // seconds
	random *rand.Rand
	events eventHeap
	last   int // number of events scheduled so far
}

func newSimulator(seed uint64) *simulator {
	return &simulator{random: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // reproducible, not secret
}

// after schedules do after the given seconds.
func (s *simulator) after(seconds float64, do func()) {
	s.last++
	heap.Push(&s.events, event{s.now + seconds, s.last, do})
}

// run runs the events until a time, in seconds.
func (s *simulator) run(until float64) {
	for len(s.events) > 0 && s.events[0].at <= until {
		next := heap.Pop(&s.events).(event)
		s.now = next.at
		next.do()
	}
	s.now = until
}

// arrivals calls arrive as a Poisson process with a mean number a second.
func (s *simulator) arrivals(perSecond float64, arrive func()) {
	if perSecond <= 0 {
		return
	}
	s.after(s.random.ExpFloat64()/perSecond, func() {
		arrive()
		s.arrivals(perSecond, arrive)
	})
}

// event happens at a time. Simultaneous events run in the order in which they were
// scheduled.
type event struct {
	at    float64
	order int
	do    func()
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = event{}
	*h = old[:len(old)-1]
	return last
}
