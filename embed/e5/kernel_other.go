//go:build !amd64 && !arm64

package e5

// supported returns the sets of kernels that this processor supports, the fastest first.
func supported() []*kernels { return []*kernels{&portable} }
