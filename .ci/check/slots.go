package main

import (
	"slices"
	"sync"
)

// slots limits concurrency. Of the waiting goroutines, the one with the lowest
// number gets the next slot.
type slots struct {
	mu      sync.Mutex
	changed *sync.Cond
	free    int
	waiting []int
}

func newSlots(n int) *slots {
	s := &slots{free: n}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *slots) acquire(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, number)
	for s.free == 0 || slices.Min(s.waiting) != number {
		s.changed.Wait()
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(n int) bool { return n == number })
	s.free--
	s.changed.Broadcast() // another slot may be free for the next one
}

func (s *slots) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	s.changed.Broadcast()
}
