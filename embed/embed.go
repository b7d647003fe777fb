// Package embed defines the interface of text embedders. Package embed/e5 runs
// E5-small-v2 in the process; package embed/openai calls any server of the
// OpenAI embeddings API. An embedder that calls a server splits texts by a Splitter.
package embed

import (
	"context"
	"errors"

	"mneme/embed/maxsim"
)

// ErrText means that an embedder rejects a text, though it accepts others.
var ErrText = errors.New("the embedder does not take the text")

// Passage is an embedded passage.
type Passage struct {
	Vector []float32 // of unit length
	Codes  []byte    // codes of its tokens, maxsim.TokenSize bytes each; nil if the embedder makes none
}

// Query is an embedded question.
type Query struct {
	Vector []float32 // of unit length
	// Tokens are in the order of the text, without unknown ones; nil if the embedder does
	// not report them.
	Tokens []Token
	// Multilingual reports whether the vocabulary covers many languages: then the Tokens
	// do not show how well the model knows the query's language.
	Multilingual bool
}

// Token is a token of a question: a word or a piece of one.
type Token struct {
	Start, End int           // byte range of the whole word in the question, even if the token is a piece of it
	Vector     maxsim.Vector // zero if the embedder makes no codes
}

// Embedder maps texts to unit vectors of one model, and if possible to vectors of their
// tokens. Queries and passages have separate methods, because models such as E5 mark them
// with different prefixes. Implementations are safe for concurrent use.
type Embedder interface {
	// Fingerprint identifies everything that determines a vector or a code: model,
	// tokenizer, prefixes, pooling, precision, projection. Vectors of different
	// fingerprints must never be compared.
	Fingerprint() string

	// Dim is the length of every vector.
	Dim() int

	// Cosines returns the usual cosine of a query with an unrelated passage, and with one
	// that answers it. Relevance depends on the position of a cosine between them, since
	// models differ in the range of their cosines.
	Cosines() (unrelated, related float64)

	// Query embeds one query. It takes precedence over passages, because its caller is
	// waiting, but an endless stream of queries must leave passages a share of the time.
	// Text beyond the model's window is cut off.
	Query(ctx context.Context, text string) (Query, error)

	// Passages embeds stored texts. It returns one passage for each text, in the order of
	// texts. Concurrent calls take turns, so that a call with few texts does not wait for
	// one with many. Text beyond the model's window is cut off: use Split first.
	Passages(ctx context.Context, texts []string) ([]Passage, error)

	// Split splits text into overlapping chunks that fit the model's window as
	// passages. Every chunk begins with header, which may be empty. Split
	// returns at least one chunk, and every character of text is in one of them.
	Split(header, text string) []string

	// Spans returns the byte ranges [start, end) of text in the chunks of Split(header,
	// text), in the same order. They exclude the header and other text that every chunk
	// repeats. Ranges begin and end between characters, and their starts and ends
	// increase.
	Spans(header, text string) [][2]int

	// CodeSpans returns, for some of the chunks of Split(header, text), the byte range of
	// text for each code of the chunk: the whole word, even if the token is a piece of it,
	// and an empty range for a word of the header or of repeated text. A chunk that does
	// not exist has none, and no chunk has any if the embedder makes no codes.
	CodeSpans(header, text string, chunks []int) [][][2]int
}

// Yielder is an Embedder whose work on passages yields to urgent work of the process.
type Yielder interface {
	// Hold makes passages yield until Release has been called as often: for some seconds
	// entirely, and then as they do to a query, so that they retain a share of the time.
	// No method blocks.
	Hold()
	Release()
	// Await announces a caller that waits for passages, until Arrived has been called as
	// often: passages then retain their share from the start.
	Await()
	Arrived()
}
