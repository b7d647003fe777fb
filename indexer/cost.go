package indexer

import (
	"unicode/utf8"

	"mneme/memory"
)

const (
	// chunkTokens is how much of a text is new in a chunk of the built-in model:
	// its window of 512 tokens without the overlap.
	chunkTokens = 448
	// wordBytes is the length of a word, or of a part of a long one, that is a
	// token in English text.
	wordBytes = 6
	// LongChunks is the cost beyond which an entry is long: about a second of
	// the built-in model on two processors.
	LongChunks = 8
)

// Chunks estimates how many chunks an entry's text has. It is the cost of its
// queue row: 0 if there is nothing to embed, because the entry is deleted or not
// searchable, else at least 1. The text is not parsed, so the syntax of a JSON
// value counts too.
func Chunks(e *memory.Entry) int {
	if !e.DeletedAt.IsZero() || !e.Searchable() {
		return 0
	}
	return 1 + tokens(e.Value)/chunkTokens
}

// tokens estimates the number of tokens of a text: one for each six letters of a
// word, each punctuation character and each character beyond ASCII.
func tokens(text []byte) (n int) {
	word := 0 // bytes since the last token of a word began
	for _, c := range text {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			if word%wordBytes == 0 {
				n++
			}
			word++
		case c <= ' ':
			word = 0
		case utf8.RuneStart(c):
			n++
			word = 0
		}
	}
	return n
}
