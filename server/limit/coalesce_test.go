package limit

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
)

// written is a connection that records the bytes of each write.
type written struct {
	net.Conn
	bytes.Buffer
	err error
}

func (w *written) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	return w.Buffer.Write(p)
}

func (w *written) Read(p []byte) (int, error) { return w.Buffer.Read(p) }

// A write shorter than the answer is held once until the next write, whether the answer ends
// with it or the rest follows later.
func TestTheFirstWriteWaitsForTheNext(t *testing.T) {
	inner := &written{}
	c := &connection{Conn: inner}
	write := func(n int) {
		if got, err := c.Write(bytes.Repeat([]byte{'a'}, n)); got != n || err != nil {
			t.Errorf("%d bytes written of %d, %v", got, n, err)
		}
	}
	for _, step := range []struct{ writes, sent int }{{4096, 0}, {5000, 9096}, {100, 9196}} {
		if step.writes == 100 { // after the answer
			c.coming = 0
		} else if step.sent == 0 {
			c.coming = 9000
		}
		write(step.writes)
		if inner.Len() != step.sent {
			t.Errorf("%d bytes are sent, want %d", inner.Len(), step.sent)
		}
	}
	if _, err := c.coalesce(httpBuffer, func() (int, error) { return c.Write(make([]byte, 10)) }); err != nil || inner.Len() != 9206 {
		t.Errorf("a short answer waits: %d bytes are sent, %v", inner.Len(), err)
	}
}

// If the write that sends held bytes fails, it returns the error and counts none of its own
// bytes as written.
func TestAnErrorOfWhatWaited(t *testing.T) {
	inner := &written{err: net.ErrClosed}
	c := &connection{Conn: inner}
	_, _ = c.coalesce(9000, func() (int, error) { return c.Write(make([]byte, 4096)) })
	if n, err := c.Write(make([]byte, 5000)); n != 0 || err == nil {
		t.Errorf("%d bytes are written, %v", n, err)
	}
}

// Answers of any length arrive complete, with a Content-Length or chunked, in one write
// or several; answers to HEAD have no body.
func TestAnswersArriveWhole(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.FormValue("size"))
		if r.FormValue("length") != "" {
			w.Header().Set("Content-Length", fmt.Sprint(size))
		}
		body := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
		if r.FormValue("parts") != "" {
			_, _ = w.Write(body[:size/2])
			w.(http.Flusher).Flush()
			body = body[size/2:]
		}
		_, _ = w.Write(body)
	}
	exchange(t, answer, func(client net.Conn) {
		reader := bufio.NewReader(client)
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for _, size := range []int{0, 1, 3900, 4000, 4096, 4097, 5000, 8192, 9000, 40_000, 100_000} {
				for _, options := range []string{"", "&length=1", "&parts=1"} {
					go fmt.Fprintf(client, "%s /?size=%d%s HTTP/1.1\r\nHost: h\r\n\r\n", method, size, options)
					request, _ := http.NewRequest(method, "/", nil)
					response, err := http.ReadResponse(reader, request)
					if err != nil {
						t.Fatalf("%s %d%s: %v", method, size, options, err)
					}
					body, err := io.ReadAll(response.Body)
					response.Body.Close()
					want := size
					if method == http.MethodHead {
						want = 0
					}
					if len(body) != want || err != nil {
						t.Errorf("%s %d%s: %d bytes, %v", method, size, options, len(body), err)
					}
				}
			}
		}
	})
}

// HTTP/2 streams share a connection and write to it concurrently.
func TestStreamsAreNotHeld(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x, w, _ := Stall{Timeout: timeout, BytesPerSecond: pace}.Wrap(w, r)
			_, _ = w.Write(make([]byte, 5000))
			x.End()
		}),
		ConnContext: InContext, Protocols: protocols,
	}
	served := make(chan error)
	go func() { served <- server.Serve(Listen(inner, Connections{})) }()
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			response, err := client.Get("http://" + inner.Addr().String())
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if body, err := io.ReadAll(response.Body); len(body) != 5000 || err != nil || response.ProtoMajor != 2 {
				t.Errorf("%d bytes by %s, %v", len(body), response.Proto, err)
			}
		})
	}
	calls.Wait()
	client.CloseIdleConnections()
	server.Close()
	<-served
}
