package foldersync

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"

	"mneme/markdown"
)

// words are the hashes of a text's words, sorted.
type words []uint64

func wordsOf(value json.RawMessage) words {
	text, ok := markdown.Text(value)
	if !ok {
		text = string(value)
	}
	var all words
	for word := range strings.FieldsSeq(text) {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(word)) // a hash returns no error
		all = append(all, hash.Sum64())
	}
	slices.Sort(all)
	return all
}

// similarity is the share of words that two texts have in common, from 0 to 1. A text
// without words is like no other.
func (w words) similarity(other words) float64 {
	if len(w) == 0 || len(other) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(w) && j < len(other); {
		switch {
		case w[i] == other[j]:
			common, i, j = common+1, i+1, j+1
		case w[i] < other[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(w)+len(other))
}
