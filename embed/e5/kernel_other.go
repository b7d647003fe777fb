//go:build !amd64

package e5

func native() *kernels { return &portable }
