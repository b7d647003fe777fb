package unigram

import (
	"encoding/binary"
	"errors"
	"math"
)

// fixed is the length in bytes of what a marshalled Config begins with.
const fixed = 32

// Marshal returns c without its pieces. Numbers are little-endian:
//
//	offset  size
//	     0     4  Spaces: bits 0 to 3 are Split, Collapse, TrimLeft, TrimRight
//	     4    12  Unknown, Start, End
//	    16     8  UnknownScore, as all scores in double precision
//	    24     4  number of pieces
//	    28     4  bytes of the charsmap
//	    32        scores, then the charsmap
func (c *Config) Marshal() []byte {
	b := make([]byte, fixed, fixed+8*len(c.Scores)+len(c.Charsmap))
	for i, on := range c.Spaces.list() {
		if *on {
			b[0] |= 1 << i
		}
	}
	for i, id := range []int32{c.Unknown, c.Start, c.End} {
		binary.LittleEndian.PutUint32(b[4+4*i:], uint32(id))
	}
	binary.LittleEndian.PutUint64(b[16:], math.Float64bits(c.UnknownScore))
	binary.LittleEndian.PutUint32(b[24:], uint32(len(c.Scores)))
	binary.LittleEndian.PutUint32(b[28:], uint32(len(c.Charsmap)))
	for _, s := range c.Scores {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s))
	}
	return append(b, c.Charsmap...)
}

// Unmarshal returns the Config with the given pieces that Marshal wrote. Its
// charsmap is a view of b.
func Unmarshal(b []byte, pieces []string) (Config, error) {
	c := Config{Pieces: pieces}
	if len(b) < fixed {
		return c, errors.New("tokenizer is cut off")
	}
	scores, charsmap := uint64(binary.LittleEndian.Uint32(b[24:])), uint64(binary.LittleEndian.Uint32(b[28:]))
	if uint64(len(b)) != fixed+8*scores+charsmap || binary.LittleEndian.Uint32(b) >= 1<<4 {
		return c, errors.New("tokenizer is damaged")
	}
	for i, on := range c.Spaces.list() {
		*on = b[0]>>i&1 == 1
	}
	for i, id := range []*int32{&c.Unknown, &c.Start, &c.End} {
		*id = int32(binary.LittleEndian.Uint32(b[4+4*i:]))
	}
	c.UnknownScore = math.Float64frombits(binary.LittleEndian.Uint64(b[16:]))
	c.Scores = make([]float64, scores)
	for i := range c.Scores {
		c.Scores[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[fixed+8*i:]))
	}
	c.Charsmap = b[fixed+8*scores:]
	return c, nil
}

func (s *Spaces) list() [4]*bool {
	return [4]*bool{&s.Split, &s.Collapse, &s.TrimLeft, &s.TrimRight}
}
