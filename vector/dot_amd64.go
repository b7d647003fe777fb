package vector

import "golang.org/x/sys/cpu"

func chooseKernel() kernel {
	if cpu.X86.HasAVX2 && cpu.X86.HasF16C {
		return sumAVX2
	}
	return sumPortable
}

func sumAVX2(query []float32, h Half) (sums [4]float64) {
	if len(h) == 0 {
		return sums
	}
	_ = query[len(h)-1] // the assembly does not check bounds
	sumProductsAVX2(&sums, &query[0], &h[0], len(h))
	return sums
}

// sumProductsAVX2 is a kernel for a number of elements n > 0.
//
//go:noescape
func sumProductsAVX2(sums *[4]float64, query *float32, h *uint16, n int)
