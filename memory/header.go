package memory

import (
	"bytes"
	"strings"
	"unicode"

	"mneme/lexical"
)

// ChunkHeader returns the text that precedes every chunk of an entry when it is embedded: its
// key if it consists of words, its description, its tags, and the date on which what it
// describes happened, as in "8 May 2023", "May 2023" or "2023".
func ChunkHeader(e *Entry) string {
	var lines []string
	if words := lexical.KeyWords(e.Key); wordy(words) {
		lines = append(lines, words)
	}
	if e.Description != "" {
		lines = append(lines, e.Description)
	}
	if len(e.Tags) > 0 {
		lines = append(lines, strings.Join(e.Tags, ", "))
	}
	if !e.OccurredAt.IsZero() {
		lines = append(lines, e.OccurredAt.date())
	}
	return strings.Join(lines, "\n")
}

// ProseOf returns the text whose language decides which model reads an entry: its description
// and value. The entry must have been read with its value.
func ProseOf(e *Entry) string {
	text := lexical.TextOf(e.Value)
	if e.Description != "" {
		text = e.Description + "\n" + text
	}
	return text
}

// MarkDataURLs returns a text in the form shown to people and models: see lexical.MarkDataURLs.
// For the text of a JSON value it returns JSON.
func MarkDataURLs(text string) string { return lexical.MarkDataURLs(text) }

// HasMeaning reports whether an entry, read with its value, has a text that a vector can
// represent: words in its value or description, or a key that consists of words (see wordy) and
// names a value that is neither null nor empty. Other entries are found by their words only: an
// encoder would give an empty text a vector near every question.
func HasMeaning(e *Entry) bool {
	if lexical.HasWords(lexical.TextOf(e.Value)) || lexical.HasWords(e.Description) {
		return true
	}
	return !bytes.Equal(e.Value, []byte("null")) && lexical.HasWords(string(e.Value)) && wordy(lexical.KeyWords(e.Key))
}

// wordy reports whether at least half of a key's parts consist of letters only. Other keys
// (numbers, identifiers, hashes) have no meaning and would only blur the entry's vector.
func wordy(words string) bool {
	parts := strings.Fields(words)
	plain := 0
	for _, part := range parts {
		if !strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			plain++
		}
	}
	return plain > 0 && 2*plain >= len(parts)
}
