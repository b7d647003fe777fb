//go:build amd64 || arm64

package prefetch

import "unsafe"

// lines asks for the cache lines of size > 0 bytes from p on.
//
//go:noescape
func lines(p unsafe.Pointer, size uintptr)
