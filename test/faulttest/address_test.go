package faulttest

import (
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
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
			t.Errorf("%s was returned twice", address)
		}
		seen[address] = true
	}
	for range 2 {
		runtime.GC() // closes unreferenced sockets
	}
	for address := range seen {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		if lock, err := net.ListenPacket("udp", address); err == nil {
			lock.Close()
			t.Errorf("another process could reserve %s", address)
		}
	}
}

// A proxy gets its address back although processes that start at the same moment have
// copies of its listening socket for a while.
func TestAProxyKeepsItsAddressWhileProcessesStart(t *testing.T) {
	var children sync.WaitGroup
	defer children.Wait()
	stop := make(chan struct{})
	defer close(stop)
	for range 4 {
		children.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				child := exec.CommandContext(t.Context(), os.Args[0], "-test.list=^$")
				if err := child.Run(); err != nil && t.Context().Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 2000 {
		proxy := NewFaultProxy(t, "127.0.0.1:1")
		proxy.Disable()
		proxy.Enable(t)
		proxy.Disable()
	}
}
