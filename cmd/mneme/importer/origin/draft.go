package origin

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mneme/cmd/mneme/importer"
	"mneme/markdown"
	"mneme/memory"
)

// draft is an entry of an export as this package makes it.
type draft struct {
	key         string
	text        string          // the value, unless there is a json
	json        json.RawMessage // the value
	kind        string          // the entry's type
	description string
	tags        []string
	occurred    instant
	expires     time.Time // zero: never
}

// line returns the write of an entry. It sets every field but the expiry of one
// that has none, so that a field that a newer export no longer has becomes empty.
func (d draft) line(i item) importer.Line {
	description, occurred := headline(d.description), d.occurred.text
	tags := make([]string, 0, len(d.tags))
	for _, tag := range d.tags {
		if tag = oneLine(tag); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	put := memory.PutRequest{
		Path: memory.Path{Key: d.key}, Value: d.json, Type: &d.kind, Description: &description, Tags: &tags, OccurredAt: &occurred,
	}
	if put.Value == nil {
		put.Value = markdown.Value(d.text)
	}
	if !d.expires.IsZero() {
		put.ExpiresAt = &d.expires
	}
	return importer.Line{Number: i.line, Place: i.place, Put: put}
}

// oneLine returns a text as one line: normalized, with a space for each stretch of
// white space, and without control and format characters.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, norm.NFC.String(text))), " ")
}

// headline returns a text as a description: one line, cut where it is too long.
func headline(text string) string {
	text = oneLine(text)
	if utf8.RuneCountInString(text) <= memory.MaxDescription {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:memory.MaxDescription-1])) + "…"
}

// segment returns a name as one segment of a key.
func segment(name string) string {
	name = strings.ReplaceAll(oneLine(name), "/", "-")
	if name == "." || name == ".." {
		return strings.ReplaceAll(name, ".", "-")
	}
	return name
}

// compact returns a JSON value without white space, or nil if it is empty: null, {}
// or [].
func compact(value json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, value) != nil {
		return nil
	}
	switch out.String() {
	case "null", "{}", "[]", `""`:
		return nil
	}
	return out.Bytes()
}

// instant is a time of an export as an entry's occurred_at; "" is none. JSON has it
// as seconds since 1970, or as one of the forms that parseTime knows.
type instant struct{ text string }

var errBadTime = errors.New("has a time that is not understood")

// layouts are the forms of times in exports. One without a zone is UTC, as in
// Python's isoformat.
var layouts = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z0700", time.DateTime,
}

func parseTime(text string) (instant, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return instant{}, nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil && t.Year() > 0 {
		return instant{text}, nil
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return instantAt(t)
		}
	}
	return instant{}, errBadTime
}

// instantAt returns the instant of a time, in microseconds as the service has it.
func instantAt(t time.Time) (instant, error) {
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < 1 || t.Year() > 9999 {
		return instant{}, errBadTime
	}
	return instant{t.Format(time.RFC3339Nano)}, nil
}

// UnmarshalJSON accepts a number, a string or null. Zero is no time.
func (i *instant) UnmarshalJSON(data []byte) (err error) {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		*i = instant{}
		if text != nil {
			*i, err = parseTime(*text)
		}
		return err
	}
	var seconds float64
	if json.Unmarshal(data, &seconds) != nil || math.Abs(seconds) > 1e12 {
		return errBadTime
	}
	*i = instant{}
	if seconds != 0 {
		whole, fraction := math.Modf(seconds)
		*i, err = instantAt(time.Unix(int64(whole), int64(math.Round(fraction*1e6))*1000))
	}
	return err
}

// or returns i, or other if i is none.
func (i instant) or(other instant) instant {
	if i.text == "" {
		return other
	}
	return i
}

// time returns the instant, or the first one of a date.
func (i instant) time() time.Time {
	moment, err := memory.ParseMoment(i.text)
	if err != nil {
		return time.Time{}
	}
	return moment.Time
}

// day returns the date.
func (i instant) day() string { return i.text[:min(len(i.text), len(time.DateOnly))] }
