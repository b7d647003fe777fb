package wiretest

import (
	"context"
	"net"
	"sync"
	"testing"
)

// Relay is a TCP proxy in front of a server. It passes bytes on both ways
// until it is told otherwise.
type Relay struct {
	target, address string
	waiting         chan struct{} // gets a token when bytes wait, if there is room
	running         sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener // nil while cut
	links    map[*link]bool
	gate     chan struct{} // closed: bytes pass
	deaf     bool          // bytes are thrown away
}

// NewRelay makes a proxy to a host:port that ends with the test.
func NewRelay(t testing.TB, target string) *Relay {
	t.Helper()
	r := &Relay{
		target: target, address: "127.0.0.1:0", waiting: make(chan struct{}, 1),
		links: make(map[*link]bool), gate: make(chan struct{}),
	}
	close(r.gate)
	r.Restore(t)
	t.Cleanup(func() {
		r.Cut()
		r.running.Wait()
	})
	return r
}

// Addr is the proxy's host:port.
func (r *Relay) Addr() string { return r.address }

// Hold keeps bytes waiting, of either direction, until the returned function
// is called. What was passed on before has arrived.
func (r *Relay) Hold() (release func()) {
	gate := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate = gate
	return sync.OnceFunc(func() { close(gate) })
}

// Waiting gives a token when bytes begin to wait.
func (r *Relay) Waiting() <-chan struct{} { return r.waiting }

// Deafen throws bytes away from now on, or passes them on again. What a
// connection lost makes it useless: cut it then.
func (r *Relay) Deafen(deaf bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deaf = deaf
}

// Break ends every connection; new ones are taken.
func (r *Relay) Break() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l := range r.links {
		l.end()
	}
}

// Cut ends every connection and refuses new ones.
func (r *Relay) Cut() {
	r.mu.Lock()
	if r.listener != nil {
		_ = r.listener.Close()
		r.listener = nil
	}
	r.mu.Unlock()
	r.Break()
}

// Restore takes connections again after a Cut, at the same address.
func (r *Relay) Restore(t testing.TB) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listener, r.address = listener, listener.Addr().String()
	r.running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			r.connect(listener, conn)
		}
	})
}

func (r *Relay) connect(listener net.Listener, in net.Conn) {
	var dialer net.Dialer
	out, err := dialer.DialContext(context.Background(), "tcp", r.target)
	if err != nil {
		_ = in.Close()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listener != listener { // cut meanwhile
		_, _ = in.Close(), out.Close()
		return
	}
	l := &link{in: in, out: out, ended: make(chan struct{})}
	r.links[l] = true
	for _, way := range [][2]net.Conn{{out, in}, {in, out}} {
		r.running.Go(func() {
			r.pass(l, way[0], way[1])
			l.end() // the other direction goes with this one
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(r.links, l)
		})
	}
}

// link is one connection through the proxy.
type link struct {
	in, out net.Conn
	ending  sync.Once
	ended   chan struct{}
}

func (l *link) end() {
	l.ending.Do(func() {
		close(l.ended)
		_, _ = l.in.Close(), l.out.Close()
	})
}

// pass carries bytes one way until the connection ends.
func (r *Relay) pass(l *link, to, from net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !r.wait(l) {
			return
		}
		r.mu.Lock()
		deaf := r.deaf
		r.mu.Unlock()
		if deaf {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// wait waits until bytes may pass, and tells whether the connection stands.
func (r *Relay) wait(l *link) bool {
	r.mu.Lock()
	gate := r.gate
	r.mu.Unlock()
	select {
	case <-gate:
		return true
	default:
	}
	select {
	case r.waiting <- struct{}{}:
	default:
	}
	select {
	case <-gate:
		return true
	case <-l.ended:
		return false
	}
}
