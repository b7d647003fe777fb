package tool

import "strings"

// A text may end its lines with CRLF, as Windows files do. The tools hide line ends from
// models: views show none, old_str matches any, and new text takes the line ends of the
// existing text. All other bytes are preserved.

const crlf = "\r\n"

// lineEnd returns the line end of most lines of a text, or "" if the text has
// one line.
func lineEnd(text string) string {
	switch all, long := strings.Count(text, "\n"), strings.Count(text, crlf); {
	case all == 0:
		return ""
	case 2*long > all:
		return crlf
	}
	return "\n"
}

// withEnds returns a text with the line ends of another text, or unchanged if the other
// has none.
func withEnds(text, of string) string {
	end := lineEnd(of)
	if end == "" {
		return text
	}
	text = strings.ReplaceAll(text, crlf, "\n")
	if end == crlf {
		text = strings.ReplaceAll(text, "\n", crlf)
	}
	return text
}

// occurrence is the byte range of a part in a text.
type occurrence struct{ start, end int }

// findPart returns the occurrences of a part in a text, ignoring differences of
// line ends.
func findPart(text, part string) (found []occurrence) {
	plain, plainPart := strings.ReplaceAll(text, crlf, "\n"), strings.ReplaceAll(part, crlf, "\n")
	at := 0 // in text, of plain[from:]
	for from := 0; ; {
		i := strings.Index(plain[from:], plainPart)
		if i < 0 {
			return found
		}
		start := skipPlain(text, at, i)
		at = skipPlain(text, start, len(plainPart))
		found = append(found, occurrence{start, at})
		from += i + len(plainPart)
	}
}

// skipPlain returns the offset n bytes after at, counting CRLF as one byte.
func skipPlain(text string, at, n int) int {
	for ; n > 0; n-- {
		if strings.HasPrefix(text[at:], crlf) {
			at++
		}
		at++
	}
	return at
}
