package tool

import "strings"

// A text may end its lines with CRLF, as files of Windows do. To a model lines have no ends:
// views show none, an old_str is found whatever ends it has, and what is written gets those
// of the text. Other bytes stay.

const crlf = "\r\n"

// lineEnd returns the end that most lines of a text have; "" if it has one line.
func lineEnd(text string) string {
	switch all, long := strings.Count(text, "\n"), strings.Count(text, crlf); {
	case all == 0:
		return ""
	case 2*long > all:
		return crlf
	}
	return "\n"
}

// withEnds returns a text with the line ends of another one, or as it is if that has none.
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

// occurrence is where a part is in a text.
type occurrence struct{ start, end int }

// findPart returns where a text has a part, whatever line ends either has.
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

// skipPlain returns the offset n bytes after another, where CRLF counts as one.
func skipPlain(text string, at, n int) int {
	for ; n > 0; n-- {
		if strings.HasPrefix(text[at:], crlf) {
			at++
		}
		at++
	}
	return at
}
