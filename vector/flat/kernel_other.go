//go:build !amd64 && !arm64

package flat

// chooseKernel returns the fastest kernel for this machine.
func chooseKernel() kernel { return dotPortable }
