//go:build !amd64 && !arm64

package flat

// chooseKernel returns the fastest kernel for this machine.
func chooseKernel() kernel { return dotPortable }

// chooseIntKernel returns the kernel for quantized rows; nil if no kernel makes a scan
// faster.
func chooseIntKernel() intKernel { return nil }
