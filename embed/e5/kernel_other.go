//go:build !amd64 && !arm64

package e5

func native() *kernels { return &portable }
