package attacks

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mneme/test/wait"
)

// sockets counts the open sockets of the process.
func (s *server) sockets() int {
	s.t.Helper()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		s.t.Skip("no /proc")
	}
	dir := filepath.Join("/proc", strconv.Itoa(s.PID()), "fd")
	files, err := os.ReadDir(dir)
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		if target, err := os.Readlink(filepath.Join(dir, file.Name())); err == nil && strings.HasPrefix(target, "socket:") {
			n++
		}
	}
	return n
}

// A request announces a body and never sends it. Most of the requests have no token:
// anybody could send them from anywhere.
func TestARequestThatNeverEndsIsAnsweredAndClosed(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.as("alice").token
	for name, request := range map[string]string{
		"no token":                "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
		"bad token":               "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer bad\r\nContent-Length: 100\r\n\r\n",
		"an open call":            "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
		"no such call":            "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 100\r\n\r\n",
		"a call without a body":   "GET /v1/stores HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 100\r\n\r\n",
		"chunked without an end":  "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
		"an expectation":          "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
		"options of the server":   "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
		"behind a complete one":   "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
		"a long one, half-closed": "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.dial()
			if err := c.send(request); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "half-closed") {
				if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
			}
			if r := c.response(); r.err != nil {
				t.Fatal(r)
			}
			if !c.isClosed() {
				t.Error("the connection is still open")
			}
		})
	}
}

// With a token, a body may be slow, but not endless.
func TestAConnectionWithoutProgressIsClosed(t *testing.T) {
	t.Parallel()
	s := start(t, environment("MNEME_CONNECTIONS_IDLE_TIMEOUT=1s", "MNEME_CONNECTIONS_STALL_TIMEOUT=1s"))
	head := "PUT /v1/stores/self/memories/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + s.as("alice").token + "\r\nContent-Type: application/json\r\n"
	for name, attack := range map[string]struct{ begin, drip string }{
		"nothing":                {},
		"TLS":                    {begin: "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + strings.Repeat("\x00", 100)},
		"half a header":          {begin: "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: "},
		"a header by the byte":   {begin: "GET /livez HTTP/1.1\r\nHost: localhost\r\nX-A: ", drip: "x"},
		"headers one by one":     {begin: "GET /livez HTTP/1.1\r\nHost: localhost\r\n", drip: "X-A: x\r\n"},
		"half a body":            {begin: head + "Content-Length: 100\r\n\r\n{"},
		"a body by the byte":     {begin: head + "Content-Length: 1000\r\n\r\n", drip: " "},
		"chunks by the byte":     {begin: head + "Transfer-Encoding: chunked\r\n\r\n", drip: "1\r\n \r\n"},
		"an unknown expectation": {begin: head + "Content-Length: 100\r\nExpect: tea\r\n\r\n"},
		"idle":                   {begin: "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := s.dial()
			if err := c.send(attack.begin); err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			defer close(stop)
			if attack.drip != "" {
				go func() {
					for {
						select {
						case <-stop:
							return
						case <-time.After(500 * time.Millisecond): // shorter than each timeout
						}
						if c.send(attack.drip) != nil {
							return
						}
					}
				}()
			}
			if !c.isClosed() {
				t.Error("the connection is still open")
			}
		})
	}
}

// A client requests megabytes, and reads only the first 100 bytes.
func TestAClientThatStopsReadingIsDisconnected(t *testing.T) {
	t.Parallel()
	s := start(t, byWords(), environment("MNEME_CONNECTIONS_STALL_TIMEOUT=2s"))
	others := s.sockets()
	alice := s.as("alice")
	var lines strings.Builder
	for i := range 100 {
		// Encrypted values are not indexed, so the import is faster.
		fmt.Fprintf(&lines, "{\"key\":\"k%d\",\"encrypted\":true,\"value\":%q}\n", i, strings.Repeat("tea and ", 11_000))
	}
	alice.call(http.MethodPost, "/v1/stores/self/import", lines.String(), "Content-Type", "application/x-ndjson").want(t, http.StatusOK)
	client.CloseIdleConnections()

	const readers = 8
	for range readers {
		c := s.dial()
		if err := c.Conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		if err := c.send("GET /v1/stores/self/export HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + alice.token + "\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
	wait.Until(t, "the clients are disconnected", func() error {
		if now := s.sockets(); now > others {
			return fmt.Errorf("%d connections are open, of %d slow clients", now-others, readers)
		}
		return nil
	})
}

// One address opens many connections. The server must still accept connections from
// another address.
func TestOneAddressCannotTakeEveryConnection(t *testing.T) {
	t.Parallel()
	s := start(t, environment("MNEME_CONNECTIONS_IDLE_TIMEOUT=1h")) // so that all stay open
	address := strings.TrimPrefix(s.Address, "http://")
	const attempts = 1000
	open := 0
	for range attempts {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			continue // reset before Dial returned
		}
		t.Cleanup(func() { conn.Close() })
		c := &connection{Conn: conn, t: t, reader: bufio.NewReader(conn)}
		if err := c.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"); err == nil && c.response().status == http.StatusOK {
			open++
		}
	}
	if open == 0 || open > 256 {
		t.Errorf("%d of %d concurrent connections are served", open, attempts)
	}
	other := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	conn, err := other.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := &connection{Conn: conn, t: t, reader: bufio.NewReader(conn)}
	if err := c.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	c.response().want(t, http.StatusOK)
}
