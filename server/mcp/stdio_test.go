package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/server/mcp"
)

// stream is a client on a stream, like a program that starts mneme mcp.
type stream struct {
	t       testing.TB
	in      *io.PipeWriter
	answers *bufio.Reader
	served  chan error
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func (h *harness) stream(t testing.TB, p acl.Principal) *stream {
	t.Helper()
	toServer, in := io.Pipe()
	answers, out := io.Pipe()
	s := &stream{t: t, in: in, answers: bufio.NewReader(answers), served: make(chan error, 1)}
	go func() {
		s.served <- mcp.ServeStream(context.WithoutCancel(t.Context()), mcp.NewServer(h.tools, p, "1"), h.tools.MaxInput(), toServer, out)
		out.Close()
	}()
	s.say(hello)
	if got := s.hear(); !strings.Contains(got, `"serverInfo"`) {
		t.Fatal(got)
	}
	s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *stream) say(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stream) hear() string {
	s.t.Helper()
	line, err := s.answers.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	return line
}

// end closes the input and returns the server's error.
func (s *stream) end() error {
	s.in.Close()
	if _, err := io.Copy(io.Discard, s.answers); err != nil && !errors.Is(err, io.EOF) {
		s.t.Error(err)
	}
	return <-s.served
}

func TestALineThatIsNoMessageIsAnsweredAndTheNextIsRead(t *testing.T) {
	s := open(t, mcp.Options{}).stream(t, alice)
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory","arguments":` + arguments + `}}`
	}
	for name, c := range map[string]struct{ line, want string }{
		"no JSON":       {`marzipan`, `"id":null,"error":{"code":-32700`},
		"half of it":    {`{"jsonrpc":"2.0",`, `"id":null,"error":{"code":-32700`},
		"not UTF-8":     {"\xff\xfe", `"id":null,"error":{"code":-32700`},
		"too deep":      {call(`{"content":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`), `"id":null,"error":{"code":-32700`},
		"too long":      {call(`{"content":"` + strings.Repeat("x", 3<<20) + `"}`), `"id":null,"error":{"code":-32600,"message":"the message is too large"`},
		"no message":    {`{}`, `"id":null,"error":{"code":-32600`},
		"a number":      {`5`, `"id":null,"error":{"code":-32600`},
		"a batch":       {`[` + call(`{}`) + `]`, `"id":null,"error":{"code":-32600,"message":"batches`},
		"two messages":  {call(`{}`) + call(`{}`), `"id":null,"error":{"code":-32700`},
		"no method":     {`{"jsonrpc":"2.0","id":1,"method":"marzipan"}`, `"id":1,"error":{"code":-32601`},
		"no parameters": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, `"id":1,"error":{`},
		"no object":     {call(`[1]`), `"isError":true`},
		"a tool's own":  {call(`{"command":"view","path":"/marzipan"}`), `"isError":true`},
	} {
		s.say("")
		s.say(c.line + "\r")
		if got := s.hear(); !strings.Contains(got, c.want) || !json.Valid([]byte(got)) || c.want[5] == 'n' && strings.Contains(got, "marzipan") {
			t.Errorf("%s: %s", name, got)
		}
	}
	s.say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
	if got := s.hear(); got != `{"jsonrpc":"2.0","id":"last","result":{}}`+"\n" {
		t.Error(got)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// A client may close its input right after a call, and read the answers then.
func TestCallsBeforeEOFAreAnswered(t *testing.T) {
	s := open(t, mcp.Options{}).stream(t, alice)
	const calls = 3
	go func() {
		for id := range calls {
			fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_save","arguments":{"key":"k%[1]d","content":"v"}}}`+"\n", id+1)
		}
		s.in.Close()
	}()
	for range calls {
		if got := s.hear(); !strings.Contains(got, `"saved":true`) {
			t.Error(got)
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// Whatever a line contains, the next line is answered.
func FuzzStream(f *testing.F) {
	h := open(f, mcp.Options{})
	for _, seed := range []string{
		hello, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `[]`, `{`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, "\x00", `{"id":1,"ID":2}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			return
		}
		s := h.stream(t, alice)
		go io.WriteString(s.in, line+"\n"+`{"jsonrpc":"2.0","id":"the last","method":"ping"}`+"\n") //nolint:errcheck // told by the silence that follows
		for !strings.Contains(s.hear(), `"id":"the last"`) {
		}
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
	})
}
