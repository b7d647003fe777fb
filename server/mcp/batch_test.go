package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/server/mcp"
)

func TestABatchHasALimit(t *testing.T) {
	for _, limit := range []int{0, 3} {
		h := open(t, mcp.Options{Batch: limit})
		auth := []string{"Authorization", "Bearer " + h.Token(alice)}
		most := limit
		if limit == 0 {
			most = 16
		}
		batch := func(n int) string { return "[" + strings.Repeat(listTools+",", n-1) + listTools + "]" }
		r := h.post(http.MethodPost, "/mcp", batch(most), auth...)
		var answers []json.RawMessage
		if err := json.Unmarshal([]byte(r.body), &answers); r.status != http.StatusOK || err != nil || len(answers) != most {
			t.Errorf("a batch of %d: %d, %d answers, %v", most, r.status, len(answers), err)
		}
		r = h.post(http.MethodPost, "/mcp", batch(most+1), auth...)
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch must have at most %d messages"}}`, most)
		if r.status != http.StatusBadRequest || strings.TrimSpace(r.body) != want || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("a batch of %d: %d %s", most+1, r.status, r.body)
		}
	}
}

func TestABatchIsAnsweredAsItsMessagesAre(t *testing.T) {
	h := open(t, mcp.Options{})
	auth := []string{"Authorization", "Bearer " + h.Token(alice)}
	notification := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	for name, c := range map[string]struct {
		messages []string
		status   int
		want     string // after white space was removed; "…" stands for anything
	}{
		"nothing":                 {nil, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,…`},
		"a notification":          {[]string{notification}, 202, ``},
		"an unknown notification": {[]string{`{"jsonrpc":"2.0","method":"nougat"}`, `{"jsonrpc":"2.0","method":""}`, `{"jsonrpc":"2.0","method":"subscriptions/listen"}`}, 202, ``},
		"unknown ones among":      {[]string{`{"jsonrpc":"2.0","method":"nougat"}`, call1(1, "memory_get"), `{"jsonrpc":"2.0","method":""}`}, 200, `[{"jsonrpc":"2.0","id":1,"result":{…}]`},
		"a call among":            {[]string{notification, call1(1, "memory_get"), notification}, 200, `[{"jsonrpc":"2.0","id":1,"result":{…}]`},
		"unknown methods":         {[]string{`{"jsonrpc":"2.0","id":1,"method":"nougat"}`, call1("x", "memory_get")}, 200, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32601,…},{"jsonrpc":"2.0","id":"x","result":{…]`},
		"no messages":             {[]string{`1`, `{}`, `[]`, call1(1, "memory_get")}, 200, `[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,…},{"jsonrpc":"2.0","id":1,"result":{…]`},
		"an endless call":         {[]string{`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`, call1(2, "memory_get")}, 200, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32601,…},{"jsonrpc":"2.0","id":2,"result":{…]`},
		"its own cancelled":       {[]string{call1(1, "memory_save"), call1(2, "memory_get"), cancel(1)}, 200, `[{"jsonrpc":"2.0","id":2,"result":{…]`},
		"all of them":             {[]string{call1(1, "memory_save"), cancel(1)}, 202, ``},
		"an unknown tool":         {[]string{call1(1, "nougat")}, 200, `[{"jsonrpc":"2.0","id":1,"error":{…}]`},
		"a wrong parameters":      {[]string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, call1(2, "memory_get")}, 200, `[{"jsonrpc":"2.0","id":1,"error":{…},{"jsonrpc":"2.0","id":2,"result":{…]`},
	} {
		r := h.post(http.MethodPost, "/mcp", " ["+strings.Join(c.messages, ",")+"] ", auth...)
		first, last, _ := strings.Cut(c.want, "…")
		if i := strings.LastIndex(last, "…"); i >= 0 {
			last = last[i+len("…"):]
		}
		body := strings.TrimSpace(r.body)
		if r.status != c.status || !strings.HasPrefix(body, first) || !strings.HasSuffix(body, last) || body != "" && !json.Valid([]byte(body)) {
			t.Errorf("%s: %d %.500s", name, r.status, r.body)
		}
		var answers []struct{ ID json.RawMessage }
		if c.status == http.StatusOK && json.Unmarshal([]byte(body), &answers) == nil {
			for _, message := range c.messages {
				if strings.Contains(message, `"id":2`) && !strings.Contains(body, `"id":2`) {
					t.Errorf("%s: a call is not answered: %.500s", name, body)
				}
			}
		}
	}
	if r := h.post(http.MethodPost, "/mcp", "["+listTools+"]", append(auth, "Mcp-Protocol-Version", "2025-06-18")...); r.status != 400 || !strings.Contains(r.body, "no batches") || !json.Valid([]byte(r.body)) {
		t.Errorf("a batch of a revision without batches: %d %s", r.status, r.body)
	}
	// Headers that make the SDK refuse every message.
	if r := h.post(http.MethodPost, "/mcp", "["+listTools+"]", append(auth, "Accept", "text/html")...); !json.Valid([]byte(r.body)) || strings.Contains(r.body, `"result"`) {
		t.Errorf("a batch that accepts no JSON: %d %s", r.status, r.body)
	}
}

func FuzzBatch(f *testing.F) {
	h := open(f, mcp.Options{})
	bearer := "Bearer " + h.Token(alice)
	for _, seed := range []string{
		`[` + listTools + `]`, `[]`, `[1,{},[]]`, `[` + cancel(1) + `,` + call1(1, "memory_get") + `]`, `[` + strings.Repeat(listTools+",", 16) + listTools + `]`,
		`[{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}]`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`, `[{"jsonrpc":"2.0","method":""}," ",""]`,
		`[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}},` + listTools + `]`,
	} {
		f.Add(seed)
	}
	handler := h.http.Config.Handler
	f.Fuzz(func(t *testing.T, body string) {
		if !strings.HasPrefix(strings.TrimSpace(body), "[") {
			body = "[" + body + "]"
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Authorization", bearer)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code >= 500 || w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) {
			t.Fatalf("status %d, %s", w.Code, w.Body)
		}
	})
}
