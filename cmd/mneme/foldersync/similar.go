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
// without words has similarity 0 with every text.
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

// The minimum similarity of two sketches: s/(2-s), where s is sameNameShare or
// otherNameShare, since a common word counts once in sketchSimilarity and twice in
// similarity.
const (
	sketchShare      = 1. / 3
	otherSketchShare = 0.6
	sketchSize       = 16
)

// sketch returns the sketchSize smallest hashes of distinct words.
func (w words) sketch() words {
	distinct := slices.Compact(slices.Clone(w))
	return distinct[:min(len(distinct), sketchSize)]
}

// sketchSimilarity estimates from two sketches the share of all words that both texts have
// (A. Broder, On the resemblance and containment of documents, 1997).
func (w words) sketchSimilarity(other words) float64 {
	all := slices.Concat(w, other)
	slices.Sort(all)
	all = all.sketch()
	if len(w) == 0 || len(other) == 0 {
		return 0
	}
	common := 0
	for _, hash := range all {
		_, inOne := slices.BinarySearch(w, hash)
		_, inOther := slices.BinarySearch(other, hash)
		if inOne && inOther {
			common++
		}
	}
	return float64(common) / float64(len(all))
}
