// Package limit bounds a client's use of the HTTP server: open
// connections, stall time, and requests per second.
package limit

import (
	"net"
	"net/netip"
)

// group returns the addresses that count as one client: a single IPv4 address,
// or the /64 of an IPv6 address, which one host is assigned. An invalid
// address, such as of a connection within the process, has its own group: the
// zero Prefix.
func group(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	bits := 32
	if address.Is6() {
		bits = 64
	}
	prefix, err := address.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return prefix
}

// addressOf returns the IP address of a connection's peer, or the zero Addr if
// there is none.
func addressOf(peer net.Addr) netip.Addr {
	if peer == nil {
		return netip.Addr{}
	}
	if tcp, ok := peer.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr()
	}
	port, err := netip.ParseAddrPort(peer.String())
	if err != nil {
		return netip.Addr{}
	}
	return port.Addr()
}
