// Package lru is a cache that is bounded by bytes and evicts the least recently
// used first:
//
//	vectors := lru.New(8<<20, func(query string, v []float32) int { return len(query) + 4*len(v) })
//	vectors.Put("tea", vector)
//	vector, ok := vectors.Get("tea")
//
// Every package that imports a struct with a Cache compiles its methods again for its
// types, so there are few.
package lru

import "sync"

// Overhead is added to the size of each entry: the ring, the table and the
// headers of keys and values take about so many bytes.
const Overhead = 256

// together is how many keys are looked up at a time: the processor fetches what it has not
// cached of them side by side.
const together = 32

// Cache is a cache bounded by bytes. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	size func(K, V) int

	mu       sync.Mutex
	maxBytes int
	slack    uint64 // bytes that may be put or moved after an item before its use moves it
	bytes    int    // of all entries
	items    table[K, V]
	ends     item[K, V] // of the ring of items: it is before the first one and after the last
	moved    uint64     // bytes of all that were ever put or moved to the front
}

// item is one of a ring, from the most recently used to the least.
type item[K comparable, V any] struct {
	newer, older *item[K, V]
	key          K
	value        V
	bytes        int
	moved        uint64 // the cache's moved when this item came to the front
}

// New returns a cache of at most maxBytes. size returns the bytes that a key and
// its value refer to, beyond Overhead, when it is put.
func New[K comparable, V any](maxBytes int, size func(K, V) int) *Cache[K, V] {
	c := &Cache[K, V]{size: size, maxBytes: maxBytes, items: newTable[K, V]()}
	c.ends.newer, c.ends.older = &c.ends, &c.ends
	return c
}

// NewLazy returns a cache like New that is faster if it is large, since to move an item to
// the front is to write to its neighbours, which are mostly not in the processor's caches:
// a used value is moved only once others of half of maxBytes were put or moved. It is held at
// least until others of about half of maxBytes were used since.
func NewLazy[K comparable, V any](maxBytes int, size func(K, V) int) *Cache[K, V] {
	c := New(maxBytes, size)
	c.slack = uint64(maxBytes / 2)
	return c
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.get(key)
}

// GetEach looks up the keys of the numbers below n, and calls found with those numbers
// that have a value. found must not use the cache.
func (c *Cache[K, V]) GetEach(n int, key func(i int) K, found func(i int, value V)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var keys [together]K
	var hashes [together]uint64
	var items [together]*item[K, V]
	for from := 0; from < n; from += together {
		most := min(together, n-from)
		for i := range most {
			keys[i] = key(from + i)
			hashes[i] = c.items.hash(keys[i])
		}
		for i, hash := range hashes[:most] {
			items[i], _ = c.items.first(c.items.home(hash), hash)
		}
		for i, e := range items[:most] {
			if e == nil {
				continue
			}
			if e.key != keys[i] {
				if e, _ = c.items.get(hashes[i], keys[i]); e == nil {
					continue
				}
			}
			found(from+i, c.use(e))
		}
	}
}

// Put sets the value of a key, unless the two are larger than the cache.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, value)
}

// GetOrPut returns the value of a key. If there is none, it puts the value that
// create returns.
func (c *Cache[K, V]) GetOrPut(key K, create func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, ok := c.get(key); ok {
		return value
	}
	value := create()
	c.put(key, value)
	return value
}

func (c *Cache[K, V]) get(key K) (value V, ok bool) {
	e, _ := c.items.get(c.items.hash(key), key)
	if e == nil {
		return value, false
	}
	return c.use(e), true
}

// use returns the value of an item that is used now.
func (c *Cache[K, V]) use(e *item[K, V]) V {
	if c.moved-e.moved > c.slack {
		e.unlink()
		c.pushFront(e)
	}
	return e.value
}

func (c *Cache[K, V]) put(key K, value V) {
	bytes := Overhead + c.size(key, value)
	if bytes > c.maxBytes {
		return
	}
	if replaced, _ := c.items.get(c.items.hash(key), key); replaced != nil {
		c.remove(replaced)
	}
	e := &item[K, V]{key: key, value: value, bytes: bytes}
	c.items.put(e)
	c.pushFront(e)
	for c.bytes += bytes; c.bytes > c.maxBytes; {
		c.remove(c.ends.newer)
	}
}

// pushFront links an item before all others.
func (c *Cache[K, V]) pushFront(e *item[K, V]) {
	e.newer, e.older = &c.ends, c.ends.older
	e.newer.older, e.older.newer = e, e
	c.moved += uint64(e.bytes)
	e.moved = c.moved
}

func (e *item[K, V]) unlink() { e.newer.older, e.older.newer = e.older, e.newer }

func (c *Cache[K, V]) remove(e *item[K, V]) {
	e.unlink()
	c.items.remove(e.key)
	c.bytes -= e.bytes
}

// Bytes returns the size of all entries.
func (c *Cache[K, V]) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
