package markdown

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// encoding is how the text of a file is encoded, as its byte order mark says.
type encoding struct {
	mark  []byte
	order byteOrder // of UTF-16; nil: UTF-8
}

// byteOrder reads and writes the units of UTF-16.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// encodings are those with a mark. Notepad writes each of them.
var encodings = []encoding{
	{byteOrderMark, nil},
	{[]byte("\xff\xfe"), binary.LittleEndian},
	{[]byte("\xfe\xff"), binary.BigEndian},
}

// encodingOf returns the encoding of a file: UTF-8 without a mark if it has none.
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

// Decode returns the text of a file without its byte order mark, as UTF-8. ok is false if
// the file is marked as UTF-16 and is not: the text has U+FFFD for what is not.
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

// encode returns the file of a text in UTF-8.
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
