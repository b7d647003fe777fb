package flat

// chooseKernel returns the fastest kernel for this machine. Every arm64 processor has NEON,
// which converts from half precision.
func chooseKernel() kernel { return dotNEON }

func dotNEON(scores, query []float32, rows []uint16) {
	if len(scores) == 0 {
		return
	}
	_ = rows[len(query)*len(scores)-1] // the assembly does not check bounds
	dotRowsNEON(&scores[0], &query[0], &rows[0], len(query), len(scores))
}

// dotRowsNEON is a kernel for a number of rows, count > 0, of stride elements each.
//
//go:noescape
func dotRowsNEON(scores, query *float32, rows *uint16, stride, count int)

// chooseIntKernel returns the kernel for quantized rows, or nil if quantized rows would not
// make a scan faster on this machine.
func chooseIntKernel() intKernel { return nil }
