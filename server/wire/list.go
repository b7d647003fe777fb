package wire

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// bufferSize is the size of the write buffer of an answer, in bytes.
const bufferSize = 32 << 10

// buffers has idle write buffers.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(io.Discard, bufferSize) }}

// Stream answers with a JSON object, which encode writes. It sends nothing before
// the first buffer is full: an error until then can be answered as a problem, and an
// answer that fits has a Content-Length. After a later error, the caller must abort the
// connection, or the client would take the part for the whole.
func Stream(w http.ResponseWriter, encode func(io.Writer) error) error {
	w.Header().Set("Content-Type", ContentJSON)
	to := &answer{w: w}
	out := buffers.Get().(*bufio.Writer)
	out.Reset(to)
	defer func() {
		out.Reset(io.Discard) // drops unwritten bytes
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

// answer is a writer that records whether anything was written.
type answer struct {
	w     io.Writer
	begun bool // at least one Write call
}

func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.w.Write(p)
}

// List writes an object whose first member, name, is a list. each calls item with
// each encoded item, so that values keep their bytes, and returns the members that
// follow, as a struct. List writes nothing before the first item.
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
