package search

import (
	"slices"
	"sync"

	"mneme/acl"
	"mneme/memory"
)

// cachedStore says which cached rows of a store are still valid, for a viewer and a
// ceiling.
type cachedStore struct {
	ceiling acl.Label

	mu        sync.Mutex
	positions memory.FeedPositions // of labels up to ceiling, up to which changes are known
	epoch     int                  // counts the times that positions moved on
	changed   map[uint64]int       // the epoch in which a path changed last
	floor     int                  // rows of earlier epochs are not valid
}

// moveOn notes the changes from positions to head, unless another search has done so
// or head precedes them.
func (s *cachedStore) moveOn(positions, head memory.FeedPositions, feed memory.Feed, hash func(namespace, key string) uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.positions != positions || precedesAny(head, positions) {
		return
	}
	s.positions = head
	s.epoch++
	known := 0
	for label := acl.Public; label <= s.ceiling; label++ {
		if *feed.Removed.Of(label) > *positions.Of(label) {
			s.floor = s.epoch
		}
		known += int(*head.Of(label) - *positions.Of(label))
	}
	// Some are missing, or the path of one that was purged is not known.
	if known != len(feed.Records) || slices.ContainsFunc(feed.Records, func(r memory.FeedRecord) bool { return r.Key == "" }) ||
		len(s.changed)+known > maxChangedPaths {
		s.floor = s.epoch
	}
	if s.floor == s.epoch {
		clear(s.changed)
		return
	}
	for _, record := range feed.Records {
		s.changed[hash(record.Namespace, record.Key)] = s.epoch
	}
}

// precedesAny reports whether a position of p precedes that of q.
func precedesAny(p, q memory.FeedPositions) bool {
	for i := range p {
		if p[i] < q[i] {
			return true
		}
	}
	return false
}

// valid reports whether rows are those of the store in an epoch, which is not
// before theirs.
func (s *cachedStore) valid(g *pathRows, epoch int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch == epoch && g.epoch >= s.floor && g.epoch >= s.changed[g.path]
}
