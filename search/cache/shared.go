package cache

import (
	"sync/atomic"

	"mneme/internal/lru"
)

// shared is a cache that holds each value once for all who have read it.
//
// SECURITY: it yields a value to those Readers alone that have read it themselves.
type shared[K comparable, V any] struct {
	values *lru.Cache[K, *stamped[V]]
	read   readSet
	last   atomic.Uint64 // stamp
}

// stamped is a value with the stamp that no other value has, by which read knows it.
type stamped[V any] struct {
	stamp uint64
	value V
}

// newShared returns a cache of at most so many bytes: seven eighths for values, whose sizes
// are as for lru.New, and the rest for who has read them.
func newShared[K comparable, V any](maxBytes int, size func(K, V) int) *shared[K, V] {
	return &shared[K, V]{
		values: lru.New(maxBytes/8*7, func(key K, s *stamped[V]) int { return size(key, s.value) }),
		read:   newReadSet(maxBytes / 8),
	}
}

// get returns the values of n keys that were read by a Reader, which may differ by value; the
// zero Reader: such a value is not used. The others are the zero value.
func (s *shared[K, V]) get(n int, key func(i int) K, reader func(i int, value V) Reader) []V {
	found, readers, stamps := make([]V, n), make([]Reader, n), make([]uint64, n)
	held := make([]*stamped[V], n)
	s.values.GetEach(n, key, func(i int, value *stamped[V]) { held[i] = value })
	for i, h := range held {
		if h != nil {
			readers[i], stamps[i] = reader(i, h.value), h.stamp
		}
	}
	for i, has := range s.read.Has(readers, stamps) {
		if has {
			found[i] = held[i].value
		}
	}
	return found
}

// put caches what a Reader has read, under at least one key. If the first of them has a value
// that is the same, that one is kept for all.
func (s *shared[K, V]) put(reader Reader, value V, same func(held V) bool, keys ...K) {
	held, ok := s.values.Get(keys[0])
	switch {
	case !ok || !same(held.value):
		held = &stamped[V]{s.last.Add(1), value}
	case len(keys) == 1:
		keys = nil
	}
	for _, key := range keys { // one that is held may be missing for other keys
		s.values.Put(key, held)
	}
	s.read.Add(reader, held.stamp)
}

// bytes returns the size of all that is held.
func (s *shared[K, V]) bytes() int { return s.values.Bytes() + s.read.words.Bytes() }
