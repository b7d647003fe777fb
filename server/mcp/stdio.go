package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStream answers the messages of one client, one per line, until in ends or
// ctx is done. maxInput is the limit on a tool's input, in bytes. An invalid
// line is answered with an error and the session continues; the SDK would end
// it.
func ServeStream(ctx context.Context, server *mcp.Server, maxInput int64, in io.Reader, out io.Writer) error {
	messages, forward := io.Pipe()
	answers := &stream{out: out}
	go func() {
		err := screen(in, forward, answers, maxInput+messageRoom)
		answers.drain(ctx)
		forward.CloseWithError(err)
	}()
	// screen has bounded the lines.
	err := server.Run(ctx, &mcp.IOTransport{Reader: messages, Writer: answers, MaxLineLength: -1})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// screen forwards the lines that are messages, and answers the others.
func screen(in io.Reader, messages io.Writer, answers *stream, limit int64) error {
	lines := bufio.NewReader(in)
	for {
		line, long, err := readLine(lines, limit)
		message, fault := read(line, long)
		if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
			answers.expect()
		}
		switch {
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

// readLine reads up to the next line feed, or to the end, and trims white space.
// It skips a line above the limit and reports long.
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

// drainTimeout bounds the wait for pending calls at the end of the input. Calls
// that the client cancelled may never be answered.
const drainTimeout = 10 * time.Second

// stream is the client's output, safe for concurrent writers. Close leaves it
// open for its owner. It counts pending calls, because the SDK drops them when
// its reader ends.
type stream struct {
	mu      sync.Mutex
	out     io.Writer
	pending int
	drained chan struct{} // closed when no call is pending; nil unless drain waits
}

// expect counts a call as pending.
func (s *stream) expect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending++
}

// Write writes one whole line.
func (s *stream) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.out.Write(line)
	if message, fault := read(bytes.TrimSpace(line), false); fault == "" {
		if response, ok := message.(*jsonrpc.Response); ok && response.ID.IsValid() {
			s.pending--
		}
	}
	if s.pending <= 0 && s.drained != nil {
		close(s.drained)
		s.drained = nil
	}
	return n, err
}

// drain waits until all pending calls are answered.
func (s *stream) drain(ctx context.Context) {
	s.mu.Lock()
	drained := make(chan struct{})
	if s.pending <= 0 {
		close(drained)
	} else {
		s.drained = drained
	}
	s.mu.Unlock()
	timeout := time.NewTimer(drainTimeout)
	defer timeout.Stop()
	select {
	case <-drained:
	case <-ctx.Done():
	case <-timeout.C:
	}
}

// Close does nothing.
func (*stream) Close() error { return nil }
