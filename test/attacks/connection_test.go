package attacks

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// connection is a TCP connection to a server, on which a test may send bytes that no
// HTTP client would send.
type connection struct {
	net.Conn
	t      testing.TB
	reader *bufio.Reader
}

// dial opens a connection. It is closed when the test ends.
func (s *server) dial() *connection {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.Address, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return &connection{Conn: conn, t: s.t, reader: bufio.NewReader(conn)}
}

// send writes text unchanged.
func (c *connection) send(text string) error {
	_, err := io.WriteString(c, text)
	return err
}

// response reads a response with its body.
func (c *connection) response() reply {
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return reply{err: err}
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return reply{status: response.StatusCode, header: response.Header, body: body, err: err}
}

// isClosed reports whether the server closes the connection. It discards what the
// server sends before.
func (c *connection) isClosed() bool {
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		c.t.Fatal(err)
	}
	_, err := io.Copy(io.Discard, c.reader)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}
