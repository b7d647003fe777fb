package origin

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mneme/cmd/mneme/importer"
)

// maxPart is the size of the largest part of a conversation or a document, in bytes of
// JSON. It is well below the service's limit on values, and a hit shows a readable
// passage.
const maxPart = 32 << 10

// message is a message of one side of a conversation.
type message struct {
	role string // as displayed: User or Assistant
	text string
	at   importer.Date
}

// conversation returns the entries of a conversation, each a part with the messages that
// fit into it. Messages that are added later change the last part, or add further ones.
func conversation(key, title string, at importer.Date, messages []message) []draft {
	var drafts []draft
	var text strings.Builder
	size, began := 0, importer.Date{}
	end := func() {
		if text.Len() > 0 {
			drafts = append(drafts, draft{
				key: fmt.Sprintf("%s/%03d", key, len(drafts)+1), text: text.String(),
				description: title, tags: []string{"conversation"}, occurred: began.Or(at), part: true,
			})
		}
		text.Reset()
		size, began = 0, importer.Date{}
	}
	for _, m := range messages {
		body := strings.TrimSpace(m.text)
		if body == "" {
			continue
		}
		for _, stretch := range cut(body, maxPart-64) { // 64: the role and the lines between messages
			stretch = m.role + ": " + stretch
			more := jsonSize(stretch) + 4
			if size > 0 && size+more > maxPart {
				end()
			}
			if size > 0 {
				text.WriteString("\n\n")
			}
			text.WriteString(stretch)
			size, began = size+more, began.Or(m.at)
		}
	}
	end()
	return drafts
}

// parts returns the entries of a long text: d in as many parts as necessary.
func (d draft) parts() []draft {
	var drafts []draft
	for n, stretch := range cut(strings.TrimSpace(d.text), maxPart) {
		part := d
		part.key, part.text, part.part = fmt.Sprintf("%s/%03d", d.key, n+1), stretch, true
		drafts = append(drafts, part)
	}
	return drafts
}

// cut splits a text into pieces of at most limit bytes of JSON. It cuts after a line if
// one ends in the second half of a piece, else after a word, else between any two
// characters.
func cut(text string, limit int) []string {
	var stretches []string
	for text != "" {
		end := fitting(text, limit)
		if end < len(text) {
			head := text[:end]
			if at := strings.LastIndexByte(head, '\n'); at > end/2 {
				end = at + 1
			} else if at := strings.LastIndexByte(head, ' '); at > end/2 {
				end = at + 1
			}
		}
		if stretch := strings.TrimRight(text[:end], "\n "); stretch != "" {
			stretches = append(stretches, stretch)
		}
		text = strings.TrimLeft(text[end:], "\n")
	}
	return stretches
}

// fitting returns the length of the longest prefix of a text, at least one character,
// whose JSON has at most limit bytes.
func fitting(text string, limit int) int {
	size := 0
	for at, r := range text {
		if size += runeSize(r); size > limit && at > 0 {
			return at
		}
	}
	return len(text)
}

// jsonSize returns the size of a text in JSON, without quotes.
func jsonSize(text string) int {
	size := 0
	for _, r := range text {
		size += runeSize(r)
	}
	return size
}

func runeSize(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t':
		return 2
	case r < ' ', r == '\u2028', r == '\u2029', r == utf8.RuneError:
		return 6
	}
	return utf8.RuneLen(r)
}
