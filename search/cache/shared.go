package cache

import (
	"sync/atomic"

	"mneme/internal/lru"
)

// shared is a cache that holds each value once for all Readers.
//
// SECURITY: it yields a value only to a Reader that has read the value itself.
type shared[K comparable, V stamped] struct {
	values *lru.Cache[K, V]
	read   readSet
	last   atomic.Uint64 // the last stamp that was given to a value
}

// stamped is a pointer to a value that embeds a stamp.
type stamped interface {
	comparable
	stamped() *stamp
}

// stamp identifies a value in a readSet. No other value of the cache ever has the same stamp.
type stamp uint64

func (s *stamp) stamped() *stamp { return s }

// newShared returns a cache of at most maxBytes bytes: seven eighths for values, whose sizes are
// as for lru.New, and the rest to record who has read them.
func newShared[K comparable, V stamped](maxBytes int, size func(K, V) int) *shared[K, V] {
	return &shared[K, V]{values: lru.New(maxBytes/8*7, size), read: newReadSet(maxBytes / 8)}
}

// get returns the values of n keys; nil for a key without a value, or if the Reader that reader
// returns for the value has not read it. reader returns the zero Reader for a value that must
// not be used.
func (s *shared[K, V]) get(n int, key func(i int) K, reader func(i int, value V) Reader) []V {
	var none V
	found, readers, stamps := make([]V, n), make([]Reader, n), make([]stamp, n)
	s.values.GetEach(n, key, func(i int, value V) { found[i] = value })
	for i, value := range found {
		if value != none {
			readers[i], stamps[i] = reader(i, value), *value.stamped()
		}
	}
	for i, has := range s.read.Has(readers, stamps) {
		if !has {
			found[i] = none
		}
	}
	return found
}

// put caches a value that a Reader has read, under at least one key. If the first key has a
// value that is the same, that value is kept for all.
func (s *shared[K, V]) put(reader Reader, value V, same func(held V) bool, keys ...K) {
	held, ok := s.values.Get(keys[0])
	switch {
	case !ok || !same(held):
		*value.stamped() = stamp(s.last.Add(1))
	case len(keys) == 1:
		value, keys = held, nil
	default: // it may be missing for other keys
		value = held
	}
	for _, key := range keys {
		s.values.Put(key, value)
	}
	s.read.Add(reader, *value.stamped())
}

// bytes returns the size of the cache.
func (s *shared[K, V]) bytes() int { return s.values.Bytes() + s.read.words.Bytes() }
