package cache

import (
	"slices"
	"testing"
)

func TestEachHasWhatItHasRead(t *testing.T) {
	s := newReadSet(1 << 20)
	for _, of := range []stamp{1, 63, 64, 200} {
		s.Add(Reader{1}, of)
	}
	s.Add(Reader{65}, 2) // a number like 1 in another block of 64
	stamps := []stamp{0, 1, 2, 63, 64, 65, 136, 200}
	for reader, want := range map[uint64][]bool{
		1:  {false, true, false, true, true, false, false, true},
		65: {false, false, true, false, false, false, false, false},
		2:  make([]bool, len(stamps)),
	} {
		if got := s.Has(slices.Repeat([]Reader{{reader}}, len(stamps)), stamps); !slices.Equal(got, want) {
			t.Errorf("%d has %v, want %v", reader, got, want)
		}
	}
}

func TestAReadSetIsBounded(t *testing.T) {
	const limit = 100 * readWordBytes
	s := newReadSet(limit)
	for of := stamp(1); of < 64_000; of += 10 {
		s.Add(Reader{1}, of)
	}
	if got := s.words.Bytes(); got > limit || got < limit/2 {
		t.Errorf("%d bytes are held, want about %d", got, limit)
	}
	if got := s.Has([]Reader{{1}, {1}}, []stamp{1, 63_991}); got[0] || !got[1] {
		t.Errorf("has %v, want the last that was read alone", got)
	}
}
