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
// the session.
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

// screen forwards the lines that are valid messages, and answers the invalid
// ones.
func screen(in io.Reader, messages io.Writer, answers *stream, limit int64) error {
	lines := bufio.NewReader(in)
	for {
		line, long, err := readLine(lines, limit)
		message, fault := read(line, long)
		if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
			answers.expect(request)
		}
		if id, ok := cancelledCall(message); ok {
			answers.cancel(id)
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

// drainTimeout bounds the wait for pending calls at the end of the input.
const drainTimeout = 10 * time.Second

// stream is the client's output, safe for concurrent writers. Close leaves it
// open for its owner. stream tracks the pending calls, because the SDK drops
// them when its reader ends and answers calls that the client cancelled.
type stream struct {
	mu      sync.Mutex
	out     io.Writer
	pending map[jsonrpc.ID]*pendingCall
	waiting int           // pending calls that are not cancelled
	drained chan struct{} // closed when no call is waited for; nil unless drain waits
}

// pendingCall is a call that the SDK has not answered yet.
type pendingCall struct {
	method    string
	cancelled bool
}

// expect registers a pending call. A call with the ID of another pending call is
// an error, which the SDK answers without an ID.
func (s *stream) expect(request *jsonrpc.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == nil {
		s.pending = make(map[jsonrpc.ID]*pendingCall)
	}
	if s.pending[request.ID] == nil {
		s.pending[request.ID] = &pendingCall{method: request.Method}
		s.waiting++
	}
}

// cancel marks a pending call as cancelled, so that it is not answered.
func (s *stream) cancel(id jsonrpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if call := s.pending[id]; call != nil && !call.cancelled && call.method != methodInitialize {
		call.cancelled = true
		s.finish()
	}
}

// finish counts down the pending calls.
func (s *stream) finish() {
	s.waiting--
	if s.waiting == 0 && s.drained != nil {
		close(s.drained)
		s.drained = nil
	}
}

// Write writes one whole line, unless it is the response to a cancelled call.
func (s *stream) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := s.answered(line)
	if call != nil && call.cancelled {
		return len(line), nil
	}
	n, err := s.out.Write(line)
	if call != nil {
		s.finish()
	}
	return n, err
}

// answered removes and returns the pending call that a line answers, or
// returns nil if it answers none.
func (s *stream) answered(line []byte) *pendingCall {
	message, fault := read(bytes.TrimSpace(line), false)
	response, ok := message.(*jsonrpc.Response)
	if fault != "" || !ok {
		return nil
	}
	call := s.pending[response.ID]
	delete(s.pending, response.ID)
	return call
}

// drain waits until all pending calls are answered.
func (s *stream) drain(ctx context.Context) {
	s.mu.Lock()
	drained := make(chan struct{})
	if s.waiting == 0 {
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
