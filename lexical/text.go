package lexical

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextOf is the text that a JSON value is searched by: a string itself, else
// all strings in the value, in document order, joined by line breaks. Names of
// members, numbers and literals are not text (as in Postgres's
// to_tsvector(jsonb)). What is not JSON has no text.
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

// stringsOf joins the strings of an object or array, without recursion: a
// value may be nested as deep as it is long.
func stringsOf(value []byte) string {
	var (
		text  strings.Builder
		inner []bool // of the open brackets: is it an object?
		name  bool   // is the next string the name of a member?
	)
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber() // a number out of float64's range is valid JSON
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

// KeyWords are the words of a key, separated by single spaces:
// "user/preferred-language_v2" gives "user preferred language v2", and
// "projects/buildStatus" gives "projects build Status".
func KeyWords(key string) string {
	var words strings.Builder
	words.Grow(len(key) + 8)
	var before rune // the rune before, 0 at a word's start
	for i, r := range key {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			before = 0
			continue
		}
		if words.Len() > 0 && (before == 0 || humps(before, r, key[i+utf8.RuneLen(r):])) {
			words.WriteByte(' ')
		}
		words.WriteRune(r)
		before = r
	}
	return words.String()
}

// humps tells whether camelCase begins a word at r: after a lower-case letter
// ("buildStatus"), or before one in a run of capitals ("HTTPServer").
func humps(before, r rune, rest string) bool {
	if !unicode.IsUpper(r) {
		return false
	}
	if unicode.IsLower(before) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsUpper(before) && unicode.IsLower(next)
}
