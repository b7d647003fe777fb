package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"mneme/test/mnemetest"
)

// followed is an answer: its address, its Location header, its body.
type followed struct {
	at       *url.URL
	location string
	text     string
}

// A reverse proxy serves the service below a path, and strips it from requests or not. A
// client that follows the URLs in answers stays below the path.
func TestTheServiceWorksBelowAPath(t *testing.T) {
	t.Parallel()
	for name, strip := range map[string]bool{"taken off": true, "left": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const path = "/team/mneme"
			var target *url.URL // set before the first request
			proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(target)
				if strip {
					r.Out.URL.Path, r.Out.URL.RawPath = strings.TrimPrefix(r.In.URL.Path, path), strings.TrimPrefix(r.In.URL.RawPath, path)
				}
				r.Out.Host = r.In.Host
			}}
			mux := http.NewServeMux() // anything outside the path is not found
			mux.Handle(path+"/", proxy)
			front := httptest.NewServer(mux)
			t.Cleanup(front.Close)

			dir := t.TempDir()
			command := exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--data-dir", dir, "--json")
			command.Env = append(command.Environ(), "MNEME_PUBLIC_URL="+front.URL+path)
			p := mnemetest.Start(t, command)
			var err error
			if target, err = url.Parse(p.Address); err != nil {
				t.Fatal(err)
			}
			token := strings.TrimSpace(must(t, dir, "", "token", "--agent", "me"))

			// follow requests a reference as a client resolves it, and returns the answer.
			follow := func(from *url.URL, method, reference, accept, body string) followed {
				t.Helper()
				at, err := from.Parse(reference)
				if err != nil {
					t.Fatal(err)
				}
				r, err := http.NewRequestWithContext(t.Context(), method, at.String(), strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", accept)
				response, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				if response.StatusCode >= 300 || !strings.HasPrefix(response.Request.URL.Path, path+"/") {
					t.Errorf("%s %s leads to %s: %d %.200s", method, reference, response.Request.URL.Path, response.StatusCode, text)
				}
				return followed{response.Request.URL, response.Header.Get("Location"), string(text)}
			}
			root, err := url.Parse(front.URL + path + "/")
			if err != nil {
				t.Fatal(err)
			}

			made := follow(root, http.MethodPut, "v1/stores/self/memories/a%2Fb", "*/*", `{"value": "tea"}`)
			if entry := follow(made.at, http.MethodGet, made.location, "*/*", ""); !strings.Contains(entry.text, `"a/b"`) {
				t.Errorf("Location %s leads to %s", made.location, entry.text)
			}

			var document struct{ Servers []struct{ URL string } }
			specification := follow(root, http.MethodGet, "openapi.json", "*/*", "")
			if err := json.Unmarshal([]byte(specification.text), &document); err != nil || len(document.Servers) != 1 {
				t.Fatal(err, document)
			}
			follow(specification.at, http.MethodGet, document.Servers[0].URL+"/v1/account", "*/*", "")

			var links map[string]string
			if err := json.Unmarshal([]byte(follow(root, http.MethodGet, "", "application/json", "").text), &links); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"api", "health", "console"} {
				follow(root, http.MethodGet, links[name], "*/*", "")
			}
			follow(root, http.MethodPost, links["mcp"], "application/json, text/event-stream", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)

			for _, page := range []string{"", "console", "console/"} {
				page := follow(root, http.MethodGet, page, "text/html", "")
				found := regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page.text, -1)
				if len(found) < 3 {
					t.Errorf("%s has %d links", page.at.Path, len(found))
				}
				for _, link := range found {
					follow(page.at, http.MethodGet, link[1], "*/*", "")
				}
			}
		})
	}
}
