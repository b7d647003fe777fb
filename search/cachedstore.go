package search

import (
	"slices"
	"sync"

	"mneme/acl"
	"mneme/memory"
)

// cachedStore says which cached rows of a store a viewer has read, for a ceiling, that are
// still valid.
type cachedStore struct {
	ceiling acl.Label

	mu        sync.Mutex
	number    uint64               // of the reader in candidateCache.read; another one when no row is valid
	positions memory.FeedPositions // of labels up to ceiling, up to which changes are known
	// changed has the paths that have changed since the store has its number, with the stamp
	// of the rows that the viewer has read of it since; 0: none.
	changed map[uint64]uint64
}

// moveOn notes the changes from positions to head, unless another search has done so
// or head precedes them.
func (s *cachedStore) moveOn(positions, head memory.FeedPositions, feed memory.Feed, c *candidateCache) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.positions != positions || precedesAny(head, positions) {
		return
	}
	s.positions = head
	known, removed := 0, false
	for label := acl.Public; label <= s.ceiling; label++ {
		removed = removed || *feed.Removed.Of(label) > *positions.Of(label)
		known += int(*head.Of(label) - *positions.Of(label))
	}
	// Some are missing, or the path of one that was purged is not known.
	if removed || known != len(feed.Records) || slices.ContainsFunc(feed.Records, func(r memory.FeedRecord) bool { return r.Key == "" }) ||
		len(s.changed)+known > maxChangedPaths {
		s.number = c.last.Add(1)
		clear(s.changed)
		return
	}
	for _, record := range feed.Records {
		s.changed[c.pathHash(record.Namespace, record.Key)] = 0
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

// keep caches rows of paths that the viewer has read in a snapshot at head, unless others
// know of later changes.
func (s *cachedStore) keep(c *candidateCache, head memory.FeedPositions, groups []*pathRows) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.positions != head {
		return
	}
	for _, g := range groups {
		stamp := c.share(s.ceiling, g).stamp
		if _, changed := s.changed[g.path]; changed {
			s.changed[g.path] = stamp
		} else {
			c.read.Add(s.number, stamp)
		}
	}
}

// choose sets groups to those of shared at indexes that the viewer has read and that are the
// rows of a snapshot at head.
func (s *cachedStore) choose(read readSet, head memory.FeedPositions, shared []*pathRows, indexes []int, groups []*pathRows) {
	stamps := make([]uint64, len(indexes))
	for k, i := range indexes {
		stamps[k] = shared[i].stamp
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.positions != head {
		return // others know of later changes
	}
	for k, has := range read.Has(s.number, stamps) {
		g := shared[indexes[k]]
		if stamp, changed := s.changed[g.path]; changed {
			has = stamp == g.stamp
		}
		if has {
			groups[indexes[k]] = g
		}
	}
}
