package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/meter"
	"mneme/server"
	"mneme/server/mcp"
	"mneme/server/servertest"
	"mneme/server/tool"
	"mneme/test/accesstest"
)

// Over MCP, only the token decides who the caller is.
func TestAccessMatrixHoldsOverMCP(t *testing.T) {
	full(t)
	for name, through := range map[string]func(*harness) accesstest.Surface{
		"memory":      func(h *harness) accesstest.Surface { return &throughMemory{direct{h}} },
		"triggerfish": func(h *harness) accesstest.Surface { return &throughTriggerfish{direct{h}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			accesstest.Run(t, through(openMCP(t)))
		})
	}
}

// openMCP opens tools that make calls over MCP.
func openMCP(t *testing.T) *harness {
	t.Helper()
	h := open(t)
	watched := &watched{Tools: h.Tools}
	front := servertest.Open(t, h.clock.Now, server.Options{
		Service: h.service, Surfaces: []server.Surface{mcp.NewSurface(watched, mcp.Options{})},
	})
	h.wire = func(p acl.Principal, name string, input json.RawMessage) (tool.Result, error) {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, input)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+front.Token(p))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		watched.called = false
		front.ServeHTTP(w, r)
		return watched.arrived(w.Body.Bytes())
	}
	return h
}

// watched records the last result, because the protocol transmits the text of
// an error but not its cause.
type watched struct {
	*tool.Tools
	called bool
	last   tool.Result
}

func (w *watched) Pay(ctx context.Context, p acl.Principal, name string, input json.RawMessage, paid *meter.Payment) (tool.Result, error) {
	result, err := w.Tools.Pay(ctx, p, name, input, paid)
	w.called, w.last = true, result
	return result, err
}

// arrived returns the last result, or an error if the client received a
// different one.
func (w *watched) arrived(answer []byte) (tool.Result, error) {
	var got struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return tool.Result{}, err
	}
	if c := got.Result.Content; !w.called || len(c) != 1 || c[0].Text != w.last.Text || got.Result.IsError != w.last.IsError {
		return tool.Result{}, errors.New("the client received another result than the tool returned")
	}
	return w.last, nil
}
