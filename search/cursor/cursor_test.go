package cursor

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Parse rejects its input, or returns candidates whose Bytes are the input.
func FuzzCandidates(f *testing.F) {
	one := Candidates{At: time.UnixMicro(1), IDs: []uuid.UUID{{1}, {2}}}
	f.Add(one.Bytes())
	one.Scores = []float64{0.5, -1}
	f.Add(one.Bytes())
	one.LogOdds = map[uuid.UUID]float32{{2}: 1.5}
	f.Add(one.Bytes())
	one.Scores, one.LogOdds[uuid.UUID{1}] = nil, -3
	f.Add(one.Bytes())
	same := Candidates{At: one.At, IDs: []uuid.UUID{{1}, {1}}, LogOdds: map[uuid.UUID]float32{{1}: -3}}
	twice := same.Bytes() // the id has two judgements, which differ
	twice[headBytes+1+2*judgedBytes-1] ^= 1
	f.Add(twice)
	f.Add([]byte{})
	limits := Limits{Candidates: 3, Judgements: 2}
	many := Candidates{At: one.At, IDs: []uuid.UUID{{1}, {2}, {3}, {4}}}
	f.Add(many.Bytes())
	many.IDs, many.LogOdds = many.IDs[:3], map[uuid.UUID]float32{{1}: 1, {2}: 2, {3}: 3}
	f.Add(many.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		read, err := Parse(b, limits)
		if err != nil {
			return
		}
		if len(read.IDs) == 0 || len(read.IDs) > limits.Candidates || read.Scores != nil && len(read.Scores) != len(read.IDs) {
			t.Fatalf("%d ids, %d scores", len(read.IDs), len(read.Scores))
		}
		if len(read.LogOdds) > min(limits.Judgements, len(read.IDs)) {
			t.Fatalf("%d ids, %d judgements", len(read.IDs), len(read.LogOdds))
		}
		if !bytes.Equal(read.Bytes(), b) {
			t.Errorf("%x is encoded as %x", b, read.Bytes())
		}
	})
}
