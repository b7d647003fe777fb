//go:build !amd64

package vector

func chooseKernel() kernel { return sumPortable }
