package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mneme/acl"
	"mneme/meter"
	"mneme/server"
	"mneme/server/mcp"
	"mneme/server/servertest"
	"mneme/server/tool"
	"mneme/test/wait"
)

// slowTools are tools whose memory_list runs until it is cancelled.
type slowTools struct {
	*tool.Tools
	started, stopped chan struct{}
}

func (s *slowTools) Pay(ctx context.Context, p acl.Principal, name string, input json.RawMessage, paid *meter.Payment) (tool.Result, error) {
	if name != "memory_list" {
		return s.Tools.Pay(ctx, p, name, input, paid)
	}
	s.started <- struct{}{}
	<-ctx.Done()
	s.stopped <- struct{}{}
	return tool.Result{}, ctx.Err()
}

// openSlow returns a server of slow tools.
func openSlow(t testing.TB) (*harness, *slowTools) {
	h := open(t, mcp.Options{})
	slow := &slowTools{Tools: h.tools.Over("mcp"), started: make(chan struct{}, 16), stopped: make(chan struct{}, 16)}
	h.Server = servertest.Open(t, time.Now, server.Options{
		Service: nothing{}, Metrics: server.NewMetrics(), Surfaces: []server.Surface{mcp.NewSurface(slow, mcp.Options{})},
	})
	h.http = httptest.NewServer(h.Server)
	t.Cleanup(h.http.Close)
	return h, slow
}

func call1(id any, name string) string {
	text, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{"key":"k"}}}`, text, name)
}

func cancel(id any) string {
	text, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"no longer needed"}}`, text)
}

func TestACancelledCallOverStdioIsStoppedAndNotAnswered(t *testing.T) {
	for _, id := range []any{7, "seven"} {
		h := open(t, mcp.Options{})
		slow := &slowTools{Tools: h.tools, started: make(chan struct{}, 16), stopped: make(chan struct{}, 16)}
		s := &stream{t: t, served: make(chan error, 1)}
		toServer, in := io.Pipe()
		answers, out := io.Pipe()
		s.in, s.answers = in, bufio.NewReader(answers)
		go func() {
			s.served <- mcp.ServeStream(context.WithoutCancel(t.Context()), mcp.NewServer(slow, alice, "1"), slow.MaxInput(), toServer, out)
			out.Close()
		}()
		s.say(hello)
		s.hear()
		s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		s.say(call1(id, "memory_list"))
		wait.For(t, "the call starts", slow.started)
		s.say(cancel("another"))
		s.say(cancel(id))
		wait.For(t, "the call stops", slow.stopped)
		// The next line must be the response to the next call, which may reuse the ID.
		s.say(call1("next", "memory_get"))
		if got := s.hear(); !strings.Contains(got, `"id":"next"`) || !strings.Contains(got, `"found":false`) {
			t.Errorf("after a cancelled call comes %s", got)
		}
		s.say(cancel("next")) // the call was already answered, so this has no effect
		s.say(call1("last", "memory_get"))
		if got := s.hear(); !strings.Contains(got, `"id":"last"`) {
			t.Errorf("after an idle cancellation comes %s", got)
		}
		if err := s.end(); err != nil {
			t.Error(err)
		}
	}
}

// The end of the input does not wait for a cancelled call.
func TestTheEndOfAStreamWaitsForNoCancelledCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The test must not reach a service: the clock of a synctest bubble would stop while a
		// database works.
		slow := &slowTools{Tools: tool.New(nil, tool.Options{}), started: make(chan struct{}, 16), stopped: make(chan struct{}, 16)}
		var out strings.Builder
		in := strings.Join([]string{hello, call1(1, "memory_list"), cancel(1), `{"jsonrpc":"2.0","id":2,"method":"ping"}`, ""}, "\n")
		started := time.Now()
		if err := mcp.ServeStream(t.Context(), mcp.NewServer(slow, alice, "1"), slow.MaxInput(), strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(started); took > 0 {
			t.Errorf("it waited for %v", took)
		}
		if strings.Contains(out.String(), `"id":1`) || !strings.Contains(out.String(), `"id":2`) || !strings.Contains(out.String(), `"id":0`) {
			t.Error(out.String())
		}
	})
}

// answering posts a message in the background.
func (h *harness) answering(body string, header ...string) <-chan answer {
	ch := make(chan answer, 1)
	go func() { ch <- h.post(http.MethodPost, "/mcp", body, header...) }()
	return ch
}

func TestACancelledCallOverHTTPIsStoppedAndNotAnswered(t *testing.T) {
	h, slow := openSlow(t)
	token, other := []string{"Authorization", "Bearer " + h.Token(alice)}, []string{"Authorization", "Bearer " + h.Token(bob)}
	pending := h.answering(call1(7, "memory_list"), token...)
	wait.For(t, "the call starts", slow.started)
	for name, header := range map[string][]string{"another agent": other, "another session": append([]string{"Mcp-Session-Id", "x"}, token...)} {
		if r := h.post(http.MethodPost, "/mcp", cancel(7), header...); r.status != http.StatusAccepted {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	h.post(http.MethodPost, "/mcp", cancel("7"), token...) // the ID "7" is not the ID 7
	if r := h.post(http.MethodPost, "/mcp", call1(8, "memory_get"), token...); r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.body)
	}
	select {
	case <-slow.stopped:
		t.Fatal("a call was cancelled by somebody else")
	default:
	}
	if r := h.post(http.MethodPost, "/mcp", cancel(7), token...); r.status != http.StatusAccepted || r.body != "" {
		t.Errorf("the cancellation: %d %s", r.status, r.body)
	}
	wait.For(t, "the call stops", slow.stopped)
	if r := <-pending; r.status != http.StatusAccepted || r.body != "" {
		t.Errorf("the cancelled call: %d %s", r.status, r.body)
	}
	if r := h.post(http.MethodPost, "/mcp", call1(7, "memory_get"), token...); r.status != http.StatusOK || !strings.Contains(r.body, `"id":7`) {
		t.Errorf("the next call with this ID: %d %s", r.status, r.body)
	}
}

// Two calls of one credential with the same ID are ambiguous to cancel.
func TestAnAmbiguousCancellationIsIgnored(t *testing.T) {
	h, slow := openSlow(t)
	token := []string{"Authorization", "Bearer " + h.Token(alice)}
	ctx, stop := context.WithCancel(t.Context())
	for range 2 {
		go h.abandon(ctx, call1(7, "memory_list"), token...)
		wait.For(t, "the call starts", slow.started)
	}
	h.post(http.MethodPost, "/mcp", cancel(7), token...)
	if r := h.post(http.MethodPost, "/mcp", call1(8, "memory_get"), token...); r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.body)
	}
	select {
	case <-slow.stopped:
		t.Error("a call was cancelled")
	default:
	}
	stop()
	wait.For(t, "the first call stops", slow.stopped)
	wait.For(t, "the second call stops", slow.stopped)
}

// abandon posts a message and disconnects when ctx ends.
func (h *harness) abandon(ctx context.Context, body string, header ...string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.http.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		h.t.Error(err)
		return
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err == nil {
		response.Body.Close()
	}
}

func TestAClosedConnectionStopsItsCalls(t *testing.T) {
	for name, body := range map[string]string{"a call": call1(1, "memory_list"), "a batch": "[" + call1(0, "memory_get") + "," + call1(1, "memory_list") + "]"} {
		for _, version := range []string{"", "2025-03-26"} {
			h, slow := openSlow(t)
			header := []string{"Authorization", "Bearer " + h.Token(alice)}
			if version != "" {
				header = append(header, "Mcp-Protocol-Version", version)
			}
			ctx, hangUp := context.WithCancel(t.Context())
			go h.abandon(ctx, body, header...)
			wait.For(t, name+" starts", slow.started)
			hangUp()
			wait.For(t, name+" stops", slow.stopped)
		}
	}
}

// nothing is a service without storage.
type nothing struct{ server.Service }

func (nothing) RegisterCaller(context.Context, acl.Principal) error { return nil }
