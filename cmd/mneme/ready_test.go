package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"mneme/clients/go/api"
)

func TestReadySucceedsWhileTheServerCanServe(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	if out := must(t, s.dir, "", "ready", patient, "--url", s.address, "--vectors"); !strings.HasPrefix(out, "ready") {
		t.Errorf("got %q", out)
	}
	out := must(t, s.dir, "", "ready", patient, "--url", s.address, "--json")
	if got := decode[api.Ready](t, out); !got.Storage || !got.Vector {
		t.Errorf("got %s", out)
	}
	// --addr takes the same address as serve --addr.
	must(t, s.dir, "", "ready", patient, "--addr", strings.TrimPrefix(s.address, "http://"))
	s.end(syscall.SIGTERM)
	if r := mneme(t, s.dir, "", "ready", patient, "--url", s.address); r.status != exitFailed {
		t.Errorf("after the server ended: %+v", r)
	}
}

func TestReadyReportsTheProblem(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, want string
		args       []string
	}{
		"storage unavailable": {http.StatusServiceUnavailable, `{"storage":false,"vector":true}`, "storage", nil},
		"stopping":            {http.StatusServiceUnavailable, `{"storage":true,"vector":true}`, "shutting down", nil},
		"without vectors":     {http.StatusOK, `{"storage":true,"vector":false}`, "vector index", []string{"--vectors"}},
		"another service's":   {http.StatusOK, `<html>`, "not mneme's", nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer server.Close()
			r := mneme(t, t.TempDir(), "", append([]string{"ready", patient, "--url", server.URL}, c.args...)...)
			if r.status != exitFailed || !strings.Contains(r.err, c.want) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestWildcardAddressIsCheckedOnLoopback(t *testing.T) {
	for addr, want := range map[string]string{
		":7077":             "http://127.0.0.1:7077",
		"0.0.0.0:7077":      "http://127.0.0.1:7077",
		"[::]:7077":         "http://127.0.0.1:7077",
		"[::1]:7077":        "http://[::1]:7077",
		"memory.local:7077": "http://memory.local:7077",
	} {
		if got, err := urlOf(addr, false); err != nil || got != want {
			t.Errorf("%s: %s, %v", addr, got, err)
		}
	}
	if _, err := urlOf("127.0.0.1:0", false); err == nil {
		t.Error("port 0 was accepted: only the server knows its port")
	}
}
