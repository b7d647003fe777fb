package limit

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
)

// Reasons to close a connection as soon as it is accepted.
const (
	TotalConnections   = "connections"
	AddressConnections = "address_connections"
)

// Connections bound the open connections of a listener.
type Connections struct {
	Total      int // of all clients; 0: no limit
	PerAddress int // of one IPv4 address or IPv6 /64; 0: no limit
	// Exempt are addresses without a limit per address: proxies, whose
	// connections carry the requests of many clients.
	Exempt []netip.Prefix
	// Refused is called for each connection that is closed, with
	// TotalConnections or AddressConnections. nil: not called.
	Refused func(reason string)
}

// Listener is a net.Listener that closes connections above the limits as soon
// as they are accepted. If they waited in the kernel's backlog instead, where
// the client's address is not known, one client's connections would delay
// everybody else's.
type Listener struct {
	net.Listener
	limits Connections

	mu        sync.Mutex
	open      int
	byAddress map[netip.Prefix]int // of open connections; no zeros
}

// Listen limits the connections of a listener.
func Listen(inner net.Listener, limits Connections) *Listener {
	return &Listener{Listener: inner, limits: limits, byAddress: make(map[netip.Prefix]int)}
}

// Open returns the number of open connections.
func (l *Listener) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// Accept returns the next connection that is within the limits.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from, reason := l.admit(addressOf(accepted.RemoteAddr()))
		if reason == "" {
			return &connection{Conn: accepted, release: sync.OnceFunc(func() { l.release(from) })}, nil
		}
		if l.limits.Refused != nil {
			l.limits.Refused(reason)
		}
		_ = reset(accepted) // no bytes were sent
	}
}

// admit counts a connection, or returns the reason to refuse it. from is the
// zero Prefix if the connection counts towards no address.
func (l *Listener) admit(address netip.Addr) (from netip.Prefix, reason string) {
	if l.limits.PerAddress > 0 && !contains(l.limits.Exempt, address) {
		from = group(address)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.limits.Total > 0 && l.open >= l.limits.Total:
		return from, TotalConnections
	case from.IsValid() && l.byAddress[from] >= l.limits.PerAddress:
		return from, AddressConnections
	}
	l.open++
	if from.IsValid() {
		l.byAddress[from]++
	}
	return from, ""
}

func (l *Listener) release(from netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if !from.IsValid() {
		return
	}
	if l.byAddress[from]--; l.byAddress[from] == 0 {
		delete(l.byAddress, from)
	}
}

// reset closes a connection immediately. An orderly close would wait for the
// client to read the sent bytes, and retain the connection's state for minutes.
func reset(c net.Conn) error {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // Close follows in any case
	}
	return c.Close()
}

// connection is an open connection that is counted until it is closed.
type connection struct {
	net.Conn
	release func()
	stalled atomic.Bool // the client did not take an answer in time
	// Used by coalesce; one goroutine at a time writes an answer.
	coming int     // bytes that it is writing
	held   *[]byte // written bytes that are sent with the next ones; nil: none
}

// heldPool recycles the buffers of connection.held.
var heldPool = sync.Pool{New: func() any { return new([]byte) }}

type connectionKey struct{}

// InContext adds the connection to the context of its requests: it is for
// http.Server.ConnContext.
func InContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// connectionOf returns the connection that exclusively carries a request; nil if it is
// unknown, has another type, as with TLS, or carries HTTP/2 streams.
func connectionOf(r *http.Request) *connection {
	if r.ProtoMajor > 1 {
		return nil
	}
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	return c
}

// httpBuffer is the size of net/http's write buffer for a connection.
const httpBuffer = 4 << 10

// coalesce runs write, through which net/http writes n bytes of an answer. With it, the header
// and these bytes are sent in one system call. Without it, net/http makes two: one when its
// buffer is full, and one for the rest.
func (c *connection) coalesce(n int, write func() (int, error)) (int, error) {
	if c == nil || n <= httpBuffer {
		return write()
	}
	c.coming = n
	defer func() { c.coming = 0 }()
	return write()
}

// Write writes to the client. It may hold p until the next Write; see coalesce.
func (c *connection) Write(p []byte) (n int, err error) {
	switch {
	case len(p) < c.coming && c.held == nil: // the rest of the answer follows
		c.coming = 0
		c.held = heldPool.Get().(*[]byte)
		*c.held = append((*c.held)[:0], p...)
		return len(p), nil
	case c.held != nil:
		n, err = c.writeHeld(p)
	default:
		n, err = c.Conn.Write(p)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.stalled.Store(true)
	}
	return n, err
}

// writeHeld writes the held bytes and p.
func (c *connection) writeHeld(p []byte) (int, error) {
	held := len(*c.held)
	all := net.Buffers{*c.held, p}
	n, err := all.WriteTo(c.Conn)
	clear(*c.held) // holds memory text
	heldPool.Put(c.held)
	c.held = nil
	return max(0, int(n)-held), err
}

// Close closes the connection. If the client has stalled, Close resets it:
// the kernel would otherwise retain the unsent bytes for as long as the
// client likes.
func (c *connection) Close() error {
	c.release()
	if c.stalled.Load() {
		return reset(c.Conn)
	}
	return c.Conn.Close()
}

// CloseWrite closes the sending side, so that net/http can close a connection
// without destroying an answer that the client has not read yet.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func contains(prefixes []netip.Prefix, address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	for _, prefix := range prefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}
