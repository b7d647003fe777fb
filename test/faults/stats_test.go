//go:build unix

package faults

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// stats counts events by name. It is safe for concurrent use.
type stats struct {
	mu     sync.Mutex
	counts map[string]int
}

func (s *stats) add(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[name] += n
}

func (s *stats) get(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[name]
}

// join adds the counts of other.
func (s *stats) join(other *stats) {
	for name, n := range other.counts {
		s.add(name, n)
	}
}

// String lists the counts, one per line.
func (s *stats) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		fmt.Fprintf(&lines, "%8d %s\n", s.counts[name], name)
	}
	return lines.String()
}
