package server_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mneme/server"
)

// A page in a browser may let its host name resolve to this machine (DNS rebinding). The server
// must not treat it as its own page. The rule holds for all calls that need a token.
func TestOverLoopbackOtherHostsAreRefusedUnlessAProxyForwardsThem(t *testing.T) {
	loopback := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7077}
	other := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 7077}
	socket := &net.UnixAddr{Name: "/run/mneme.sock", Net: "unix"}
	for name, c := range map[string]struct {
		host    string
		at      net.Addr
		public  bool
		path    string
		refused bool
	}{
		"loopback":                     {"127.0.0.1:7077", loopback, false, "/who/x", false},
		"IPv6 with a port":             {"[::1]:7077", loopback, false, "/who/x", false},
		"a name in capitals":           {"LocalHost:7077", loopback, false, "/who/x", false},
		"a whole name":                 {"localhost.", loopback, false, "/who/x", false},
		"another host":                 {"memory.example.org", loopback, false, "/who/x", true},
		"a name below localhost's":     {"localhost.example.org:7077", loopback, false, "/who/x", true},
		"another address":              {"192.0.2.7", loopback, false, "/who/x", true},
		"another host, unknown path":   {"memory.example.org", loopback, false, "/nowhere", true},
		"another host, behind a proxy": {"memory.example.org", loopback, true, "/who/x", false},
		"another host elsewhere":       {"memory.example.org", other, false, "/who/x", false},
		"another host, by a socket":    {"memory.example.org", socket, false, "/who/x", false},
		"what needs no token":          {"memory.example.org", loopback, false, "/open", false},
	} {
		log := &journal{}
		front := server.New(server.Options{
			Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics(), Log: slog.New(slog.NewJSONHandler(log, nil)), PublicURL: c.public,
			Surfaces: []server.Surface{surface{}},
		})
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Host = c.host
		r.Header.Set("Authorization", "Bearer alice")
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, c.at)))
		var problem struct{ Detail string }
		_ = json.Unmarshal(w.Body.Bytes(), &problem)
		refused := w.Code == http.StatusForbidden && strings.Contains(problem.Detail, "public_url")
		if refused != c.refused || !c.refused && w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		want := 0
		if c.refused {
			want = 1
		}
		if got := strings.Count(log.String(), "public_url"); got != want || strings.Contains(log.String(), "example.org") {
			t.Errorf("%s: the log says so %d times: %s", name, got, log)
		}
	}
}

// HEAD is answered like GET, without a body, whatever the surface (RFC 9110 §9.1).
func TestHEADIsAnsweredWhereGETIs(t *testing.T) {
	front := server.New(server.Options{
		Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics(), Surfaces: []server.Surface{surface{}},
	})
	listening := httptest.NewServer(front)
	defer listening.Close()
	for _, path := range []string{"/who/x", "/open", "/who:all", "/fail/x", "/nowhere", "/readyz"} {
		var answers [2]*http.Response
		for i, method := range []string{http.MethodGet, http.MethodHead} {
			r, err := http.NewRequestWithContext(t.Context(), method, listening.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer alice")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			answers[i] = response
		}
		get, head := answers[0], answers[1]
		if head.StatusCode != get.StatusCode || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("%s: HEAD %d %v, GET %d %v", path, head.StatusCode, head.Header, get.StatusCode, get.Header)
		}
	}
	r := httptest.NewRequest(http.MethodPut, "/who/x", nil)
	r.Header.Set("Authorization", "Bearer alice")
	w := httptest.NewRecorder()
	front.ServeHTTP(w, r)
	if allow := w.Header().Get("Allow"); w.Code != http.StatusMethodNotAllowed || !strings.Contains(allow, "GET, HEAD") {
		t.Errorf("%d, Allow: %s", w.Code, allow)
	}
}

// A cache must store an answer for each coding, so it needs the Vary field, with each name only
// once.
func TestMetricsHaveOneVaryField(t *testing.T) {
	front := server.New(server.Options{Service: &stub{}, Verifier: names{}, Metrics: server.NewMetrics()})
	for _, coding := range []string{"", "gzip", "zstd", "br"} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		if coding != "" {
			r.Header.Set("Accept-Encoding", coding)
		}
		w := httptest.NewRecorder()
		front.ServeHTTP(w, r)
		if got := w.Header().Values("Vary"); len(got) != 1 || strings.Count(got[0], "Accept-Encoding") != 1 {
			t.Errorf("%q: Vary %q", coding, got)
		}
	}
}
