// Package wiretest is for tests of what happens between a client and a
// server: addresses on loopback, and a proxy whose line can be held up, cut
// and made deaf.
package wiretest

import (
	"context"
	"net"
)

// Free is an address on loopback, host:port, where nobody listens.
func Free() (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// FreePort is the port of Free.
func FreePort() (string, error) {
	address, err := Free()
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(address)
	return port, err
}
