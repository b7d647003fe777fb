package limit

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const timeout, pace = 30 * time.Second, 1000

// exchange calls run as the client of a server with a Stall, in a bubble with
// its own clock.
func exchange(t *testing.T, handler http.HandlerFunc, run func(client net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client, conn := net.Pipe()
		inner := make(arrivals, 1)
		inner <- conn
		server := &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				x, w, r := Stall{Timeout: timeout, BytesPerSecond: pace}.Wrap(w, r)
				handler(w, r)
				x.End()
			}),
			ReadHeaderTimeout: timeout,
			IdleTimeout:       timeout,
			ConnContext:       InContext,
		}
		done := make(chan struct{})
		go func() { defer close(done); _ = server.Serve(Listen(inner, Connections{})) }()
		run(client)
		client.Close()
		close(inner)
		server.Close()
		<-done
		synctest.Wait()
	})
}

// readBody is a handler that reads the body and answers with its length.
func readBody(read *int, failed *error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		*read, *failed = len(body), err
		w.WriteHeader(http.StatusOK)
	}
}

// header reads the header of an answer.
func header(client net.Conn) string {
	var lines strings.Builder
	for reader := bufio.NewReader(client); !strings.HasSuffix(lines.String(), "\r\n\r\n"); {
		line, err := reader.ReadString('\n')
		if lines.WriteString(line); err != nil {
			break
		}
	}
	return lines.String()
}

const post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"

// ended reads until the server closes the connection, and returns when it did.
func ended(client net.Conn) (after time.Duration, answer string) {
	start := time.Now()
	text, _ := io.ReadAll(client) // the answer may be cut off
	return time.Since(start), string(text)
}

func TestABodyThatDoesNotComeIsCutOff(t *testing.T) {
	var read int
	var failed error
	exchange(t, readBody(&read, &failed), func(client net.Conn) {
		_, _ = io.WriteString(client, post+"abc")
		after, answer := ended(client)
		if after < timeout || after > timeout+2*time.Second || !strings.Contains(answer, "Connection: close") {
			t.Errorf("ended after %v: %s", after, answer)
		}
	})
	if read != 3 || !errors.Is(failed, ErrStalled) {
		t.Errorf("read %d bytes, %v", read, failed)
	}
}

func TestABodyThatTricklesIsCutOff(t *testing.T) {
	var read int
	var failed error
	exchange(t, readBody(&read, &failed), func(client net.Conn) {
		_, _ = io.WriteString(client, post)
		start := time.Now()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		for {
			time.Sleep(timeout - time.Second)
			if _, err := client.Write([]byte("x")); err != nil {
				break
			}
		}
		if took := time.Since(start); took > 3*timeout {
			t.Errorf("one byte in %v holds the connection for %v", timeout-time.Second, took)
		}
	})
	if !errors.Is(failed, ErrStalled) {
		t.Errorf("read %d bytes, %v", read, failed)
	}
}

func TestALongBodyThatMakesProgressIsRead(t *testing.T) {
	var read int
	var failed error
	exchange(t, readBody(&read, &failed), func(client net.Conn) {
		_, _ = io.WriteString(client, post)
		chunk := make([]byte, 20_000)
		for range 50 { // 15 minutes, slightly above the rate
			time.Sleep(18 * time.Second)
			if _, err := client.Write(chunk); err != nil {
				t.Fatal(err)
			}
		}
		if answer := header(client); !strings.HasPrefix(answer, "HTTP/1.1 200") || strings.Contains(answer, "Connection: close") {
			t.Errorf("got %s", answer)
		}
	})
	if read != 1_000_000 || failed != nil {
		t.Errorf("read %d bytes, %v", read, failed)
	}
}

func TestTimeThatTheServerTakesIsNotTheClients(t *testing.T) {
	exchange(t, func(w http.ResponseWriter, r *http.Request) {
		for {
			time.Sleep(time.Minute) // a slow transaction
			if _, err := r.Body.Read(make([]byte, 100_000)); err != nil {
				if !errors.Is(err, io.EOF) {
					t.Error(err)
				}
				return
			}
		}
	}, func(client net.Conn) {
		go func() {
			_, _ = io.WriteString(client, post)
			_, _ = client.Write(make([]byte, 1_000_000))
		}()
		if answer := header(client); !strings.HasPrefix(answer, "HTTP/1.1 200") {
			t.Errorf("got %s", answer)
		}
	})
}

func TestAnUnreadBodyEndsTheConnectionSoon(t *testing.T) {
	for name, body := range map[string]string{
		"of a length":                 "Content-Length: 100\r\n\r\n",
		"of a great length":           "Content-Length: 100000000\r\n\r\n",
		"in part":                     "Content-Length: 100\r\n\r\nabc",
		"chunked":                     "Transfer-Encoding: chunked\r\n\r\n5\r\nabc",
		"expecting an interim answer": "Content-Length: 100\r\nExpect: 100-continue\r\n\r\n",
	} {
		for _, status := range []int{http.StatusOK, http.StatusForbidden} {
			t.Run(name, func(t *testing.T) {
				exchange(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }, func(client net.Conn) {
					_, _ = io.WriteString(client, "POST / HTTP/1.1\r\nHost: x\r\n"+body)
					after, answer := ended(client)
					if after > time.Second || !strings.Contains(answer, "Connection: close") {
						t.Errorf("ended after %v: %s", after, answer)
					}
				})
			})
		}
	}
}

func TestARequestWithoutATokenDoesNotKeepItsConnection(t *testing.T) {
	for status, want := range map[int]time.Duration{http.StatusUnauthorized: 0, http.StatusNotFound: timeout} {
		exchange(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }, func(client net.Conn) {
			_, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			if after, answer := ended(client); after != want {
				t.Errorf("%d: ended after %v: %s", status, after, answer)
			}
		})
	}
}

func TestAnAnswerThatIsNotReadIsCutOff(t *testing.T) {
	for name, pause := range map[string]time.Duration{"at all": 10 * timeout, "but byte by byte": timeout - time.Second} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			var took time.Duration
			exchange(t, func(w http.ResponseWriter, _ *http.Request) {
				start := time.Now()
				_, err := w.Write(make([]byte, 10_000_000))
				took = time.Since(start)
				done <- err
			}, func(client net.Conn) {
				_, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
				for {
					time.Sleep(pause)
					if _, err := client.Read(make([]byte, 1)); err != nil {
						break
					}
				}
			})
			if err := <-done; !errors.Is(err, ErrStalled) || took > 3*timeout {
				t.Errorf("%v after %v", err, took)
			}
		})
	}
}

func TestALongAnswerThatIsReadSlowlyArrives(t *testing.T) {
	exchange(t, func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write(make([]byte, 1_000_000)); err != nil {
			t.Error(err)
		}
	}, func(client net.Conn) {
		_, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		read := 0
		for {
			time.Sleep(time.Second)
			n, err := client.Read(make([]byte, 2*pace))
			read += n
			if err != nil {
				break
			}
		}
		if read < 1_000_000 {
			t.Errorf("read %d bytes", read)
		}
	})
}
