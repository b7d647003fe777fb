//go:build !amd64 && !arm64

package maxsim

// chooseKernel returns the fastest kernel for this machine.
func chooseKernel() kernel { return bestPortable }
