package search

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Whatever a cursor holds, it is refused or read as it was written.
func FuzzFrozenCandidates(f *testing.F) {
	one := frozen{at: time.UnixMicro(1), ids: []uuid.UUID{{1}, {2}}}
	f.Add(one.bytes())
	one.scores = []float64{0.5, -1}
	f.Add(one.bytes())
	one.judgements = map[uuid.UUID]judgement{{2}: {logOdds: 1.5}}
	f.Add(one.bytes())
	one.scores, one.judgements[uuid.UUID{1}] = nil, judgement{logOdds: -3}
	f.Add(one.bytes())
	same := frozen{at: one.at, ids: []uuid.UUID{{1}, {1}}, judgements: map[uuid.UUID]judgement{{1}: {logOdds: -3}}}
	twice := same.bytes() // the id has two judgements, of which the second is another
	twice[frozenHead+1+2*judgedBytes-1] ^= 1
	f.Add(twice)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		read, err := parseFrozen(b)
		if err != nil {
			return
		}
		if len(read.ids) == 0 || len(read.ids) > maxCandidates || read.scores != nil && len(read.scores) != len(read.ids) {
			t.Fatalf("%d ids, %d scores", len(read.ids), len(read.scores))
		}
		if len(read.judgements) > min(maxReranked, len(read.ids)) {
			t.Fatalf("%d ids, %d judgements", len(read.ids), len(read.judgements))
		}
		if !bytes.Equal(read.bytes(), b) {
			t.Errorf("%x is written as %x", b, read.bytes())
		}
	})
}
