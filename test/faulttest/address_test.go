package faulttest

import (
	"net"
	"runtime"
	"testing"
)

func TestFreeAddressesAreReserved(t *testing.T) {
	seen := make(map[string]bool)
	for range 100 {
		address, err := FreeAddr()
		if err != nil {
			t.Fatal(err)
		}
		if seen[address] {
			t.Errorf("%s was given twice", address)
		}
		seen[address] = true
	}
	for range 2 {
		runtime.GC() // closes sockets that nothing refers to
	}
	for address := range seen {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		if lock, err := net.ListenPacket("udp", address); err == nil {
			lock.Close()
			t.Errorf("another process could be given %s", address)
		}
	}
}
