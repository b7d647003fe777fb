// Package unigram is the tokenizer of SentencePiece's unigram models, such as
// XLM-RoBERTa's: it splits words into the pieces of a vocabulary whose log probabilities
// have the largest sum.
//
// Token IDs equal those that Hugging Face's tokenizers give with the model's tokenizer.json,
// with two exceptions. The name of a special token within a text, such as "</s>", is ordinary
// text. And a word of more than 64 kB is split into parts.
//
// New makes a Tokenizer from a Config; Load makes one from the bytes that Tokenizer.Marshal
// wrote. Load uses these bytes directly: if they are a mapped file, a vocabulary of 250,000
// pieces takes only the memory of the pages that texts make it read.
package unigram

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

const (
	// UnknownPenalty is the difference between the score of the least probable piece and the
	// score of an unknown character: kUnkPenalty of SentencePiece.
	UnknownPenalty = 10
	// MaxPieces and MaxPieceBytes bound a vocabulary. XLM-RoBERTa's has 250,002
	// pieces of up to 48 bytes.
	MaxPieces     = 1 << 20
	MaxPieceBytes = 255
)

// Config describes a tokenizer.
type Config struct {
	// Pieces are the vocabulary in the order of IDs.
	Pieces []string
	// Scores are the log probabilities of the pieces. A piece whose score is minus infinity,
	// such as a special token, is not found in text.
	Scores []float64
	// UnknownScore is the score of a character without a piece.
	UnknownScore float64
	// Unknown, Start and End are the IDs of an unknown piece and of the first and
	// last token of a sequence.
	Unknown, Start, End int32
	// Charsmap is SentencePiece's precompiled_charsmap. Empty: text is not normalized.
	Charsmap []byte
	Spaces   Spaces
}

// Spaces configures the treatment of white space, after the charsmap.
type Spaces struct {
	// Split drops white space between words. Otherwise every space begins a
	// word, and other white space is a part of words.
	Split bool
	// Collapse replaces several spaces with one. TrimLeft and TrimRight drop white space at the
	// start and the end of a text. Split does all of this, whether they are set or not.
	Collapse, TrimLeft, TrimRight bool
}

// Tokenizer splits texts into tokens. It is safe for concurrent use.
type Tokenizer struct {
	charsmap     charsmap
	mapping      []byte // the charsmap's file
	trie         *trie
	scores       scores
	unknownScore float64
	unknown      int32
	start, end   int32
	spaces       Spaces
}

// New checks a Config and returns its tokenizer.
func New(c Config) (*Tokenizer, error) {
	if n := len(c.Pieces); n == 0 || n > MaxPieces || n != len(c.Scores) {
		return nil, fmt.Errorf("vocabulary of %d pieces and %d scores, at most %d are supported", n, len(c.Scores), MaxPieces)
	}
	for id, piece := range c.Pieces {
		if piece == "" || len(piece) > MaxPieceBytes || !utf8.ValidString(piece) {
			return nil, fmt.Errorf("piece %d is empty, longer than %d bytes, or not UTF-8", id, MaxPieceBytes)
		}
	}
	t := &Tokenizer{
		scores: newScores(c.Scores), unknownScore: c.UnknownScore,
		unknown: c.Unknown, start: c.Start, end: c.End, spaces: c.Spaces,
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := t.setCharsmap(c.Charsmap); err != nil {
		return nil, err
	}
	var err error
	if t.trie, err = newTrie(c.Pieces, func(id int) bool { return !math.IsInf(c.Scores[id], -1) }); err != nil {
		return nil, err
	}
	return t, nil
}

// check checks the scores and the special tokens.
func (t *Tokenizer) check() error {
	pieces := t.scores.len()
	for id := range pieces {
		// The bound keeps the sum of the scores of a word finite.
		if s := t.scores.at(int32(id)); !math.IsInf(s, -1) && !(math.Abs(s) <= math.MaxFloat32) {
			return fmt.Errorf("piece %d has the score %g", id, s)
		}
	}
	if !(math.Abs(t.unknownScore) <= math.MaxFloat32) {
		return fmt.Errorf("unknown pieces have the score %g", t.unknownScore)
	}
	for _, id := range []int32{t.unknown, t.start, t.end} {
		if id < 0 || int(id) >= pieces {
			return fmt.Errorf("special token %d of %d pieces", id, pieces)
		}
	}
	if t.unknown == t.start || t.unknown == t.end || t.start == t.end {
		return errors.New("unknown, first and last token are not three")
	}
	return nil
}

func (t *Tokenizer) setCharsmap(file []byte) (err error) {
	t.mapping = file
	t.charsmap, err = parseCharsmap(file)
	return err
}

// Pieces is the number of pieces in the vocabulary.
func (t *Tokenizer) Pieces() int { return t.scores.len() }

// Start is the ID of a sequence's first token.
func (t *Tokenizer) Start() int32 { return t.start }

// Unknown is the ID of characters without a piece.
func (t *Tokenizer) Unknown() int32 { return t.unknown }

// End is the ID of a sequence's last token.
func (t *Tokenizer) End() int32 { return t.end }
