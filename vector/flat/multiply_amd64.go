package flat

import "golang.org/x/sys/cpu"

// chooseIntKernel returns the kernel for quantized rows; nil if no kernel makes a scan
// faster.
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

// multiplyRowsAVX2 is an intKernel for count > 0 rows of blocks > 0 blocks each.
//
//go:noescape
func multiplyRowsAVX2(dots *int32, query *int8, rows *byte, blocks, count int)
