// Package faulttest helps to test network faults. It provides free loopback
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
var ErrNoConsole = errors.New("without a console Windows cannot end another process gracefully")

// The ports of FreeAddr are below the ephemeral ranges, from which systems assign ports
// to connections and to listeners without a fixed port: from 32768 on Linux, 49152 on
// macOS.
const firstPort, ports = 20_000, 12_000

var errNoPort = errors.New("faulttest: no port is free")

// FreeAddr returns a loopback address, host:port, on which no process listens. It
// reserves the address until this process ends: FreeAddr does not return the address
// again in any process, and the system does not assign it.
func FreeAddr() (string, error) {
	listener, release, err := reserve()
	if err != nil {
		return "", err
	}
	reserved.Lock()
	defer reserved.Unlock()
	reserved.releases = append(reserved.releases, release)
	return listener.Addr().String(), listener.Close()
}

// reserved references the reservations of FreeAddr: the garbage collector would close
// an unreferenced socket.
var reserved struct {
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

// reserve listens on a free address, which stays reserved until the caller calls release.
// The UDP port of the same number serves as a lock: only one process can bind it, and the
// system releases it when the process ends.
func reserve() (listener net.Listener, release func(), err error) {
	var config net.ListenConfig
	ctx := context.Background()
	for _, n := range rand.Perm(ports) { //nolint:gosec // any free port will do
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+n))
		lock, err := config.ListenPacket(ctx, "udp", address)
		if err != nil {
			continue
		}
		listener, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			_ = lock.Close() // nothing was written
			continue
		}
		return listener, func() { _ = lock.Close() }, nil
	}
	return nil, nil, errNoPort
}

// listenAgain listens on a reserved address after its listener was closed. A child process
// that starts at that moment has a copy of the listener until it executes its program, so
// the address may stay in use for a few milliseconds.
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
