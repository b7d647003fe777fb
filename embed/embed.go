// Package embed defines the interface of text embedders. Package embed/e5 runs
// E5-small-v2 in the process; package embed/openai calls any server of the
// OpenAI embeddings API.
package embed

import (
	"context"
	"errors"

	"mneme/embed/maxsim"
)

// ErrText means that an embedder does not take a text, though it takes others.
var ErrText = errors.New("the embedder does not take the text")

// Passage is an embedded passage.
type Passage struct {
	Vector []float32 // of unit length
	Codes  []byte    // of its tokens, maxsim.TokenSize bytes each; nil if the embedder makes none
}

// Query is an embedded question.
type Query struct {
	Vector []float32 // of unit length
	// Tokens are in the order of the text, without those that the model has no piece
	// for; nil if the embedder does not report them.
	Tokens []Token
	// Multilingual says that the Tokens are pieces of many languages: whether a word is
	// one of them does not tell how well the model knows its language.
	Multilingual bool
}

// Token is a token of a question: a word or a piece of one.
type Token struct {
	Start, End int           // byte range in the question of the whole word, for a piece of one too
	Vector     maxsim.Vector // zero if the embedder makes no codes
}

// Embedder maps texts to unit vectors of one model, and where it can to the
// vectors of their tokens. Queries and passages have
// methods of their own, because models such as E5 mark them with different
// prefixes. Implementations are safe for concurrent use.
type Embedder interface {
	// Fingerprint identifies everything that determines a vector or a
	// code: model, tokenizer, prefixes, pooling, precision, projection. Vectors of different
	// fingerprints must never be compared.
	Fingerprint() string

	// Dim is the length of every vector.
	Dim() int

	// Cosines returns the usual cosine of a query with a passage that has
	// nothing to do with it, and with one that answers it. Relevance depends on
	// where a cosine lies between them: models differ in what their cosines are.
	Cosines() (unrelated, related float64)

	// Query embeds one query. It comes before passages, because its caller is
	// waiting for an answer, but an endless stream of queries must leave
	// passages a share of the time. Text beyond the model's window is cut off.
	Query(ctx context.Context, text string) (Query, error)

	// Passages embeds stored texts. It returns one passage for each text, in the
	// order of texts. Calls at the same time take turns, so that one with few
	// texts does not wait for one with many. Text beyond the model's window is
	// cut off: use Split first.
	Passages(ctx context.Context, texts []string) ([]Passage, error)

	// Split splits text into overlapping chunks that fit the model's window as
	// passages. Every chunk begins with header, which may be empty. Split
	// returns at least one chunk, and every character of text is in one of them.
	Split(header, text string) []string

	// Spans returns where the chunks of Split(header, text) come from, in the
	// same order: the byte range [start, end) of text that each has beside the
	// header and what else is repeated in every chunk. Ranges lie between
	// characters, and their starts and ends increase.
	Spans(header, text string) [][2]int

	// CodeSpans returns, for some of the chunks of Split(header, text), the byte
	// range of text that each code of the chunk stands for: the whole word, for a
	// piece of one too, and an empty range for a word of the header or of what is
	// repeated. A chunk that does not exist has none, and neither has any if the
	// embedder makes no codes.
	CodeSpans(header, text string, chunks []int) [][][2]int
}

// Yielder is an Embedder whose work on passages gives way to other work of the process
// for which someone waits.
type Yielder interface {
	// Hold has passages give way until Release has been called as often: for seconds
	// wholly, and then as they do to a query, so that they keep a share of the time. No
	// method blocks.
	Hold()
	Release()
	// Await says that someone waits for passages, until Arrived has been called as often:
	// they keep their share from the start.
	Await()
	Arrived()
}
