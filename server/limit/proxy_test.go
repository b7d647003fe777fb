package limit

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestTheClientIsWhoTheProxiesName(t *testing.T) {
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:9::/48")}
	for _, test := range []struct {
		rule      string
		proxies   Proxies
		peer      string
		forwarded []string
		want      string
	}{
		{"no proxies: the header is the client's own word", nil, "10.0.0.1:9", []string{"192.0.2.1"}, "10.0.0.1/32"},
		{"not from a proxy", proxies, "192.0.2.9:9", []string{"192.0.2.1"}, "192.0.2.9/32"},
		{"from a proxy", proxies, "10.0.0.1:9", []string{"192.0.2.1"}, "192.0.2.1/32"},
		{"from a proxy, without the header", proxies, "10.0.0.1:9", nil, "10.0.0.1/32"},
		{"what the client wrote stands left", proxies, "10.0.0.1:9", []string{"198.51.100.7, 192.0.2.1"}, "192.0.2.1/32"},
		{"two proxies", proxies, "10.0.0.1:9", []string{"198.51.100.7,192.0.2.1, 10.2.3.4"}, "192.0.2.1/32"},
		{"two header lines", proxies, "10.0.0.1:9", []string{"198.51.100.7", "192.0.2.1", "10.2.3.4"}, "192.0.2.1/32"},
		{"proxies alone", proxies, "10.0.0.1:9", []string{"10.2.3.4"}, "10.2.3.4/32"},
		{"garbage behind a proxy", proxies, "10.0.0.1:9", []string{"192.0.2.1, nonsense"}, "10.0.0.1/32"},
		{"an empty header", proxies, "10.0.0.1:9", []string{""}, "10.0.0.1/32"},
		{"a port", proxies, "10.0.0.1:9", []string{"192.0.2.1:80"}, "192.0.2.1/32"},
		{"IPv6", proxies, "[2001:db8:9::1]:9", []string{"2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"},
		{"IPv6 with a port", proxies, "[2001:db8:9::1]:9", []string{"[2001:db8:1:2::6]:80"}, "2001:db8:1:2::/64"},
		{"a mapped proxy", proxies, "[::ffff:10.0.0.1]:9", []string{"192.0.2.1"}, "192.0.2.1/32"},
		{"as many as one likes", proxies, "10.0.0.1:9", []string{"192.0.2.1" + strings.Repeat(",10.0.0.2", 1000)}, "10.0.0.2/32"},
		{"within the process", proxies, "inprocess", []string{"192.0.2.1"}, "invalid Prefix"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			r := &http.Request{RemoteAddr: test.peer, Header: http.Header{"X-Forwarded-For": test.forwarded}}
			if got := test.proxies.Client(r); got.String() != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}

func TestWhoOpensASocketIsTrustedLikeAProxy(t *testing.T) {
	for forwarded, want := range map[string]string{
		"": "invalid Prefix", "192.0.2.7": "192.0.2.7/32", "192.0.2.7, 203.0.113.9": "203.0.113.9/32", "192.0.2.7, 10.0.0.1": "192.0.2.7/32", "nonsense": "invalid Prefix",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = "@"
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		trusted := Proxies{netip.MustParsePrefix("10.0.0.0/8")}
		if got := trusted.Client(r); got.IsValid() {
			t.Errorf("%q over no socket: %v", forwarded, got)
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.UnixAddr{Name: "/s", Net: "unix"})))
		if got := trusted.Client(r); got.String() != want {
			t.Errorf("%q: %v, want %s", forwarded, got, want)
		}
		if (Operators{netip.MustParsePrefix("0.0.0.0/0")}).Sent(r) {
			t.Error("a socket is an operator's")
		}
	}
}

// A page can reach loopback through its own host name if the name resolves to
// loopback.
func TestOperatorsAreNoPages(t *testing.T) {
	operators := Operators{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct {
		rule, peer, host string
		header           []string
		want             bool
	}{
		{"loopback by its address", "127.0.0.1:9", "127.0.0.1:8080", nil, true},
		{"loopback by its name", "127.0.0.1:9", "localhost:8080", nil, true},
		{"loopback of IPv6", "[::1]:9", "[::1]:8080", nil, true},
		{"mapped loopback", "[::ffff:127.0.0.1]:9", "localhost", nil, true},
		{"loopback by another name", "127.0.0.1:9", "evil.example:8080", nil, false},
		{"loopback of IPv6 by another name", "[::1]:9", "evil.example", nil, false},
		{"mapped loopback by another name", "[::ffff:127.0.0.1]:9", "evil.example", nil, false},
		{"loopback by no name", "127.0.0.1:9", "", nil, false},
		{"another network by any name", "10.0.0.1:9", "mneme.internal:8080", nil, true},
		{"an address bar", "10.0.0.1:9", "mneme.internal", []string{"Sec-Fetch-Site", "none"}, true},
		{"a page", "10.0.0.1:9", "mneme.internal", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"a page of the same host", "127.0.0.1:9", "localhost", []string{"Sec-Fetch-Site", "same-origin"}, false},
		{"a page that says its origin", "10.0.0.1:9", "mneme.internal", []string{"Origin", "null"}, false},
		{"another network", "192.0.2.1:9", "localhost", nil, false},
	} {
		r := &http.Request{RemoteAddr: test.peer, Host: test.host, Header: make(http.Header)}
		if test.header != nil {
			r.Header.Set(test.header[0], test.header[1])
		}
		if got := operators.Sent(r); got != test.want {
			t.Errorf("%s: %v", test.rule, got)
		}
	}
}

func FuzzForwardedFor(f *testing.F) {
	f.Add("192.0.2.1, 10.0.0.1")
	f.Add("[::1]:80,,")
	f.Fuzz(func(t *testing.T, forwarded string) {
		proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8")}
		client := proxies.Client(&http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"X-Forwarded-For": {forwarded}}})
		if !client.IsValid() {
			t.Errorf("no client for %q", forwarded)
		}
	})
}
