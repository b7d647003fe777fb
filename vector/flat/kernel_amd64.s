#include "textflag.h"

// STEP widens the 8 halves at BASE, multiplies them by the query's lanes (Y8)
// and adds the products to ACC. Products and sums are rounded separately: see
// kernel.go.
#define STEP(BASE, ACC, TMP) \
	VCVTPH2PS (BASE)(AX*2), TMP; \
	VMULPS    Y8, TMP, TMP; \
	VADDPS    TMP, ACC, ACC

// REDUCE adds the 8 lanes of ACC (its lower half is XACC) and stores the sum.
#define REDUCE(ACC, XACC, AT) \
	VEXTRACTF128 $1, ACC, X9; \
	VADDPS       X9, XACC, XACC; \
	VMOVHLPS     XACC, XACC, X9; \
	VADDPS       X9, XACC, XACC; \
	VMOVSHDUP    XACC, X9; \
	VADDSS       X9, XACC, XACC; \
	VMOVSS       XACC, AT

// func dotRowsAVX2(scores, query *float32, rows *uint16, stride, count int)
//
// Process four rows at a time: their dependency chains of additions hide one another's
// latency, and each load of the query serves all four. Each step also prefetches a line of
// the rows after the next eight, since the processor's own prefetch stops at each page.
// Past the last row the prefetched lines are unused.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ scores+0(FP), DI
	MOVQ query+8(FP), SI
	MOVQ rows+16(FP), R8
	MOVQ stride+24(FP), CX
	MOVQ count+32(FP), DX

four:
	CMPQ   DX, $4
	JLT    one
	LEAQ   (R8)(CX*2), R9
	LEAQ   (R9)(CX*2), R10
	LEAQ   (R10)(CX*2), R11
	LEAQ   (R8)(CX*8), R12
	LEAQ   (R12)(CX*8), R12
	LEAQ   (R12)(CX*8), R12
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	XORQ   AX, AX

fourLanes:
	PREFETCHT0 (R12)(AX*8)
	VMOVUPS (SI)(AX*4), Y8
	STEP(R8, Y0, Y4)
	STEP(R9, Y1, Y5)
	STEP(R10, Y2, Y6)
	STEP(R11, Y3, Y7)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     fourLanes

	REDUCE(Y0, X0, (DI))
	REDUCE(Y1, X1, 4(DI))
	REDUCE(Y2, X2, 8(DI))
	REDUCE(Y3, X3, 12(DI))
	LEAQ (R11)(CX*2), R8
	ADDQ $16, DI
	SUBQ $4, DX
	JMP  four

one:
	TESTQ  DX, DX
	JEQ    done
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

oneLanes:
	VMOVUPS (SI)(AX*4), Y8
	STEP(R8, Y0, Y4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     oneLanes

	REDUCE(Y0, X0, (DI))
	LEAQ (R8)(CX*2), R8
	ADDQ $4, DI
	DECQ DX
	JMP  one

done:
	VZEROUPPER
	RET
