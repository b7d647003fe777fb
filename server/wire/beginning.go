package wire

import (
	"encoding/json"
	"strings"

	"mneme/memory"
	"mneme/search"
)

// Beginning returns the beginning of an entry's text on one line, with an ellipsis in place
// of what follows, and marks in place of data URLs: of the value, or of its JSON if it is
// no string.
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
