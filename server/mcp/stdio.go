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

// ServeStream answers the messages of one client, a line each, until in ends
// or ctx does. maxInput is how many bytes a tool's input may have. A line that
// is no message is answered with an error, and the next one is read: the SDK
// would end the session.
func ServeStream(ctx context.Context, server *mcp.Server, maxInput int64, in io.Reader, out io.Writer) error {
	messages, forward := io.Pipe()
	answers := &stream{out: out}
	go func() {
		err := screen(in, forward, answers, maxInput+messageRoom)
		answers.settle(ctx)
		forward.CloseWithError(err)
	}()
	// Lines are bounded already.
	err := server.Run(ctx, &mcp.IOTransport{Reader: messages, Writer: answers, MaxLineLength: -1})
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// screen hands the lines that are messages on, and answers the others.
func screen(in io.Reader, messages io.Writer, answers *stream, limit int64) error {
	lines := bufio.NewReader(in)
	for {
		line, long, err := readLine(lines, limit)
		message, fault := read(line, long)
		if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
			answers.owe()
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

// settleTimeout bounds how long what was asked may go on after the client's
// last word. Of what it cancelled, some is never answered.
const settleTimeout = 10 * time.Second

// stream is the client's, for several writers, and left open for whoever owns
// it. It counts what was asked and not yet answered: the SDK drops that when
// its reader ends.
type stream struct {
	mu      sync.Mutex
	out     io.Writer
	owed    int
	settled chan struct{} // closed when nothing is owed; nil: nobody waits
}

func (s *stream) owe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owed++
}

// Write writes one whole line.
func (s *stream) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.out.Write(line)
	if message, fault := read(bytes.TrimSpace(line), false); fault == "" {
		if response, ok := message.(*jsonrpc.Response); ok && response.ID.IsValid() {
			s.owed--
		}
	}
	if s.owed <= 0 && s.settled != nil {
		close(s.settled)
		s.settled = nil
	}
	return n, err
}

// settle waits until all that was asked is answered.
func (s *stream) settle(ctx context.Context) {
	s.mu.Lock()
	settled := make(chan struct{})
	if s.owed <= 0 {
		close(settled)
	} else {
		s.settled = settled
	}
	s.mu.Unlock()
	patience := time.NewTimer(settleTimeout)
	defer patience.Stop()
	select {
	case <-settled:
	case <-ctx.Done():
	case <-patience.C:
	}
}

// Close does nothing.
func (*stream) Close() error { return nil }
