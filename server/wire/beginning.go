package wire

import (
	"encoding/json"
	"strings"

	"mneme/memory"
	"mneme/search"
)

// Beginning returns the first search.NearestText characters of an entry's text on one line:
// of the value, or of its JSON if it is not a string. An ellipsis marks a cut, and marks
// replace data URLs.
func Beginning(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	text = strings.Join(strings.Fields(memory.MarkDataURLs(text)), " ")
	if runes := []rune(text); len(runes) > search.NearestText {
		return string(runes[:search.NearestText-1]) + "…"
	}
	return text
}
