package cache

import (
	"sync/atomic"

	"mneme/internal/lru"
)

// readSet remembers which of the values that a cache holds for all have been read by whom.
// It holds a bit for each, those of 64 values in a word.
//
// Values are told apart by stamps from 1 on. Those of a search are mostly stamped one after
// another, so that they are in few words.
type readSet struct {
	words *lru.Cache[readWord, *atomic.Uint64]
}

// readWord is 64 stamps, of one of those who read.
type readWord struct {
	reader Reader
	block  uint64
}

// readWordBytes is what a word takes at most: 8 bytes itself, 80 an item of the cache and
// its place in the list, and 24 a slot of the map, of which mostly at least three in seven
// are used.
const readWordBytes = 160

func newReadSet(maxBytes int) readSet {
	return readSet{lru.New(maxBytes, func(readWord, *atomic.Uint64) int { return readWordBytes - lru.Overhead })}
}

// Add notes that reader has read the value of a stamp.
func (s readSet) Add(reader Reader, of stamp) {
	word := s.words.GetOrPut(readWord{reader, uint64(of / 64)}, func() *atomic.Uint64 { return new(atomic.Uint64) })
	word.Or(1 << (of % 64))
}

// Has reports of each stamp whether the reader of the same index has read its value. Nobody
// has read that of stamp 0, and the zero Reader has read none.
func (s readSet) Has(readers []Reader, stamps []stamp) []bool {
	has := make([]bool, len(stamps))
	key := func(i int) readWord { return readWord{readers[i], uint64(stamps[i] / 64)} }
	s.words.GetEach(len(stamps), key, func(i int, word *atomic.Uint64) {
		has[i] = readers[i] != Reader{} && word.Load()>>(stamps[i]%64)&1 == 1
	})
	return has
}
