package cache

import (
	"slices"
	"sync"

	"mneme/acl"
	"mneme/memory"
)

// cachedStore has the Readers by which a session reads the rows of a store up to a ceiling. When
// a path changes, a new Reader reads its rows. The new Reader has not read the cached rows, so
// that they are no longer used.
type cachedStore struct {
	ceiling acl.Label

	mu        sync.Mutex
	positions memory.FeedPositions // up to which changes are known, at labels up to ceiling
	reader    Reader               // for unchanged paths; a new one if no cached row is valid
	changed   map[uint64]Reader    // for changed paths, by hash, each since its last change
}

// readerOf returns the Reader of the rows of a path.
func (s *cachedStore) readerOf(rows *pathRows) Reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readerAt(rows.path)
}

// readerAt is readerOf while s.mu is locked.
func (s *cachedStore) readerAt(path uint64) Reader {
	if reader, changed := s.changed[path]; changed {
		return reader
	}
	return s.reader
}

// moveOn records the changes in feed, from positions to head, unless another search has recorded
// them or head precedes positions.
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
	// It is not known which paths have changed, since records are missing or the path of a
	// purged entry is, or too many paths have changed: no cached row is valid.
	if removed || known != len(feed.Records) || slices.ContainsFunc(feed.Records, func(r memory.FeedRecord) bool { return r.Key == "" }) ||
		len(s.changed)+known > maxChangedPaths {
		s.reader = c.readers.next()
		clear(s.changed)
		return
	}
	for _, record := range feed.Records {
		s.changed[c.pathHash(record.Namespace, record.Key)] = c.readers.next()
	}
}

// precedesAny reports whether p precedes q at any label.
func precedesAny(p, q memory.FeedPositions) bool {
	for i := range p {
		if p[i] < q[i] {
			return true
		}
	}
	return false
}

// keep caches rows of paths that the session has read in a snapshot at head, unless another
// search has recorded later changes.
func (s *cachedStore) keep(c *Rows, head memory.FeedPositions, groups []*pathRows) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.positions != head {
		return
	}
	for _, g := range groups {
		c.rows.put(s.readerAt(g.path), g, g.isSame, g.keys(s.ceiling)...)
	}
}

// readRows are cached rows of a store.
type readRows struct {
	*cachedStore
	indexes []int
	readers []Reader // that have read the rows, by the same index
}

// choose sets rows to nil that are not the rows of a snapshot at head.
func (r *readRows) choose(head memory.FeedPositions, rows []*pathRows) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, i := range r.indexes {
		if r.positions != head || r.readerAt(rows[i].path) != r.readers[k] { // later changes are known, or the path has changed
			rows[i] = nil
		}
	}
}
