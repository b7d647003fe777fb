package main

import (
	"strings"

	"mneme/clients/go/api"
	"mneme/memory"
)

// startMark and endMark surround a highlight until it is printed. Both are noncharacters,
// which do not occur in text.
const (
	startMark = "\uFDD0"
	endMark   = "\uFDD1"
)

// mark puts marks around the highlights of a text.
func mark(text string, ranges *api.Ranges) string {
	clean := strings.NewReplacer(startMark, "", endMark, "")
	if ranges == nil {
		return clean.Replace(text)
	}
	var marked strings.Builder
	end := 0
	for _, r := range *ranges {
		if len(r) != 2 || r[0] < end || r[1] < r[0] || r[1] > len(text) {
			break // not a range of this text
		}
		marked.WriteString(clean.Replace(text[end:r[0]]) + startMark + clean.Replace(text[r[0]:r[1]]) + endMark)
		end = r[1]
	}
	return marked.String() + clean.Replace(text[end:])
}

// highlight replaces the marks in a text, which may have been truncated, with bold type,
// or removes them if the text is not for a terminal.
func highlight(text string, terminal bool) string {
	if !terminal {
		return strings.NewReplacer(startMark, "", endMark, "").Replace(text)
	}
	if strings.Count(text, startMark) > strings.Count(text, endMark) {
		text += endMark
	}
	return strings.NewReplacer(startMark, "\x1b[1m", endMark, "\x1b[22m").Replace(text)
}

// hitTexts returns the displayed texts of a hit, in lines of plain text: the beginning of
// its value, or its passages.
func hitTexts(h api.Hit, terminal bool) []string {
	if h.Passages == nil {
		return []string{highlight(clip(plain(memory.MarkDataURLs(mark(valueText(h.Value), h.Highlights)))), terminal)}
	}
	texts := make([]string, len(*h.Passages))
	for i, p := range *h.Passages {
		texts[i] = "… " + highlight(plain(mark(p.Text, p.Highlights)), terminal) + " …"
	}
	return texts
}
