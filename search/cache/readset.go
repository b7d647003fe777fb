package cache

import (
	"sync/atomic"

	"mneme/internal/lru"
)

// readSet records which Readers have read which values of a cache that holds each value once for
// all of them. It has a bit for each Reader and value, in words of 64 bits.
//
// A value is identified by its stamp, from 1 on. Most values of a search got their stamps one
// after another, so that their bits are in few words.
type readSet struct {
	words *lru.Cache[readWord, *atomic.Uint64]
}

// readWord identifies a word: the bits of 64 consecutive stamps for one Reader.
type readWord struct {
	reader Reader
	block  uint64
}

// readWordBytes is the most memory that a word takes: 8 bytes for itself, 80 for its item in the
// cache and in the list, and 24 for each slot of the map, of which usually at least three in
// seven are used.
const readWordBytes = 160

func newReadSet(maxBytes int) readSet {
	return readSet{lru.New(maxBytes, func(readWord, *atomic.Uint64) int { return readWordBytes - lru.Overhead })}
}

// Add records that reader has read the value with a stamp.
func (s readSet) Add(reader Reader, of stamp) {
	word := s.words.GetOrPut(readWord{reader, uint64(of / 64)}, func() *atomic.Uint64 { return new(atomic.Uint64) })
	word.Or(1 << (of % 64))
}

// Has reports, for each stamp, whether the reader with the same index has read the value with
// that stamp. Nobody has read a value with stamp 0, and the zero Reader has read nothing.
func (s readSet) Has(readers []Reader, stamps []stamp) []bool {
	has := make([]bool, len(stamps))
	key := func(i int) readWord { return readWord{readers[i], uint64(stamps[i] / 64)} }
	s.words.GetEach(len(stamps), key, func(i int, word *atomic.Uint64) {
		has[i] = readers[i] != Reader{} && word.Load()>>(stamps[i]%64)&1 == 1
	})
	return has
}
