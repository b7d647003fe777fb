package markdown

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is the encoding of a file's text, according to its byte order mark.
type encoding struct {
	mark  []byte
	order byteOrder // of UTF-16; nil: UTF-8
}

// byteOrder reads and writes the code units of UTF-16.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// encodings are the encodings with a byte order mark. Notepad writes each of them.
var encodings = []encoding{
	{byteOrderMark, nil},
	{[]byte("\xff\xfe"), binary.LittleEndian},
	{[]byte("\xfe\xff"), binary.BigEndian},
}

// encodingOf returns the encoding of a file: UTF-8 without a mark if it has no mark.
func encodingOf(file []byte) encoding {
	for _, e := range encodings {
		if bytes.HasPrefix(file, e.mark) {
			return e
		}
	}
	return encoding{}
}

// IsUTF16 reports whether a file has a byte order mark of UTF-16.
func IsUTF16(file []byte) bool { return encodingOf(file).order != nil }

// Decode returns the text of a file as UTF-8 without the byte order mark. ok is false if a file
// marked as UTF-16 is not valid UTF-16: the text then has U+FFFD for each invalid unit.
func Decode(file []byte) (text []byte, ok bool) {
	e := encodingOf(file)
	text = file[len(e.mark):]
	if e.order == nil {
		return text, true
	}
	units := make([]uint16, len(text)/2)
	for n := range units {
		units[n] = e.order.Uint16(text[2*n:])
	}
	ok = len(text)%2 == 0
	decoded := utf16.Decode(units)
	text = make([]byte, 0, len(text))
	for _, r := range decoded {
		text = utf8.AppendRune(text, r)
	}
	return text, ok && slices.Equal(utf16.Encode(decoded), units)
}

// encode returns the file's bytes for a text in UTF-8.
func (e encoding) encode(text []byte) []byte {
	file := slices.Clone(e.mark)
	if e.order == nil {
		return append(file, text...)
	}
	for _, unit := range utf16.Encode([]rune(string(text))) {
		file = e.order.AppendUint16(file, unit)
	}
	return file
}
