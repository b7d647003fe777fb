// Package pipe provides listeners with in-process connections, for servers in a synctest
// bubble: the bubble's clock stops while a goroutine waits for a socket of the operating
// system.
//
//	l := pipe.Listen()
//	go server.Serve(l)
//	client := http.Client{Transport: &http.Transport{DialContext: l.DialContext}}
package pipe

import (
	"context"
	"net"
	"sync"
)

// Listener is a net.Listener. Clients connect with DialContext.
type Listener struct {
	connections chan net.Conn
	closed      chan struct{}
	close       sync.Once
}

// Listen returns a new Listener.
func Listen() *Listener {
	return &Listener{connections: make(chan net.Conn), closed: make(chan struct{})}
}

// DialContext returns a connection to the listener once the listener accepts it.
// It ignores network and address.
func (l *Listener) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.connections <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept returns the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and DialContext. Connections stay open.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// Addr returns a fake loopback address.
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
