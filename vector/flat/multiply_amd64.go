package flat

import "golang.org/x/sys/cpu"

// chooseIntKernel returns the kernel for quantized rows, or nil if quantized rows would not
// make a scan faster on this machine.
func chooseIntKernel() intKernel {
	if cpu.X86.HasAVX2 && cpu.X86.HasF16C {
		return multiplyAVX2
	}
	return nil
}

func multiplyAVX2(dots []int32, query []int8, rows []byte) {
	if len(dots) == 0 {
		return
	}
	_ = rows[len(query)/4*len(dots)-1] // the assembly does not check bounds
	multiplyRowsAVX2(&dots[0], &query[0], &rows[0], len(query)/(2*packedBlock), len(dots))
}

// multiplyRowsAVX2 is an intKernel for a number of rows, count > 0, of a number of blocks each,
// blocks > 0.
//
//go:noescape
func multiplyRowsAVX2(dots *int32, query *int8, rows *byte, blocks, count int)
