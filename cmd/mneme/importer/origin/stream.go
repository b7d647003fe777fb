package origin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mneme/cmd/mneme/importer"
)

// maxItem is the size of the largest item of an export, in bytes.
const maxItem = 64 << 20

// errTooLarge reports a file that is a single, too large item.
var errTooLarge = fmt.Errorf("has more than %d bytes", maxItem)

// readWhole reads a file that is a single item.
func readWhole(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxItem+1))
	if err == nil && len(text) > maxItem {
		err = errTooLarge
	}
	return text, err
}

// shape describes where a JSON document has its items: in an array, in arrays of an
// object, or as consecutive objects.
type shape struct {
	arrays []string // fields of an object whose elements are items
	fields []string // fields of an object that is an item; the reader skips the others
	both   bool     // whether an object with such arrays is an item too
}

// item is one object of an export.
type item struct {
	array string // name of its array; "" for the document itself
	place string // its path in the document, in jq's syntax; "" for the document itself
	line  int    // first line, from 1
	raw   json.RawMessage
}

// skipped is the reason why an item was left out on purpose.
type skipped string

func (s skipped) Error() string { return string(s) }

// eachItem reads a JSON document and passes the entries of its items to out. entriesOf
// returns the entries of one item, and why there are none or not all. Invalid JSON is an
// error at the line where it is detected.
func eachItem(in io.Reader, s shape, out output, entriesOf func(item) ([]draft, error)) error {
	d := newDocument(in, s)
	err := d.each(func(i item) error {
		if !utf8.Valid(i.raw) {
			return out(i.refuse(errors.New("is not valid UTF-8")))
		}
		drafts, err := entriesOf(i)
		for _, draft := range drafts {
			if err := out(draft.line(i)); err != nil {
				return err
			}
		}
		if err != nil {
			return out(i.refuse(err))
		}
		return nil
	})
	var broken *brokenError
	switch {
	case errors.As(err, &broken):
		return out(importer.Line{Number: broken.line, Err: broken})
	case err == nil && !d.found:
		return out(importer.Line{Number: 1, Err: errForeign})
	}
	return err
}

// errForeign reports a document or an item of another kind.
var errForeign = errors.New("has none of the fields of such an export")

// refuse returns the line of an item that is not imported.
func (i item) refuse(err error) importer.Line {
	var left skipped
	return importer.Line{Number: i.line, Place: i.place, Err: err, Skipped: errors.As(err, &left)}
}

// decode decodes an item. Its error names the field and never quotes the contents.
func (i item) decode(into any) error {
	err := json.Unmarshal(i.raw, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s: has the wrong type", wrong.Field)
	}
	return errors.New("has a field of the wrong type")
}

// document reads a JSON document as a stream.
type document struct {
	shape
	lines *lineReader
	in    *json.Decoder
	found bool // whether it has items, or an array of them
}

func newDocument(in io.Reader, s shape) *document {
	lines := &lineReader{in: in, line: 1}
	decoder := json.NewDecoder(lines)
	decoder.UseNumber() // numbers beyond the range of float64 are valid JSON
	return &document{shape: s, lines: lines, in: decoder}
}

// brokenError reports a document that cannot be read further.
type brokenError struct {
	line   int
	reason string
}

func (e *brokenError) Error() string { return e.reason }

// broken converts the error of a decoder to one without the document's text.
func (d *document) broken(err error) error {
	e := &brokenError{}
	offset := d.lines.offset
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errTooLong):
		e.reason = fmt.Sprintf("has an item of more than %d bytes; nothing after it was read", maxItem)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.reason = "ends before the document does"
	case errors.As(err, &syntax):
		offset = syntax.Offset
		e.reason = fmt.Sprintf("is not valid JSON at byte %d; nothing after it was read", offset)
	default:
		return err
	}
	e.line = d.lines.at(offset)
	return e
}

// token returns the next token.
func (d *document) token() (json.Token, error) {
	d.lines.allow(maxItem)
	token, err := d.in.Token()
	if err != nil {
		return nil, d.broken(err)
	}
	d.lines.at(d.in.InputOffset())
	return token, nil
}

// value returns the next value, and its first line.
func (d *document) value() (raw json.RawMessage, line int, err error) {
	d.lines.allow(maxItem)
	if err := d.in.Decode(&raw); err != nil {
		return nil, 0, d.broken(err)
	}
	return raw, d.lines.at(d.in.InputOffset() - int64(len(raw))), nil
}

// each calls yield for each item.
func (d *document) each(yield func(item) error) error {
	for {
		d.lines.allow(maxItem)
		token, err := d.in.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return d.broken(err)
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '[' {
				err = d.array("", yield)
			} else {
				err = d.object(yield)
			}
		case string:
			// Some services return the document as a JSON string.
			inner := newDocument(strings.NewReader(token), d.shape)
			err = inner.each(yield)
			d.found = d.found || inner.found
		}
		if err != nil {
			return err
		}
	}
}

// array yields the elements of an array whose opening bracket was read.
func (d *document) array(name string, yield func(item) error) error {
	d.found = true
	for n := 0; d.in.More(); n++ {
		raw, line, err := d.value()
		if err != nil {
			return err
		}
		if err := yield(item{array: name, place: fmt.Sprintf(".%s[%d]", name, n), line: line, raw: raw}); err != nil {
			return err
		}
	}
	_, err := d.token()
	return err
}

// object yields the elements of an object's arrays or, if it has none, the object itself
// if it has fields of an item.
func (d *document) object(yield func(item) error) error {
	line, wrapper := d.lines.at(d.in.InputOffset()-1), false
	fields := make(map[string]json.RawMessage)
	for d.in.More() {
		token, err := d.token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		switch {
		case slices.Contains(d.arrays, name):
			wrapper = true
			err = d.arrayOf(name, yield)
		case slices.Contains(d.fields, name):
			fields[name], _, err = d.value()
		default:
			err = d.skip()
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.token(); err != nil {
		return err
	}
	if len(fields) == 0 || wrapper && !d.both {
		return nil
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	d.found = true
	return yield(item{line: line, raw: raw})
}

// arrayOf yields the elements of a field that should be an array.
func (d *document) arrayOf(name string, yield func(item) error) error {
	token, err := d.token()
	switch {
	case err != nil:
		return err
	case token == json.Delim('['):
		return d.array(name, yield)
	case token == json.Delim('{'):
		return d.skipRest()
	}
	return nil
}

// skip skips a value.
func (d *document) skip() error {
	token, err := d.token()
	if err != nil || token != json.Delim('[') && token != json.Delim('{') {
		return err
	}
	return d.skipRest()
}

// skipRest skips the rest of an array or an object.
func (d *document) skipRest() error {
	for depth := 1; depth > 0; {
		token, err := d.token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
	return nil
}

// lineReader counts lines, and limits the bytes read for one value.
type lineReader struct {
	in     io.Reader
	offset int64
	room   int64
	line   int     // of the first byte after the counted line feeds
	feeds  []int64 // offsets of the line feeds after it
}

var errTooLong = errors.New("too long")

// allow permits reading at most n more bytes.
func (r *lineReader) allow(n int64) { r.room = n }

func (r *lineReader) Read(p []byte) (int, error) {
	if r.room <= 0 {
		return 0, errTooLong
	}
	n, err := r.in.Read(p[:min(int64(len(p)), r.room)])
	for i, c := range p[:n] {
		if c == '\n' {
			r.feeds = append(r.feeds, r.offset+int64(i))
		}
	}
	r.offset += int64(n)
	r.room -= int64(n)
	return n, err
}

// at returns the line of an offset. Offsets do not decrease from call to call.
func (r *lineReader) at(offset int64) int {
	passed := 0
	for passed < len(r.feeds) && r.feeds[passed] < offset {
		passed++
	}
	if passed > 0 {
		r.line += passed
		r.feeds = append(r.feeds[:0], r.feeds[passed:]...)
	}
	return r.line
}
