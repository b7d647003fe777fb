package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods that the handling of cancellations knows.
const (
	methodCancelled  = "notifications/cancelled"
	methodInitialize = "initialize" // cannot be cancelled
	methodListen     = "subscriptions/listen"
)

// cancelledCall returns the ID of the call that a message cancels; ok is false
// if it cancels none.
func cancelledCall(message jsonrpc.Message) (id jsonrpc.ID, ok bool) {
	request, isRequest := message.(*jsonrpc.Request)
	if !isRequest || request.Method != methodCancelled || request.IsCall() {
		return jsonrpc.ID{}, false
	}
	var params struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(request.Params, &params) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(params.RequestID)
	return id, err == nil && id.IsValid()
}

// callKey identifies an HTTP call by the client that made it. The surface has
// no sessions, so the client is identified by its credential and by the
// session ID that it claims, if any.
type callKey struct {
	client [sha256.Size]byte
	id     jsonrpc.ID
}

func keyOf(r *http.Request, id jsonrpc.ID) callKey {
	digest := sha256.New()
	for _, name := range []string{"Authorization", "X-Api-Key", "Mcp-Session-Id"} {
		for _, value := range r.Header.Values(name) {
			digest.Write([]byte(name + ":" + value + "\n"))
		}
	}
	key := callKey{id: id}
	digest.Sum(key.client[:0])
	return key
}

// calls are the calls in progress over HTTP. A notification that cancels one
// comes in a request of its own.
type calls struct {
	mu      sync.Mutex
	running map[callKey][]*runningCall
}

// runningCall is a call in progress. It is answered or cancelled, not both.
type runningCall struct {
	stop context.CancelFunc

	mu                  sync.Mutex
	answered, cancelled bool
}

// start registers a call. done ends the registration.
func (c *calls) start(key callKey, stop context.CancelFunc) (call *runningCall, done func()) {
	call = &runningCall{stop: stop}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = make(map[callKey][]*runningCall)
	}
	c.running[key] = append(c.running[key], call)
	return call, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		rest := make([]*runningCall, 0, len(c.running[key]))
		for _, other := range c.running[key] {
			if other != call {
				rest = append(rest, other)
			}
		}
		if c.running[key] = rest; len(rest) == 0 {
			delete(c.running, key)
		}
	}
}

// cancel cancels a call. If several clients with one credential chose the same
// ID, the call is ambiguous and none is cancelled: receivers may ignore a
// cancellation.
func (c *calls) cancel(key callKey) {
	c.mu.Lock()
	running := c.running[key]
	c.mu.Unlock()
	if len(running) == 1 {
		running[0].cancel()
	}
}

func (c *runningCall) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.answered {
		c.cancelled = true
		c.stop()
	}
}

// answer reports whether the call may be answered. Afterwards it can no longer
// be cancelled.
func (c *runningCall) answer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered = !c.cancelled
	return c.answered
}

// answerWriter drops the response to a call that was cancelled.
type answerWriter struct {
	http.ResponseWriter
	call *runningCall
}

func (w *answerWriter) WriteHeader(status int) {
	if w.call.answer() {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *answerWriter) Write(p []byte) (int, error) {
	if w.call.answer() {
		return w.ResponseWriter.Write(p)
	}
	return len(p), nil
}

// requestKey is the context key for the context of the HTTP request.
type requestKey struct{}

// withRequest returns a request that has its own context as a value, by which endWithRequest
// notices the end of the request.
func withRequest(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context()))
}

// endWithRequest ends a handler when the HTTP request ends because the client
// disconnected or cancelled it: its response could no longer be delivered. The
// SDK does this only for protocol revisions without sessions.
func endWithRequest(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		request, ok := ctx.Value(requestKey{}).(context.Context)
		if !ok {
			return next(ctx, method, r)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		return next(ctx, method, r)
	}
}
