// Package faulttest provides what tests of network faults need: free loopback
// addresses, a TCP proxy that can stall, drop and refuse connections, and a
// guard that kills a child process with the test that started it.
package faulttest

import (
	"context"
	"net"
)

// FreeAddr returns a loopback address, host:port, on which nothing listens.
func FreeAddr() (string, error) {
	var config net.ListenConfig
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// FreePort returns the port of a FreeAddr.
func FreePort() (string, error) {
	address, err := FreeAddr()
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(address)
	return port, err
}
