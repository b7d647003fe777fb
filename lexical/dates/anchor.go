package dates

import "unicode/utf8"

// hasAnchor reports whether a text has a digit or a word that every date in words
// contains. It decides for nearly all texts, in one pass and without allocations.
func hasAnchor(text string) bool {
	v := load()
	var buffer [2 * maxWord]byte
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if '0' <= c && c <= '9' {
				n := countDigits(text[i:])
				if isDigitAnchor(text, i, n) {
					return true
				}
				i += n
				continue
			}
			if foldRune(rune(c)) == 0 {
				i++
				continue
			}
		}
		key, length := cutWord(buffer[:0], text[i:])
		if length > 0 {
			if _, ok := v.anchors[string(key)]; ok {
				return true
			}
			i += length
			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		if _, ok := v.firstRunes[r]; ok {
			return true
		}
		i += width
	}
	return false
}

// isDigitAnchor reports whether n digits at i may belong to a date without words: a year,
// a quarter, or digits before a separator.
func isDigitAnchor(text string, i, n int) bool {
	if n == 4 && (text[i] == '1' && text[i+1] == '9' || text[i] == '2' && (text[i+1] == '0' || text[i+1] == '1')) {
		return true
	}
	if n == 1 && i > 0 && (text[i-1] == 'Q' || text[i-1] == 'q' || text[i-1] == 'T') {
		return true
	}
	if end := i + n; n <= 2 && end+1 < len(text) {
		return (text[end] == '.' || text[end] == '/' || text[end] == '-') && countDigits(text[end+1:end+2]) == 1 ||
			text[end] == '.' && text[end+1] == ' ' && end+2 < len(text) && countDigits(text[end+2:end+3]) == 1
	}
	return false
}
