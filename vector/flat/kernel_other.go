//go:build !amd64 && !arm64

package flat

// chooseKernel gives the fastest kernel of this machine.
func chooseKernel() kernel { return dotPortable }
