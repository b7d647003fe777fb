package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	client "mneme/clients/go"
)

func TestOnlyTheServicesOwn404SaysThatAnEntryIsAbsent(t *testing.T) {
	for _, test := range []struct {
		kind, body string
		want       bool
	}{
		{"application/problem+json", problemOf("urn:mneme:problem:not-found"), true},
		{"application/problem+json", problemOf("urn:mneme:problem:no-such-call"), false},
		{"application/problem+json", problemOf("about:blank"), false},
		{"application/json", problemOf("urn:mneme:problem:not-found"), false},
		{"text/html", "<html>", false},
	} {
		var asked string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = r.URL.Path
			w.Header().Set("Content-Type", test.kind)
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, test.body)
		}))
		c, err := client.New(server.URL+"/mneme/", client.Options{Token: client.StaticToken("t")})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = c.Get(t.Context(), client.Path{Store: "self", Key: "a"})
		server.Close()
		if client.StatusOf(err) != 404 || client.IsAbsent(err) != test.want {
			t.Errorf("%s %s: %v, absent %v", test.kind, test.body, err, client.IsAbsent(err))
		}
		if asked != "/mneme/v1/stores/self/memories/a" {
			t.Errorf("asked for %s", asked)
		}
	}
	if client.IsAbsent(nil) || client.IsAbsent(io.EOF) {
		t.Error("an error that is none of the server says that something is absent")
	}
}

func problemOf(kind string) string {
	return fmt.Sprintf(`{"type":%q,"title":"","status":404,"instance":""}`, kind)
}
