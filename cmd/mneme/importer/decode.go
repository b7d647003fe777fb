package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// errUTF16 is the note about a decoded file.
var errUTF16 = errors.New("is UTF-16: read as such")

var byteOrderMarks = []struct {
	mark  string
	order unicode.Endianness
}{{"\xff\xfe", unicode.LittleEndian}, {"\xfe\xff", unicode.BigEndian}}

// Decode returns a file as UTF-8: it removes the byte order mark of UTF-8, and decodes a
// file with a byte order mark of UTF-16, for which it returns a note.
func Decode(file io.Reader) (text *bufio.Reader, note *Line, err error) {
	in := bufio.NewReaderSize(file, 1<<16)
	head, err := in.Peek(len(byteOrderMark))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if bytes.Equal(head, byteOrderMark) {
		_, err := in.Discard(len(byteOrderMark))
		return in, nil, err
	}
	for _, known := range byteOrderMarks {
		if bytes.HasPrefix(head, []byte(known.mark)) {
			decoder := unicode.UTF16(known.order, unicode.ExpectBOM).NewDecoder()
			return bufio.NewReaderSize(transform.NewReader(in, decoder), 1<<16), &Line{Number: 1, Err: errUTF16, Skipped: true}, nil
		}
	}
	return in, nil, nil
}
