package mcp_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"mneme/server/mcp"
)

// The revisions without sessions let a client encode the name in a header, for example a
// name with an umlaut. The server compares the decoded name.
func TestABase64NameIsDecoded(t *testing.T) {
	h := open(t, mcp.Options{})
	const call = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"mneme://self/MEMORY.md","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	coded := func(name string) string { return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?=" }
	for name, status := range map[string]int{
		"mneme://self/MEMORY.md":        http.StatusOK,
		coded("mneme://self/MEMORY.md"): http.StatusOK,
		coded("mneme://self/OTHER.md"):  http.StatusBadRequest,
		"=?base64?%?=":                  http.StatusBadRequest,
	} {
		r := h.post(http.MethodPost, "/mcp", call, "Authorization", "Bearer "+h.Token(alice), "Content-Type", "application/json",
			"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read", "Mcp-Name", name)
		if r.status != status {
			t.Errorf("%s: %d %.300s", name, r.status, r.body)
		}
	}
}

// A client's Accept, media type or spelling of localhost does not prevent an answer,
// unless the client refuses JSON.
func TestHeadersThatClientsSendAreTaken(t *testing.T) {
	h := open(t, mcp.Options{})
	ask := func(target string, change func(*http.Request)) (status int, body string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.http.URL+target, strings.NewReader(listTools))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+h.Token(alice))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json")
		change(r)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	port := h.http.URL[strings.LastIndexByte(h.http.URL, ':'):]
	for name, change := range map[string]func(*http.Request){
		"JSON alone":         func(*http.Request) {},
		"anything":           func(r *http.Request) { r.Header.Set("Accept", "*/*") },
		"any application":    func(r *http.Request) { r.Header.Set("Accept", "text/html;q=0.9, application/*;q=0.1") },
		"nothing said":       func(r *http.Request) { r.Header.Del("Accept") },
		"an empty Accept":    func(r *http.Request) { r.Header.Set("Accept", "") },
		"several Accepts":    func(r *http.Request) { r.Header["Accept"] = []string{"text/plain", "application/json; charset=utf-8"} },
		"no type":            func(r *http.Request) { r.Header.Del("Content-Type") },
		"LOCALHOST":          func(r *http.Request) { r.Host = "LOCALHOST" + port },
		"localhost.":         func(r *http.Request) { r.Host = "localhost." + port },
		"localhost, no port": func(r *http.Request) { r.Host = "Localhost" },
	} {
		for _, target := range []string{"/mcp", "/mcp/"} {
			if status, body := ask(target, change); status != http.StatusOK || !strings.Contains(body, "memory_search") {
				t.Errorf("%s, %s: %d %.200s", target, name, status, body)
			}
		}
	}
	for name, change := range map[string]func(*http.Request){
		"HTML alone":   func(r *http.Request) { r.Header.Set("Accept", "text/html") },
		"another type": func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"another host": func(r *http.Request) { r.Host = "example.org" },
		"a like host":  func(r *http.Request) { r.Host = "localhost.example.org" },
	} {
		if status, body := ask("/mcp", change); status < 400 || status >= 500 {
			t.Errorf("%s: %d %.200s", name, status, body)
		}
	}
}
