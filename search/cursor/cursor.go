// Package cursor encodes and decodes the contents of a page cursor: the candidates of a
// search that no page has shown yet.
package cursor

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/google/uuid"

	"mneme/fusion"
	"mneme/memory"
)

// Candidates are the candidates that no page has shown yet, best first.
type Candidates struct {
	At  time.Time // the instant of the first page
	IDs []uuid.UUID
	// Scores are the scores of IDs, by index, that depend on other candidates and so cannot
	// be recomputed. NaN: the score does not depend on others. nil: none does.
	Scores []float64
	// LogOdds are a Reranker's judgements of some of IDs, which it need not judge again.
	LogOdds map[uuid.UUID]float32
}

// Limits bound what Parse accepts.
type Limits struct {
	Candidates int // at most 65,536
	Judgements int // at most 255
}

// A cursor contains, big-endian: its form, which is scoredForm if it has scores, plus judgedForm
// if it has judgements; the instant in microseconds since 1970; if it has judgements, their
// number (a byte, at least 1) and for each the index of its id, ascending, and the log-odds; and
// each id, followed by its score if it has scores.
const (
	scoredForm  = 1
	judgedForm  = 2
	headBytes   = 1 + 8
	scoredBytes = len(uuid.UUID{}) + 8
	judgedBytes = 2 + 4
)

// Bytes returns the contents of a cursor. It leaves out judgements of entries not in IDs.
func (c *Candidates) Bytes() []byte {
	judgements, n := c.appendJudgements(nil)
	size := len(uuid.UUID{})
	if c.Scores != nil {
		size = scoredBytes
	}
	b := make([]byte, 1, headBytes+1+len(judgements)+len(c.IDs)*size)
	if c.Scores != nil {
		b[0] = scoredForm
	}
	b = binary.BigEndian.AppendUint64(b, uint64(c.At.UnixMicro()))
	if n > 0 {
		b[0] |= judgedForm
		b = append(append(b, byte(n)), judgements...)
	}
	for i := range c.IDs {
		b = append(b, c.IDs[i][:]...)
		if c.Scores != nil {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(c.Scores[i]))
		}
	}
	return b
}

// appendJudgements appends the judgements of IDs to b, and returns their number.
func (c *Candidates) appendJudgements(b []byte) (_ []byte, n int) {
	if len(c.LogOdds) == 0 {
		return b, 0
	}
	for i, id := range c.IDs {
		if logOdds, ok := c.LogOdds[id]; ok {
			b = binary.BigEndian.AppendUint16(b, uint16(i))
			b = binary.BigEndian.AppendUint32(b, math.Float32bits(logOdds))
			n++
		}
	}
	return b, n
}

// Parse is the inverse of Bytes. It returns memory.ErrCursor if b is malformed or exceeds
// the limits.
func Parse(b []byte, limits Limits) (*Candidates, error) {
	if len(b) < headBytes || b[0] > scoredForm|judgedForm {
		return nil, memory.ErrCursor
	}
	size := len(uuid.UUID{})
	if b[0]&scoredForm != 0 {
		size = scoredBytes
	}
	each, judgements := b[headBytes:], []byte(nil)
	if b[0]&judgedForm != 0 {
		if len(each) == 0 || each[0] == 0 || int(each[0]) > limits.Judgements || len(each) < 1+int(each[0])*judgedBytes {
			return nil, memory.ErrCursor
		}
		end := 1 + int(each[0])*judgedBytes
		judgements, each = each[1:end], each[end:]
	}
	n := len(each) / size
	if n == 0 || n > limits.Candidates || len(each) != n*size {
		return nil, memory.ErrCursor
	}
	c := &Candidates{At: time.UnixMicro(int64(binary.BigEndian.Uint64(b[1:]))).UTC(), IDs: make([]uuid.UUID, n)}
	for i := range c.IDs {
		one := each[i*size:]
		copy(c.IDs[i][:], one)
		if size == scoredBytes {
			c.Scores = append(c.Scores, math.Float64frombits(binary.BigEndian.Uint64(one[len(uuid.UUID{}):])))
		}
	}
	return c, c.parseJudgements(judgements)
}

// parseJudgements sets LogOdds. It returns memory.ErrCursor if b is malformed.
func (c *Candidates) parseJudgements(b []byte) error {
	if len(b) > 0 {
		c.LogOdds = make(map[uuid.UUID]float32)
	}
	next, read := 0, 0
	for ; len(b) > 0; b = b[judgedBytes:] {
		i, logOdds := int(binary.BigEndian.Uint16(b)), math.Float32frombits(binary.BigEndian.Uint32(b[2:]))
		if i < next || i >= len(c.IDs) || !(math.Abs(float64(logOdds)) <= fusion.MaxLogOdds) {
			return memory.ErrCursor
		}
		if _, twice := c.LogOdds[c.IDs[i]]; twice {
			return memory.ErrCursor
		}
		c.LogOdds[c.IDs[i]] = logOdds
		next = i + 1
		read++
	}
	if _, written := c.appendJudgements(nil); written != read { // IDs has a duplicate
		return memory.ErrCursor
	}
	return nil
}
