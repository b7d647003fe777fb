// Package maxsim compares a question and an entry token by token (late interaction, as in
// ColBERT): each token of the question scores the largest cosine that it has with any token of
// the entry.
//
// A token is a vector of Dim components: the encoder's vector of the token, less the mean of
// such vectors, projected on their first principal components (package embed/e5/projection). An
// entry's tokens are stored as codes of TokenSize bytes, with four bits per component
// (AppendCode); a question's tokens have eight bits, since they are not stored (Quantize). A
// cosine does not depend on the lengths of the vectors, so each token is scaled by a factor of
// its own, which is not stored. Best compares a question with an entry, with the same bits on
// every processor.
//
// The design is described in docs/decisions/0026-token-codes.md.
package maxsim

import (
	"errors"
	"fmt"
)

const (
	// Dim is the number of components of a token's vector.
	Dim = 64

	// TokenSize is the length of a token's code in bytes: four bits a component.
	TokenSize = Dim / 2
)

// Vector is a token of a question. It is scaled so that its largest magnitude is 127; only its
// direction has a meaning.
type Vector [Dim]int8

// ErrCodes reports codes whose length is not a whole number of tokens.
var ErrCodes = errors.New("damaged token codes")

// fastest is the fastest kernel for this machine.
var fastest = chooseKernel()

// Query holds the tokens of a question, to compare them with several entries. It is not
// safe for concurrent use.
type Query struct {
	tokens  []Vector
	inverse []float32 // inverse lengths of the tokens
	kernel  kernel
	found   [queryTokens]lanes
	last    [blockSize]byte // last block of an entry, filled up: see fillBlock
}

// NewQuery returns a Query of tokens, which must not change while it is used.
func NewQuery(tokens []Vector) *Query { return newQuery(fastest, tokens) }

func newQuery(k kernel, tokens []Vector) *Query {
	q := &Query{tokens: tokens, inverse: make([]float32, len(tokens)), kernel: k}
	for i := range tokens {
		q.inverse[i] = inverseNorm(tokens[i].square())
	}
	return q
}

// Best sets best[i] to the largest cosine of token i of the question with any token of codes,
// between -1 and 1 up to rounding; 0 if codes is empty. A token whose components are all zero
// has cosine 0 with every other token. best must have at least as many elements as the question
// has tokens. If the length of codes is not a multiple of TokenSize, the error wraps ErrCodes.
// Bytes of any value are valid codes.
func (q *Query) Best(codes []byte, best []float32) error {
	best = best[:len(q.tokens)]
	if len(codes)%TokenSize != 0 {
		return fmt.Errorf("%w: %d bytes, not a multiple of %d", ErrCodes, len(codes), TokenSize)
	}
	if len(codes) == 0 {
		clear(best)
		return nil
	}
	whole, rest := codes[:len(codes)-len(codes)%blockSize], codes[len(codes)-len(codes)%blockSize:]
	if len(rest) > 0 {
		fillBlock(&q.last, rest)
	}
	for from := 0; from < len(q.tokens); from += queryTokens {
		tokens := q.tokens[from:min(from+queryTokens, len(q.tokens))]
		found := q.found[:len(tokens)]
		for i := range found {
			found[i] = lowest
		}
		q.kernel(found, tokens, whole)
		if len(rest) > 0 {
			q.kernel(found, tokens, q.last[:])
		}
		for i := range found {
			best[from+i] = found[i].largest() * q.inverse[from+i]
		}
	}
	return nil
}

// Best is NewQuery(query).Best, for a single comparison.
func Best(query []Vector, codes []byte, best []float32) error {
	return NewQuery(query).Best(codes, best)
}

// queryTokens is the number of a question's tokens that are compared at a time.
const queryTokens = 32

// fillBlock copies tokens, which are fewer than a block holds but at least one, to block. It
// fills the rest of the block with repetitions of the last token, which change no maximum.
func fillBlock(block *[blockSize]byte, tokens []byte) {
	n := copy(block[:], tokens)
	for ; n < blockSize; n += TokenSize {
		copy(block[n:], tokens[len(tokens)-TokenSize:])
	}
}

// square returns the square of the vector's length.
func (v *Vector) square() int32 {
	var sum int32
	for _, x := range v {
		sum += int32(x) * int32(x)
	}
	return sum
}
