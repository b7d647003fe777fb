package flat

// chooseKernel returns the fastest kernel for this machine. Every arm64 has
// NEON with conversions from half precision.
func chooseKernel() kernel { return dotNEON }

func dotNEON(scores, query []float32, rows []uint16) {
	if len(scores) == 0 {
		return
	}
	_ = rows[len(query)*len(scores)-1] // the assembly does not check bounds
	dotRowsNEON(&scores[0], &query[0], &rows[0], len(query), len(scores))
}

// dotRowsNEON is a kernel for count > 0 rows of stride elements each.
//
//go:noescape
func dotRowsNEON(scores, query *float32, rows *uint16, stride, count int)

// chooseIntKernel returns the kernel for quantized rows; nil if no kernel makes a scan
// faster.
func chooseIntKernel() intKernel { return nil }
