package maxsim

import "golang.org/x/sys/cpu"

// chooseKernel returns the fastest kernel for this machine.
func chooseKernel() kernel {
	if cpu.X86.HasAVX2 {
		return bestAVX2
	}
	return bestPortable
}

func bestAVX2(best []lanes, query []Vector, codes []byte) {
	if len(query) == 0 || len(codes) == 0 {
		return
	}
	_ = best[len(query)-1] // the assembly does not check bounds
	bestBlocksAVX2(&best[0], &query[0], len(query), &codes[0], len(codes)/blockSize)
}

// bestBlocksAVX2 is a kernel for a number of tokens of the question, queries > 0, and a number
// of blocks of the entry, blocks > 0.
//
//go:noescape
func bestBlocksAVX2(best *lanes, query *Vector, queries int, codes *byte, blocks int)
