package wire

import (
	"encoding/json"
	"strings"

	"mneme/memory"
)

// beginningRunes is how much Beginning shows, in characters: some eighty tokens.
const beginningRunes = 300

// Beginning returns the beginning of an entry's text on one line, with an ellipsis in place
// of what follows, and marks in place of data URLs: of the value, or of its JSON if it is
// no string.
func Beginning(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	text = strings.Join(strings.Fields(memory.MarkDataURLs(text)), " ")
	if runes := []rune(text); len(runes) > beginningRunes {
		return string(runes[:beginningRunes-1]) + "…"
	}
	return text
}
