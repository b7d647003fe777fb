package faulttest

import (
	"context"
	"net"
	"sync"
	"testing"
)

// FaultProxy is a TCP proxy in front of a server. It forwards bytes both ways
// until one of its methods injects a fault.
type FaultProxy struct {
	target, address string
	stalled         chan struct{} // capacity 1: receives a token when bytes start to wait
	running         sync.WaitGroup

	mu         sync.Mutex
	listener   net.Listener // nil while disabled
	links      map[*link]bool
	gate       chan struct{} // closed while bytes may pass
	discarding bool
}

// NewFaultProxy starts a proxy to target, a host:port. It stops when the test
// ends.
func NewFaultProxy(t testing.TB, target string) *FaultProxy {
	t.Helper()
	listener, release, err := reserve()
	if err != nil {
		t.Fatal(err)
	}
	p := &FaultProxy{
		target: target, address: listener.Addr().String(), stalled: make(chan struct{}, 1),
		links: make(map[*link]bool), gate: make(chan struct{}),
	}
	close(p.gate)
	p.accept(listener)
	t.Cleanup(func() {
		p.Disable()
		p.running.Wait()
		release()
	})
	return p
}

// Addr returns the proxy's host:port.
func (p *FaultProxy) Addr() string { return p.address }

// Stall holds back bytes of both directions until resume is called. Bytes
// forwarded before the call are not affected.
func (p *FaultProxy) Stall() (resume func()) {
	gate := make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate = gate
	return sync.OnceFunc(func() { close(gate) })
}

// Stalled returns a channel that receives a token when bytes start to wait
// behind a Stall.
func (p *FaultProxy) Stalled() <-chan struct{} { return p.stalled }

// Discard starts or stops throwing away bytes of both directions. A connection
// that lost bytes is unusable afterwards: close it with DropConnections or
// Disable.
func (p *FaultProxy) Discard(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.discarding = on
}

// DropConnections closes every open connection. New ones are accepted.
func (p *FaultProxy) DropConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close()
	}
}

// Disable closes every open connection and refuses new ones.
func (p *FaultProxy) Disable() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	p.mu.Unlock()
	p.DropConnections()
}

// Enable accepts connections again after Disable, at the same address, which stays
// reserved in the meantime: see FreeAddr.
func (p *FaultProxy) Enable(t testing.TB) {
	t.Helper()
	listener, err := listenAgain(p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.accept(listener)
}

// accept forwards the connections of a listener until it is closed.
func (p *FaultProxy) accept(listener net.Listener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listener = listener
	p.running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.connect(listener, conn)
		}
	})
}

func (p *FaultProxy) connect(listener net.Listener, downstream net.Conn) {
	var dialer net.Dialer
	upstream, err := dialer.DialContext(context.Background(), "tcp", p.target)
	if err != nil {
		_ = downstream.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != listener { // disabled in the meantime
		_, _ = downstream.Close(), upstream.Close()
		return
	}
	l := &link{downstream: downstream, upstream: upstream, closed: make(chan struct{})}
	p.links[l] = true
	for _, direction := range []struct{ dst, src net.Conn }{{upstream, downstream}, {downstream, upstream}} {
		p.running.Go(func() {
			p.forward(l, direction.dst, direction.src)
			l.close() // both directions end together
			p.mu.Lock()
			defer p.mu.Unlock()
			delete(p.links, l)
		})
	}
}

// link is one connection through the proxy.
type link struct {
	downstream, upstream net.Conn
	once                 sync.Once
	closed               chan struct{}
}

func (l *link) close() {
	l.once.Do(func() {
		close(l.closed)
		_, _ = l.downstream.Close(), l.upstream.Close()
	})
}

// forward copies bytes in one direction until the connection ends.
func (p *FaultProxy) forward(l *link, dst, src net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := src.Read(buffer)
		if err != nil || !p.wait(l) {
			return
		}
		p.mu.Lock()
		discarding := p.discarding
		p.mu.Unlock()
		if discarding {
			continue
		}
		if _, err := dst.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// wait blocks until bytes may pass. It reports whether the connection is still
// open.
func (p *FaultProxy) wait(l *link) bool {
	p.mu.Lock()
	gate := p.gate
	p.mu.Unlock()
	select {
	case <-gate:
		return true
	default:
	}
	select {
	case p.stalled <- struct{}{}:
	default:
	}
	select {
	case <-gate:
		return true
	case <-l.closed:
		return false
	}
}
