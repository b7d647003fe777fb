//go:build !amd64 && !arm64

package flat

// chooseKernel returns the fastest kernel for this machine.
func chooseKernel() kernel { return dotPortable }

// chooseIntKernel returns the kernel for quantized rows, or nil if quantized rows would not
// make a scan faster on this machine.
func chooseIntKernel() intKernel { return nil }
