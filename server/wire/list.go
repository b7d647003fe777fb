package wire

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// bufferSize is the part of an answer that is written at once, in bytes.
const bufferSize = 32 << 10

// buffers are the writers of answers that are not written any more.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(io.Discard, bufferSize) }}

// Stream answers with a JSON object that is encoded while it is written.
// Nothing is sent before the first buffer is full, so that an error until then
// can be answered as a problem, and a shorter answer has its length in place of chunks.
// A later error must abort the connection, or the client would take the part for the
// whole.
func Stream(w http.ResponseWriter, encode func(io.Writer) error) error {
	w.Header().Set("Content-Type", ContentJSON)
	to := &answer{w: w}
	out := buffers.Get().(*bufio.Writer)
	out.Reset(to)
	defer func() {
		out.Reset(io.Discard) // what could not be written is dropped
		buffers.Put(out)
	}()
	if err := encode(out); err != nil {
		return err
	}
	if err := out.WriteByte('\n'); err != nil {
		return err
	}
	if !to.begun {
		w.Header().Set("Content-Length", strconv.Itoa(out.Buffered()))
	}
	return out.Flush()
}

// answer is an answer that is written.
type answer struct {
	w     io.Writer
	begun bool // something was written
}

func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.w.Write(p)
}

// List writes an object whose first member, name, is a list. each calls item
// with the encoding of every item, so that values keep their bytes, and returns
// the members that follow, as a struct. Nothing is written before the first item.
func List(w io.Writer, name string, each func(item func([]byte) error) (tail any, err error)) error {
	start := `{"` + name + `":[`
	before := start
	tail, err := each(func(text []byte) error {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		before = ","
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	text, err := Marshal(tail)
	if err != nil {
		return err
	}
	end := "]"
	if before == start {
		end = start + end
	}
	if len(text) > len("{}") {
		end += ","
	}
	if _, err := io.WriteString(w, end); err != nil {
		return err
	}
	_, err = w.Write(text[1:])
	return err
}
