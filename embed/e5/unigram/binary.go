package unigram

import (
	"encoding/binary"
	"errors"
	"math"
)

const (
	// fixed is the length in bytes of the part that precedes the scores in a marshalled Config,
	// whole the same in a marshalled Tokenizer.
	fixed = 32
	whole = 36

	// Bits of the first byte: withTrie marks a marshalled Tokenizer, rather than a Config;
	// double marks a Tokenizer whose scores have double precision.
	withTrie = 1 << 4
	double   = 1 << 5
)

// scores are the log probabilities of the pieces, in single or double precision, as a view of a
// file.
type scores struct {
	b      []byte
	double bool
}

// newScores uses single precision unless that would change a score.
func newScores(values []float64) scores {
	var s scores
	for _, v := range values {
		s.double = s.double || float64(float32(v)) != v
	}
	for _, v := range values {
		if s.double {
			s.b = binary.LittleEndian.AppendUint64(s.b, math.Float64bits(v))
		} else {
			s.b = binary.LittleEndian.AppendUint32(s.b, math.Float32bits(float32(v)))
		}
	}
	return s
}

func (s scores) width() int {
	if s.double {
		return 8
	}
	return 4
}

func (s scores) len() int { return len(s.b) / s.width() }

func (s scores) at(id int32) float64 {
	if s.double {
		return math.Float64frombits(binary.LittleEndian.Uint64(s.b[8*id:]))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(s.b[4*id:])))
}

// Marshal returns the tokenizer with its pieces, in the format that Load reads in place.
// Numbers are little-endian; a trie's node has a byte and two numbers of three bytes:
//
//	offset  size
//	     0     4  Spaces as Config.Marshal has it; bit 4; bit 5 if scores are in double precision
//	     4    12  Unknown, Start, End
//	    16     8  UnknownScore, in double precision
//	    24     4  number of pieces
//	    28     4  bytes of the charsmap
//	    32     4  number of the trie's nodes, the root included
//	    36        scores, the charsmap, the trie: the byte that leads to each node; its
//	              first child, and after all of them the number of nodes; its piece
func (t *Tokenizer) Marshal() []byte {
	b := make([]byte, whole, whole+len(t.scores.b)+len(t.mapping)+nodeBytes*len(t.trie.label)+3)
	b[0] = t.spaces.bits() | withTrie
	if t.scores.double {
		b[0] |= double
	}
	for i, id := range []int32{t.unknown, t.start, t.end} {
		binary.LittleEndian.PutUint32(b[4+4*i:], uint32(id))
	}
	binary.LittleEndian.PutUint64(b[16:], math.Float64bits(t.unknownScore))
	for i, n := range []int{t.Pieces(), len(t.mapping), len(t.trie.label)} {
		binary.LittleEndian.PutUint32(b[24+4*i:], uint32(n))
	}
	return t.trie.appendTo(append(append(b, t.scores.b...), t.mapping...))
}

// Loadable reports whether b was written by Tokenizer.Marshal rather than Config.Marshal.
func Loadable(b []byte) bool { return len(b) > 0 && b[0]&withTrie != 0 }

// Load checks bytes written by Tokenizer.Marshal and returns the tokenizer. It is a view
// of b, which must not change while it is in use.
func Load(b []byte) (*Tokenizer, error) {
	if len(b) < whole || binary.LittleEndian.Uint32(b)&^(double|withTrie-1) != withTrie {
		return nil, errors.New("tokenizer is damaged or cut off")
	}
	number := func(offset int) int { return int(binary.LittleEndian.Uint32(b[offset:])) }
	t := &Tokenizer{
		unknown: int32(number(4)), start: int32(number(8)), end: int32(number(12)),
		unknownScore: math.Float64frombits(binary.LittleEndian.Uint64(b[16:])),
		scores:       scores{double: b[0]&double != 0},
	}
	t.spaces.set(b[0])
	pieces, mapping, nodes := number(24), number(28), number(32)
	if pieces > MaxPieces || nodes < 1 || nodes > maxNodes ||
		int64(len(b)) != whole+int64(pieces*t.scores.width())+int64(mapping)+int64(nodeBytes*nodes+3) {
		return nil, errors.New("tokenizer is damaged or cut off")
	}
	rest := b[whole:]
	t.scores.b, rest = rest[:pieces*t.scores.width()], rest[pieces*t.scores.width():]
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := t.setCharsmap(rest[:mapping:mapping]); err != nil {
		return nil, err
	}
	var err error
	t.trie, err = readTrie(rest[mapping:], nodes, pieces)
	return t, err
}

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
	b[0] = c.Spaces.bits()
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

// Unmarshal is the inverse of Config.Marshal, given the pieces, which Marshal leaves out. The
// Charsmap of the result is a view of b.
func Unmarshal(b []byte, pieces []string) (Config, error) {
	c := Config{Pieces: pieces}
	if len(b) < fixed {
		return c, errors.New("tokenizer is cut off")
	}
	scores, charsmap := uint64(binary.LittleEndian.Uint32(b[24:])), uint64(binary.LittleEndian.Uint32(b[28:]))
	if uint64(len(b)) != fixed+8*scores+charsmap || binary.LittleEndian.Uint32(b) >= 1<<4 {
		return c, errors.New("tokenizer is damaged")
	}
	c.Spaces.set(b[0])
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

func (s *Spaces) bits() (b byte) {
	for i, on := range s.list() {
		if *on {
			b |= 1 << i
		}
	}
	return b
}

func (s *Spaces) set(b byte) {
	for i, on := range s.list() {
		*on = b>>i&1 == 1
	}
}
