package maxsim

// chooseKernel returns the fastest kernel for this machine: every 64-bit Arm
// processor has NEON.
func chooseKernel() kernel { return bestNEON }

func bestNEON(best []lanes, query []Vector, codes []byte) {
	if len(query) == 0 || len(codes) == 0 {
		return
	}
	_ = best[len(query)-1] // the assembly does not check bounds
	bestBlocksNEON(&best[0], &query[0], len(query), &codes[0], len(codes)/blockSize)
}

// bestBlocksNEON is a kernel for a number of tokens of the question, queries > 0, and a number
// of blocks of the entry, blocks > 0.
//
//go:noescape
func bestBlocksNEON(best *lanes, query *Vector, queries int, codes *byte, blocks int)
