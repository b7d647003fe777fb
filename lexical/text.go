package lexical

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextOf returns the searchable text of a JSON value: a string itself, otherwise
// all strings in the value, in document order, joined by line breaks. Member
// names, numbers and literals are not text, as in Postgres's
// to_tsvector(jsonb). Invalid JSON has no text.
func TextOf(value []byte) string {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return ""
	}
	switch value[0] {
	case '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
		return text
	case '{', '[':
		return stringsOf(value)
	}
	return ""
}

// stringsOf joins the strings of an object or array. It does not recurse: the
// nesting of a value is bounded only by its length.
func stringsOf(value []byte) string {
	var (
		text  strings.Builder
		inner []bool // by open bracket: whether it is an object
		name  bool   // whether the next string is a member name
	)
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber() // numbers beyond the range of float64 are valid JSON
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return text.String()
		}
		if err != nil {
			return ""
		}
		object := len(inner) > 0 && inner[len(inner)-1]
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				inner = append(inner, token == '{')
				name = token == '{'
				continue
			}
			inner = inner[:len(inner)-1]
			name = len(inner) > 0 && inner[len(inner)-1]
			continue
		case string:
			if object && name {
				name = false
				continue
			}
			if token != "" {
				if text.Len() > 0 {
					text.WriteByte('\n')
				}
				text.WriteString(token)
			}
		}
		name = object
	}
}

// KeyWords returns the words of a key, separated by single spaces:
// "user/preferred-language_v2" becomes "user preferred language v2", and
// "projects/buildStatus" becomes "projects build Status".
func KeyWords(key string) string {
	var words strings.Builder
	words.Grow(len(key) + 8)
	var before rune // the previous rune, 0 at the start of a word
	for i, r := range key {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			before = 0
			continue
		}
		if words.Len() > 0 && (before == 0 || startsCamelWord(before, r, key[i+utf8.RuneLen(r):])) {
			words.WriteByte(' ')
		}
		words.WriteRune(r)
		before = r
	}
	return words.String()
}

// startsCamelWord reports whether r begins a word of camelCase: as a capital
// after a lower-case letter ("buildStatus"), or as the last of a run of capitals
// before one ("HTTPServer").
func startsCamelWord(before, r rune, rest string) bool {
	if !unicode.IsUpper(r) {
		return false
	}
	if unicode.IsLower(before) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsUpper(before) && unicode.IsLower(next)
}
