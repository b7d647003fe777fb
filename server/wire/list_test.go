package wire_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"mneme/server/compress"
	"mneme/server/wire"
)

// An answer that fits into its buffer has a Content-Length, over HTTP/1.1 and HTTP/2. A longer
// answer has none, a compressed answer never has the length of its text, and the client sees a
// failure within an answer.
func TestAnAnswerThatFitsItsBufferHasAContentLength(t *testing.T) {
	const buffer = 32 << 10
	failed := errors.New("failed")
	handler := compress.Answers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.URL.Query().Get("size"))
		err := wire.Stream(w, func(out io.Writer) error {
			_, err := io.Copy(out, io.LimitReader(strings.NewReader(strings.Repeat("granite ", 20_000)), int64(size)))
			if r.URL.Query().Has("fail") {
				err = errors.Join(err, failed)
			}
			return err
		})
		if err != nil {
			panic(http.ErrAbortHandler)
		}
	}))
	for version, start := range map[int]func(*httptest.Server){
		1: (*httptest.Server).Start,
		2: func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	} {
		s := httptest.NewUnstartedServer(handler)
		start(s)
		defer s.Close()
		ask := func(query, coding string) (a read) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/?"+query, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept-Encoding", coding)
			response, err := s.Client().Do(request)
			if err != nil {
				return read{err: err}
			}
			defer response.Body.Close()
			a.version, a.length, a.packed = response.ProtoMajor, response.ContentLength, response.Header.Get("Content-Encoding") == "gzip"
			body := io.Reader(response.Body)
			if a.packed {
				if body, a.err = gzip.NewReader(body); a.err != nil {
					return a
				}
			}
			text, err := io.ReadAll(body)
			a.bytes, a.err = len(text), err
			return a
		}
		for _, size := range []int{10, 5000, buffer - 1, buffer, 100_000} {
			query, whole := "size="+strconv.Itoa(size), size+1
			want := read{version: version, length: int64(whole), bytes: whole}
			if whole > buffer {
				want.length = -1
			}
			if got := ask(query, "identity"); got != want {
				t.Errorf("%d bytes: got %+v, want %+v", whole, got, want)
			}
			got := ask(query, "gzip")
			if size > 1000 && got.length != int64(whole) {
				want.packed, want.length = true, got.length // net/http sets the length of a short answer
			}
			if got != want {
				t.Errorf("%d bytes, compressed: got %+v, want %+v", whole, got, want)
			}
		}
		for _, coding := range []string{"identity", "gzip"} {
			if got := ask("size=100000&fail=1", coding); got.err == nil {
				t.Errorf("a failure within an answer, %s: got %+v", coding, got)
			}
		}
	}
}

// read is an answer as the client receives it.
type read struct {
	version int // HTTP major version
	length  int64
	packed  bool
	bytes   int
	err     error
}
