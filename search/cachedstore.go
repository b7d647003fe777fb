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

// keepValid clears those groups of rows that are not those of their store in its epoch,
// which is not before theirs.
func keepValid(groups []*pathRows, epochs map[*cachedStore]int) {
	var locked *cachedStore // mostly all are of one
	current := false
	for i, g := range groups {
		if g == nil {
			continue
		}
		if g.store != locked {
			if locked != nil {
				locked.mu.Unlock()
			}
			locked = g.store
			locked.mu.Lock()
			current = locked.epoch == epochs[locked]
		}
		if !current || g.epoch < locked.floor || g.epoch < locked.changed[g.path] {
			groups[i] = nil
		}
	}
	if locked != nil {
		locked.mu.Unlock()
	}
}
