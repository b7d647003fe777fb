package indexer

import (
	"unicode/utf8"

	"mneme/memory"
)

const (
	// chunkTokens is the number of new tokens in each chunk of the built-in model: its window
	// of 512 tokens without the overlap.
	chunkTokens = 448
	// wordBytes is the length of an English word, or part of a long word, that makes one token.
	wordBytes = 6
	// LongChunks is the cost above which an entry counts as long: about one second of the
	// built-in model on two CPUs.
	LongChunks = 8
)

// Chunks estimates the number of chunks of an entry's text, which is the cost of its queue row.
// It is 0 if there is nothing to embed, because the entry is deleted or not searchable, and
// otherwise at least 1. The text is not parsed, so the syntax of a JSON value counts too.
func Chunks(e *memory.Entry) int {
	if !e.DeletedAt.IsZero() || !e.Searchable() {
		return 0
	}
	return 1 + tokens(e.Value)/chunkTokens
}

// tokens estimates the number of tokens of a text: one per six bytes of a word, one per
// punctuation character and one per non-ASCII character.
func tokens(text []byte) (n int) {
	word := 0 // bytes since the last token began
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
