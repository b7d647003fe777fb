// Package faulttest provides what tests of network faults need: free loopback
// addresses, a TCP proxy that can stall, drop and refuse connections, and a
// guard that kills a child process with the test that started it.
package faulttest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"time"

	"mneme/internal/system"
)

// ErrNoConsole reports that this process has no console, which Windows requires to
// end other processes gracefully.
var ErrNoConsole = errors.New("without a console Windows ends no other process gracefully")

// The ports of FreeAddr. They are below the ranges from which systems assign ports to
// connections and to listeners without a fixed port: from 32768 on Linux, 49152 on
// macOS.
const firstPort, ports = 20_000, 12_000

var errNoPort = errors.New("faulttest: no port is free")

// FreeAddr returns a loopback address, host:port, on which no process listens. The
// address stays reserved for the caller until this process ends: FreeAddr does not
// return it to other callers, of any process, and the system does not choose it.
func FreeAddr() (string, error) {
	listener, release, err := reserve()
	if err != nil {
		return "", err
	}
	held.Lock()
	defer held.Unlock()
	held.releases = append(held.releases, release)
	return listener.Addr().String(), listener.Close()
}

// held references the reservations of FreeAddr: an unreferenced socket would be
// closed.
var held struct {
	sync.Mutex
	releases []func()
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

// reserve listens at a free address, which is the caller's until release. The UDP port of
// the same number is the lock: two processes cannot both have it, and it ends with its
// process.
func reserve() (listener net.Listener, release func(), err error) {
	var config net.ListenConfig
	ctx := context.Background()
	for _, n := range rand.Perm(ports) { //nolint:gosec // which one does not matter
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+n))
		lock, err := config.ListenPacket(ctx, "udp", address)
		if err != nil {
			continue
		}
		listener, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			_ = lock.Close() // it holds nothing
			continue
		}
		return listener, func() { _ = lock.Close() }, nil
	}
	return nil, nil, errNoPort
}

// listenAgain listens at a reserved address after its listener was closed. A process that
// starts at that moment has a copy of the listener until its program runs, so the address
// may stay in use for some milliseconds.
func listenAgain(address string) (listener net.Listener, err error) {
	var config net.ListenConfig
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		listener, err = config.Listen(context.Background(), "tcp", address)
		if !system.IsAddressInUse(err) {
			break
		}
	}
	return listener, err
}
