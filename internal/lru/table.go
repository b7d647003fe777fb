package lru

import "hash/maphash"

// table finds items by their keys: a hash table with open addressing and linear probing
// (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithms L and R). Unlike
// in a map, the slots of many keys can be looked up before any of their items is read. It
// doubles at once, 16 bytes a slot, and does not shrink.
type table[K comparable, V any] struct {
	seed  maphash.Seed
	slots []slot[K, V] // a power of two, of which at most half are taken
	taken int
}

type slot[K comparable, V any] struct {
	hash uint64
	item *item[K, V] // nil: the slot is empty
}

const firstSlots = 8

func newTable[K comparable, V any]() table[K, V] {
	return table[K, V]{seed: maphash.MakeSeed(), slots: make([]slot[K, V], firstSlots)}
}

func (t *table[K, V]) hash(key K) uint64 { return maphash.Comparable(t.seed, key) }

// home returns the slot in which the search for a hash begins.
func (t *table[K, V]) home(hash uint64) int { return int(hash & uint64(len(t.slots)-1)) }

func (t *table[K, V]) next(at int) int { return (at + 1) & (len(t.slots) - 1) }

// first returns the first item that has a hash, from a slot on, and its slot; nil: none.
func (t *table[K, V]) first(at int, hash uint64) (*item[K, V], int) {
	for ; ; at = t.next(at) {
		if s := &t.slots[at]; s.hash == hash || s.item == nil {
			return s.item, at
		}
	}
}

// get returns the item of a key and its slot; nil: there is none.
func (t *table[K, V]) get(hash uint64, key K) (*item[K, V], int) {
	e, at := t.first(t.home(hash), hash)
	for e != nil && e.key != key {
		e, at = t.first(t.next(at), hash)
	}
	return e, at
}

// put adds an item, whose key must have none.
func (t *table[K, V]) put(e *item[K, V]) {
	if t.taken++; 2*t.taken > len(t.slots) {
		old := t.slots
		t.slots = make([]slot[K, V], 2*len(old))
		for _, s := range old {
			if s.item != nil {
				t.fill(s)
			}
		}
	}
	t.fill(slot[K, V]{t.hash(e.key), e})
}

// fill puts into the first empty slot.
func (t *table[K, V]) fill(s slot[K, V]) {
	at := t.home(s.hash)
	for t.slots[at].item != nil {
		at = t.next(at)
	}
	t.slots[at] = s
}

// remove removes the item of a key, which must have one.
func (t *table[K, V]) remove(key K) {
	_, hole := t.get(t.hash(key), key)
	t.taken--
	// What is found only by passing the hole moves into it.
	for at := t.next(hole); t.slots[at].item != nil; at = t.next(at) {
		mask := len(t.slots) - 1
		if home := t.home(t.slots[at].hash); (at-home)&mask >= (at-hole)&mask {
			t.slots[hole] = t.slots[at]
			hole = at
		}
	}
	t.slots[hole] = slot[K, V]{}
}
