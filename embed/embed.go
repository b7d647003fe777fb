// Package embed defines the interface of text embedders. Package embed/e5 runs the models
// E5-small-v2 and multilingual-e5-small in the process; package embed/openai calls any server
// of the OpenAI embeddings API. An embedder that calls a server splits texts with a Splitter.
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
	// Tokens are the question's tokens in the order of the text. Tokens that the vocabulary
	// does not know are left out. It is nil if the embedder does not report tokens.
	Tokens []Token
	// Multilingual reports whether the vocabulary covers many languages. If so, the Tokens do
	// not show how well the model knows the query's language.
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

	// Cosines returns two usual cosines of a query: that with an unrelated passage, and that
	// with a passage that answers it. Models differ in the range of their cosines, so a
	// passage's relevance is computed from where its cosine lies between these two.
	Cosines() (unrelated, related float64)

	// Query embeds one query. It takes precedence over passages, because its caller is waiting.
	// But an endless stream of queries must leave some of the time for passages. Text beyond
	// the model's window is cut off.
	Query(ctx context.Context, text string) (Query, error)

	// Passages embeds stored texts. It returns one passage for each text, in the order of
	// texts. Concurrent calls take turns, so that a call with few texts does not wait for
	// one with many. Text beyond the model's window is cut off: use Split first.
	Passages(ctx context.Context, texts []string) ([]Passage, error)

	// Split splits text into overlapping chunks that fit the model's window as
	// passages. Every chunk begins with header, which may be empty. Split
	// returns at least one chunk, and every character of text is in one of them.
	Split(header, text string) []string

	// Spans returns, for each chunk of Split(header, text), the byte range [start, end) of text
	// that the chunk contains. A range does not include the header, nor other text that every
	// chunk repeats. Ranges begin and end between characters. From one chunk to the next, their
	// starts and ends increase.
	Spans(header, text string) [][2]int

	// CodeSpans returns, for each of some chunks of Split(header, text), one byte range of text
	// for each code of the chunk: the range of the word to which the code's token belongs, even
	// if the token is only a piece of the word. The range is empty if the word is from the
	// header or from repeated text. chunks are indexes of chunks. A chunk that does not exist
	// has no ranges, and no chunk has any if the embedder makes no codes.
	CodeSpans(header, text string, chunks []int) [][][2]int
}

// Yielder is an Embedder that can embed passages at reduced speed while the process has urgent
// work.
type Yielder interface {
	// Hold announces urgent work, and Release its end; calls may overlap. Meanwhile passages
	// first wait for some seconds, and then get only a share of the processors' time, as during
	// queries. No method blocks.
	Hold()
	Release()
	// Await announces a caller that waits for passages, and Arrived its end; calls may overlap.
	// Meanwhile passages get their share during urgent work at once.
	Await()
	Arrived()
}
