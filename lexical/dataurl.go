package lexical

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

const (
	dataScheme = "data:"
	base64Mark = ";base64,"
	// maxMediaType is the maximum length of the media type with its parameters, in bytes.
	maxMediaType = 200
)

// The lengths of lines into which encoders wrap base64: RFC 2045 §6.8 and RFC 7468 §2.
const mimeLine, pemLine = 76, 64

// MarkDataURLs replaces each base64 data URL (RFC 2397) of a text with a mark such as
// "[image/png, 300 kB]", since its bytes are not words. It takes linear time and returns
// other texts unchanged.
func MarkDataURLs(text string) string {
	var marked strings.Builder
	done := 0 // length of the text already copied to marked
	for at := 0; ; {
		i := strings.Index(text[at:], base64Mark)
		if i < 0 {
			break
		}
		mark := at + i
		at = mark + len(base64Mark)
		start, ok := dataURLBefore(text, done, mark)
		if !ok {
			continue
		}
		end, digits := base64End(text, at)
		if digits == 0 {
			continue
		}
		kind, _, _ := strings.Cut(text[start+len(dataScheme):mark], ";")
		if kind == "" {
			kind = "text/plain"
		}
		marked.WriteString(text[done:start])
		fmt.Fprintf(&marked, "[%s, %s]", strings.ReplaceAll(kind, `\`, ""), sizeOf(digits*3/4))
		done, at = end, end
	}
	if done == 0 {
		return text
	}
	marked.WriteString(text[done:])
	return marked.String()
}

// HasDataURL reports whether a JSON value has a text that MarkDataURLs changes.
func HasDataURL(value []byte) bool {
	return bytes.Contains(value, []byte(base64Mark)) && MarkDataURLs(string(value)) != string(value)
}

// dataURLBefore returns the start of the data URL whose base64Mark is at index mark.
func dataURLBefore(text string, from, mark int) (start int, ok bool) {
	from = max(from, mark-maxMediaType)
	start = strings.LastIndex(text[from:mark], dataScheme)
	if start < 0 {
		return 0, false
	}
	start += from
	if endsEscape(text[:start+1]) {
		return 0, false // the d of \ufffd, which is one character in JSON
	}
	for i := start + len(dataScheme); i < mark; i++ {
		if c := text[i]; !isASCIIAlphanumeric(c) && strings.IndexByte(`/.+-;=_!#$&^\`, c) < 0 {
			return 0, false
		}
	}
	return start, true
}

// endsEscape reports whether a text ends with a JSON escape of four hexadecimal digits.
func endsEscape(text string) bool {
	escape := text[max(0, len(text)-len(`\uffff`)):]
	_, err := strconv.ParseUint(strings.TrimPrefix(escape, `\u`), 16, 16)
	return strings.HasPrefix(escape, `\u`) && err == nil
}

// base64End returns the end of the base64 that begins at an index, and the number of its
// digits. Base64 may continue on the next line if an encoder wrapped it.
func base64End(text string, at int) (end, digits int) {
	line := 0 // number of digits on the line
	for end = at; end < len(text); {
		switch c := text[end]; {
		case isASCIIAlphanumeric(c), c == '+', c == '/', c == '-', c == '_':
			line++
			digits++
			end++
		case strings.HasPrefix(text[end:], `\/`): // an escaped slash, in JSON
			end++
		case hasPlus(text[end:]):
			line++
			digits++
			end += len(`\u002b`)
		case c == '=':
			end++
			if strings.HasPrefix(text[end:], "=") {
				end++
			}
			return end, digits
		default:
			next, ok := nextLine(text, end)
			if !ok || line != mimeLine && line != pemLine {
				return end, digits
			}
			if rest, more := base64Line(text, next); more == 0 || rest < len(text) && !endsBase64(text[rest]) {
				return end, digits
			}
			end, line = next, 0
		}
	}
	return end, digits
}

// hasPlus reports whether a text begins with a plus sign as some encoders escape it in
// JSON.
func hasPlus(text string) bool {
	return strings.HasPrefix(text, `\u002B`) || strings.HasPrefix(text, `\u002b`)
}

// base64Line returns the end and the number of the base64 digits of a line, at most
// mimeLine.
func base64Line(text string, at int) (end, digits int) {
	for end = at; end < len(text) && digits <= mimeLine; end++ {
		if c := text[end]; !isASCIIAlphanumeric(c) && c != '+' && c != '/' {
			break
		}
		digits++
	}
	return end, digits
}

// endsBase64 reports whether a byte after digits shows that they were base64 rather than a
// word.
func endsBase64(c byte) bool {
	return strings.IndexByte("=\r\n\\\")'>]}", c) >= 0
}

// nextLine returns the index behind a line break, in a text or in a string of JSON.
func nextLine(text string, at int) (next int, ok bool) {
	for _, lineBreak := range []string{"\r\n", "\n", `\r\n`, `\n`} {
		if strings.HasPrefix(text[at:], lineBreak) {
			return at + len(lineBreak), true
		}
	}
	return 0, false
}

func isASCIIAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// sizeOf returns a number of bytes as people read it.
func sizeOf(bytes int) string {
	switch {
	case bytes >= 1_000_000:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	case bytes >= 1000:
		return fmt.Sprintf("%d kB", bytes/1000)
	}
	return fmt.Sprintf("%d B", bytes)
}
