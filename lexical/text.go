package lexical

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextOf returns the searchable text of a JSON value: a string itself, a number in plain
// digits (PlainNumber), and for an object or array a line for each string and number, in
// document order. The name of a member precedes its string or number, and otherwise has a
// line of its own: {"server":{"cpuLimit":4,"spot":true}} is "server", "cpu Limit: 4" and
// "spot". true, false and null have no text except their member's name. Invalid JSON has
// no text. A mark replaces a base64 data URL: see MarkDataURLs.
func TextOf(value []byte) string {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return ""
	}
	switch c := value[0]; {
	case c == '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
		return MarkDataURLs(text)
	case c == '{', c == '[':
		return linesOf(value)
	case json.Valid(value) && (c == '-' || isDigit(rune(c))):
		return PlainNumber(string(value))
	}
	return ""
}

// linesOf returns the lines of an object or array. It does not recurse, since only the length of
// a value bounds how deep the value is nested.
func linesOf(value []byte) string {
	var (
		text    strings.Builder
		inner   []bool // by open bracket: whether it is an object
		name    bool   // whether the next string is a member name
		pending string // name of a member whose string or number follows
	)
	line := func(words string) {
		if words == "" {
			return
		}
		if pending == "" && text.Len() > 0 {
			pending = "\n"
		}
		text.WriteString(pending)
		text.WriteString(words)
		pending = ""
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber() // numbers beyond the range of float64 are valid JSON
	for {
		token, err := decoder.Token()
		if err == io.EOF && len(inner) == 0 {
			return text.String()
		}
		if err != nil {
			return ""
		}
		object := len(inner) > 0 && inner[len(inner)-1]
		switch token := token.(type) {
		case json.Delim:
			pending = ""
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
				if words := memberWords(token); words != "" {
					line(words)
					pending = ": "
				}
				continue
			}
			line(MarkDataURLs(token))
		case json.Number:
			line(PlainNumber(token.String()))
		}
		name, pending = object, ""
	}
}

// memberWords returns the words of a member's name: "listen_port" is "listen port",
// "wifiPassword" is "wifi Password".
func memberWords(name string) string {
	var words strings.Builder
	var before rune
	for i, r := range name {
		switch {
		case r == '_':
			r = ' '
		case startsCamelWord(before, r, name[i+utf8.RuneLen(r):]):
			words.WriteByte(' ')
		}
		words.WriteRune(r)
		before = r
	}
	return strings.TrimSpace(words.String())
}

// maxPlainDigits bounds the digits of a plain number.
const maxPlainDigits = 40

// PlainNumber returns a JSON number in plain digits, without an exponent and trailing
// zeros: 1.25e6 is 1250000, 31.50 is 31.5. It returns a number that would have more than
// 40 digits unchanged.
func PlainNumber(number string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	sign := ""
	if rest, negative := strings.CutPrefix(mantissa, "-"); negative {
		sign, mantissa = "-", rest
	}
	whole, decimals, _ := strings.Cut(mantissa, ".")
	shift, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || max(shift, -shift) > maxPlainDigits || len(mantissa) > maxPlainDigits {
		return number
	}
	digits := whole + decimals + strings.Repeat("0", max(0, shift-len(decimals)))
	point := len(whole) + shift
	if point < 0 {
		digits, point = strings.Repeat("0", -point)+digits, 0
	}
	whole, decimals = strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	if plain := cmp.Or(whole, "0"); decimals != "" {
		return sign + plain + "." + decimals
	} else if plain != "0" {
		return sign + plain
	}
	return "0"
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
