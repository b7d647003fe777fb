package flat

import "golang.org/x/sys/cpu"

// chooseKernel returns the fastest kernel for this machine.
func chooseKernel() kernel {
	if cpu.X86.HasAVX2 && cpu.X86.HasF16C {
		return dotAVX2
	}
	return dotPortable
}

func dotAVX2(scores, query []float32, rows []uint16) {
	if len(scores) == 0 {
		return
	}
	_ = rows[len(query)*len(scores)-1] // the assembly does not check bounds
	dotRowsAVX2(&scores[0], &query[0], &rows[0], len(query), len(scores))
}

// dotRowsAVX2 is a kernel for a number of rows, count > 0, of stride elements each.
//
//go:noescape
func dotRowsAVX2(scores, query *float32, rows *uint16, stride, count int)
