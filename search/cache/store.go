package cache

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
	number    uint64               // of the reader in Rows.read; another one when no row is valid
	positions memory.FeedPositions // of labels up to ceiling, up to which changes are known
	// changed has the paths that have changed since the store has its number, with the stamp
	// of the rows that the viewer has read of it since; 0: none.
	changed map[uint64]uint64
}

// moveOn notes the changes from positions to head, unless another search has done so
// or head precedes them.
func (s *cachedStore) moveOn(positions, head memory.FeedPositions, feed memory.Feed, c *Rows) {
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
func (s *cachedStore) keep(c *Rows, head memory.FeedPositions, groups []*pathRows) {
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

// readRows are rows of a store that a viewer has read.
type readRows struct {
	*cachedStore
	number  uint64 // of the store when that was looked up
	indexes []int
}

// hasRead returns those of the rows of shared at indexes that the viewer has read.
func (s *cachedStore) hasRead(read readSet, shared []*pathRows, indexes []int) readRows {
	stamps := make([]uint64, len(indexes))
	for k, i := range indexes {
		stamps[k] = shared[i].stamp
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := readRows{cachedStore: s, number: s.number}
	for k, has := range read.Has(s.number, stamps) {
		if has || s.changed[shared[indexes[k]].path] == stamps[k] {
			r.indexes = append(r.indexes, indexes[k])
		}
	}
	return r
}

// choose sets groups to those of the rows that are the rows of a snapshot at head.
func (r readRows) choose(head memory.FeedPositions, shared, groups []*pathRows) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.positions != head || r.cachedStore.number != r.number {
		return // others know of later changes, or too much has changed
	}
	for _, i := range r.indexes {
		g := shared[i]
		if stamp, changed := r.changed[g.path]; !changed || stamp == g.stamp {
			groups[i] = g
		}
	}
}
