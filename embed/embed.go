// Package embed turns text into vectors. Its children are the models:
// embed/e5 runs E5-small-v2 inside the process, embed/openai asks any server
// that speaks the OpenAI embeddings API.
package embed

import "context"

// Embedder maps texts to unit vectors of one model. Questions and stored
// passages are embedded apart, because models such as E5 mark them with
// different prefixes. Implementations are safe for concurrent use.
type Embedder interface {
	// Fingerprint names everything that decides a vector's value: model,
	// tokenizer, prefixes, pooling and precision. Vectors of different
	// fingerprints must never be compared.
	Fingerprint() string

	// Dim is the length of every vector.
	Dim() int

	// Query embeds one question. It must not wait behind passages: a caller
	// of Query is a person or an agent that waits for an answer. Text beyond
	// the model's window is cut off.
	Query(ctx context.Context, text string) ([]float32, error)

	// Passages embeds stored texts; the answer has one vector for each text,
	// in the order of texts. Text beyond the model's window is cut off: use
	// Split first.
	Passages(ctx context.Context, texts []string) ([][]float32, error)

	// Split cuts text into overlapping pieces, each of which fits the model's
	// window as a passage together with header, which every piece begins with
	// (no header: ""). It returns at least one piece, and every character of
	// text is in one of them.
	Split(header, text string) []string
}
