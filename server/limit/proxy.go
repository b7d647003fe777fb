package limit

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of trusted reverse proxies.
type Proxies []netip.Prefix

// maxForwarded bounds the addresses of X-Forwarded-For that are read, from the
// right. Each trusted proxy adds one.
const maxForwarded = 32

// Client returns the addresses that count as the client of a request: the address of
// its connection or, if that is a trusted proxy, the rightmost address in
// X-Forwarded-For that is not a trusted proxy. Addresses further left are the
// client's own claim. Peers on a Unix socket are trusted like proxies: the mode of
// the socket file decides who can connect. Without an address, Client returns the
// zero Prefix.
func (p Proxies) Client(r *http.Request) netip.Prefix {
	var client netip.Addr
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		if client = peer.Addr(); !contains(p, client) {
			return group(client)
		}
	} else if !overSocket(r) {
		return netip.Prefix{}
	}
	forwarded := r.Header.Values("X-Forwarded-For")
	for i, seen := len(forwarded)-1, 0; i >= 0; i-- {
		for rest := forwarded[i]; ; seen++ {
			comma := strings.LastIndexByte(rest, ',')
			address, ok := forwardedAddress(strings.TrimSpace(rest[comma+1:]))
			if !ok || seen == maxForwarded {
				return group(client) // the last proxy that named a client
			}
			if client = address; !contains(p, client) {
				return group(client)
			}
			if comma < 0 {
				break
			}
			rest = rest[:comma]
		}
	}
	return group(client)
}

// overSocket reports whether a request came over a Unix socket.
func overSocket(r *http.Request) bool {
	_, ok := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr)
	return ok
}

// Operators are the networks whose requests may read operator data.
type Operators []netip.Prefix

// Sent reports whether a request comes directly from one of the networks. A forwarded
// request does not, whoever sent it: a proxy in these networks may serve everyone.
//
// SECURITY: a request that a web page sends does not count either, since a browser in
// these networks may have loaded the page from anywhere. A page whose own host name
// resolves to loopback sends no header that reveals it, so over loopback the Host must be
// a loopback name.
func (o Operators) Sent(r *http.Request) bool {
	for _, header := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via", "Origin"} {
		if len(r.Header.Values(header)) > 0 {
			return false
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" { // none: the address bar
		return false
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !contains(o, peer.Addr()) {
		return false
	}
	return !peer.Addr().Unmap().IsLoopback() || LoopbackHost(r.Host)
}

// LoopbackHost reports whether a Host names this machine by its loopback address, or as
// localhost in any case, with or without a dot at its end.
func LoopbackHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if strings.EqualFold(strings.TrimSuffix(name, "."), "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && address.IsLoopback()
}

// forwardedAddress reads an address that some proxies write with a port.
func forwardedAddress(text string) (netip.Addr, bool) {
	if address, err := netip.ParseAddr(text); err == nil {
		return address, true
	}
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr(), true
	}
	return netip.Addr{}, false
}
