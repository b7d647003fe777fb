package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStream answers the messages of one client, a line each, until in ends
// or ctx does. maxInput is how many bytes a tool's input may have. A line that
// is no message is answered with an error, and the next one is read: the SDK
// would end the session.
func ServeStream(ctx context.Context, server *mcp.Server, maxInput int64, in io.Reader, out io.Writer) error {
	messages, forward := io.Pipe()
	answers := &stream{out: out}
	go func() { forward.CloseWithError(screen(in, forward, answers, maxInput+messageRoom)) }()
	// Lines are bounded already.
	err := server.Run(ctx, &mcp.IOTransport{Reader: messages, Writer: answers, MaxLineLength: -1})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// screen hands the lines that are messages on, and answers the others.
func screen(in io.Reader, messages, answers io.Writer, limit int64) error {
	lines := bufio.NewReader(in)
	for {
		line, long, err := readLine(lines, limit)
		switch fault := faultOf(line, long); {
		case fault != "":
			if _, err := io.WriteString(answers, fault); err != nil {
				return err
			}
		case len(line) > 0:
			if _, err := messages.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads up to the next line feed, or to the end, and cuts white space
// off. Of a line above the limit nothing is kept.
func readLine(lines *bufio.Reader, limit int64) (line []byte, long bool, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		if long = long || int64(len(line)+len(part)) > limit; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// faultOf is the answer to a line that is no message; "" if it is one, or
// empty. Since nobody knows its id, it has none.
func faultOf(line []byte, long bool) string {
	answer := func(code int, message string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":"%s"}}`+"\n", code, message)
	}
	switch {
	case long:
		return answer(jsonrpc.CodeInvalidRequest, "the message is too large")
	case len(line) == 0:
		return ""
	case !json.Valid(line):
		return answer(jsonrpc.CodeParseError, "the line is not valid JSON, or nests too deep")
	case line[0] == '[':
		return answer(jsonrpc.CodeInvalidRequest, "batches are not taken: send one message a line")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return answer(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message")
	}
	return ""
}

// stream is the client's, for several writers, and left open for whoever owns
// it.
type stream struct {
	mu  sync.Mutex
	out io.Writer
}

// Write writes one whole line.
func (s *stream) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(line)
}

// Close does nothing.
func (*stream) Close() error { return nil }
