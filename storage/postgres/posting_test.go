package postgres

import (
	"testing"

	"pgregory.net/rapid"

	"mneme/lexical"
)

func TestBlocksSayWhatWasDoneToThem(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := make(map[uint8]change)
		var block []byte
		for range rapid.IntRange(0, 12).Draw(r, "steps") {
			var changes []change
			for range rapid.IntRange(1, 40).Draw(r, "changes") {
				c := change{slot: rapid.Uint8().Draw(r, "slot"), count: rapid.Uint8().Draw(r, "count"), length: rapid.Uint32().Draw(r, "length")}
				changes = append(changes, c)
			}
			if data, ok := additions(changes); ok && len(want) == 0 && len(changes) == 1 {
				block = append(block, data...)
			} else {
				var err error
				if block, err = rewrite(block, changes); err != nil {
					r.Fatal(err)
				}
			}
			for _, c := range changes {
				if delete(want, c.slot); c.count > 0 {
					want[c.slot] = c
				}
			}
		}
		n := 0
		err := decodeBlock(block, func(slot, count uint8, length uint32) {
			n++
			if want[slot] != (change{slot, count, length}) {
				r.Errorf("slot %d is %d %d", slot, count, length)
			}
		})
		if err != nil || n != len(want) {
			r.Errorf("%d postings, want %d: %v", n, len(want), err)
		}
		if len(block) > 1800 {
			r.Errorf("a block of %d bytes", len(block))
		}
	})
}

func FuzzDecodeBlock(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 0x80})
	f.Fuzz(func(_ *testing.T, b []byte) {
		_ = decodeBlock(b, func(uint8, uint8, uint32) {}) // must not panic
		_, _ = rewrite(b, nil)
	})
}

func FuzzTerms(f *testing.F) {
	f.Add("a", "b", 3)
	f.Fuzz(func(t *testing.T, a, b string, count int) {
		count = 1 + (count&0x7fffffff)%lexical.MaxTermCount
		n := 0
		err := decodeTerms(encodeTerms([]lexical.Term{{Text: a, Count: count}, {Text: b, Count: 1}}), func(term string, c uint8) {
			if n == 0 && (term != termKey(a) || int(c) != count) || n == 1 && term != termKey(b) {
				t.Errorf("term %d is %q %d", n, term, c)
			}
			n++
		})
		if err != nil || n != 2 {
			t.Errorf("%d terms: %v", n, err)
		}
		_ = decodeTerms([]byte(a), func(string, uint8) {})
	})
}
