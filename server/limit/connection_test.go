package limit

import (
	"io"
	"net"
	"net/netip"
	"testing"
)

// arrivals is a listener of connections from given addresses.
type arrivals chan net.Conn

func (a arrivals) Accept() (net.Conn, error) {
	if c, ok := <-a; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (a arrivals) Close() error   { return nil }
func (a arrivals) Addr() net.Addr { return nil }

// arrival is a connection from an address.
type arrival struct {
	net.Conn
	from   string
	closed bool
}

func (a *arrival) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(a.from), 1))
}
func (a *arrival) Close() error { a.closed = true; return nil }

// accept runs connections from the addresses through the listener. It returns
// the accepted ones by address, and the number of refusals by reason.
func accept(t *testing.T, limits Connections, from ...string) (l *Listener, accepted map[string][]net.Conn, refused map[string]int) {
	t.Helper()
	inner := make(arrivals, len(from))
	for _, address := range from {
		inner <- &arrival{from: address}
	}
	close(inner)
	refused, accepted = make(map[string]int), make(map[string][]net.Conn)
	limits.Refused = func(reason string) { refused[reason]++ }
	l = Listen(inner, limits)
	for {
		c, err := l.Accept()
		if err != nil {
			return l, accepted, refused
		}
		address := addressOf(c.RemoteAddr()).String()
		accepted[address] = append(accepted[address], c)
	}
}

func TestAnAddressHasALimitOfItsOwn(t *testing.T) {
	l, accepted, refused := accept(t, Connections{PerAddress: 2}, "10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.1")
	if len(accepted["10.0.0.1"]) != 2 || len(accepted["10.0.0.2"]) != 1 || refused[AddressConnections] != 2 || l.Open() != 3 {
		t.Errorf("accepted %v, refused %v, %d open", accepted, refused, l.Open())
	}
}

func TestAnIPv6NetworkCountsAsOneAddress(t *testing.T) {
	_, accepted, refused := accept(t, Connections{PerAddress: 1},
		"2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:2::1", "10.0.0.1", "::ffff:10.0.0.1", "::ffff:10.0.0.2", "fe80::1%eth0", "fe80::2%eth1")
	for _, address := range []string{"2001:db8:0:1::1", "2001:db8:0:2::1", "10.0.0.1", "::ffff:10.0.0.2", "fe80::1%eth0"} {
		if len(accepted[address]) != 1 {
			t.Errorf("%s is not accepted", address)
		}
	}
	if refused[AddressConnections] != 3 {
		t.Errorf("refused %v", refused)
	}
}

func TestProxiesAreBoundByTheTotalAlone(t *testing.T) {
	limits := Connections{Total: 3, PerAddress: 1, Exempt: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	l, accepted, refused := accept(t, limits, "10.0.0.1", "10.0.0.1", "::ffff:10.0.0.1", "10.0.0.1", "192.0.2.1")
	if len(accepted["10.0.0.1"]) != 2 || refused[TotalConnections] != 2 || l.Open() != 3 {
		t.Errorf("accepted %v, refused %v, %d open", accepted, refused, l.Open())
	}
}

func TestAClosedConnectionMakesRoomOnce(t *testing.T) {
	l, accepted, _ := accept(t, Connections{Total: 2, PerAddress: 2}, "10.0.0.1", "10.0.0.1")
	first := accepted["10.0.0.1"][0]
	first.Close()
	first.Close()
	if l.Open() != 1 || l.byAddress[netip.MustParsePrefix("10.0.0.1/32")] != 1 {
		t.Errorf("%d open, %v by address", l.Open(), l.byAddress)
	}
	accepted["10.0.0.1"][1].Close()
	if l.Open() != 0 || len(l.byAddress) != 0 {
		t.Errorf("%d open, %v by address", l.Open(), l.byAddress)
	}
}

func TestARefusedConnectionIsClosed(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Listen(inner, Connections{PerAddress: 1})
	defer l.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		kept, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		defer kept.Close()
		_, _ = l.Accept() // until the listener is closed
	}()
	first, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := net.Dial("tcp", inner.Addr().String())
	if err == nil { // the reset may come before Dial returns
		defer second.Close()
		if _, err := io.ReadAll(second); err == nil {
			t.Error("the connection above the limit was not reset")
		}
	}
	l.Close()
	<-done
}
